/* cell_fuzz.c: any bytes as the cells of a notebook (a byte of 0xFF between two): the splitter's
 * pieces have to be in order and inside the cell, and every cell gives a unit or a sentence. */
#include <stdlib.h>
#include <string.h>

#include "runtime/cells/cellgen.h"
#include "runtime/cells/outline.h"
#include "runtime/cells/split/split.h"

static void check(const char *code, size_t len) {
    wb_split split;
    if (!wb_split_cell(code, len, NULL, &split))
        abort();
    size_t last = 0;
    for (size_t i = 0; i < split.n_items; i++) {
        const wb_item *item = &split.items[i];
        if (item->start < last || item->end < item->start || item->end > len || item->line < 1)
            abort();
        last = item->end;
    }
    last = 0;
    for (size_t i = 0; i < split.n_edits; i++)
        if (split.edits[i].at + split.edits[i].len > len)
            abort();
    for (size_t i = 0; i < split.n_entities; i++)
        if (split.entities[i].end > len || !split.entities[i].name || !split.entities[i].key)
            abort();
    wb_split_free(&split);
    int depth;
    wb_split_complete(code, len, &depth);
}

/* The notebook as one file has the byte before or behind the cursor at the place that it returns.
 */
static void check_file(const wb_cellgen *gen, const char *code, size_t len) {
    json_t *outline = wb_cellgen_outline(gen);
    for (size_t k = 0; k <= 8; k++) {
        wb_buf file = {0};
        size_t at = len * k / 8, place = wb_outline_file(outline, code, len, at, k % 2, &file);
        if (place == SIZE_MAX || place > file.len)
            abort();
        bool before = at > 0 && file.data[place - 1] == code[at - 1];
        if (!before && at < len && file.data[place] != code[at])
            abort();
        wb_buf_free(&file);
    }
    json_decref(outline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_cellgen *gen = wb_cellgen_new();
    const char *p = (const char *)data, *end = p + size;
    for (int number = 1; p <= end && number < 8; number++) {
        const char *stop = memchr(p, 0xFF, (size_t)(end - p));
        size_t len = (size_t)((stop ? stop : end) - p);
        char *code = malloc(len + 1);
        memcpy(code, p, len);
        code[len] = '\0';
        if (!memchr(code, 0, len)) {
            check(code, len);
            check_file(gen, code, len);
        }
        wb_unit unit;
        wb_error err = {0};
        bool ok = wb_cellgen_unit(gen, code, len, number, false, &unit, &err);
        if (!ok && !*err.text)
            abort();
        if (ok && !unit.empty)
            free(wb_cellgen_accept(gen, &unit, "/nonexistent", NULL, len % 5 ? SIZE_MAX : len % 3));
        wb_unit_free(&unit);
        free(code);
        p += len + 1;
    }
    json_decref(wb_cellgen_names(gen));
    wb_cellgen_free(gen);
    return 0;
}
