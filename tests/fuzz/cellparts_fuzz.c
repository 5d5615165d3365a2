/* cellparts_fuzz.c: cell_split on arbitrary bytes: its parts lie inside the cell, in order. */
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/execution/cell.h"
#include "runtime/worker/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *wb_cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size) {
    (void)code;
    (void)len;
    (void)indent;
    (void)indent_size;
    return "complete";
}

static bool is_magic(const char *name, size_t len) {
    return len > 0 && name[0] == 't';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *code = malloc(size ? size : 1); /* of its exact size: reads beyond it are seen */
    memcpy(code, data, size);
    cell_parts parts;
    if (!cell_split(code, size, is_magic, &parts))
        abort();
    int line = 0;
    for (size_t i = 0; i < parts.n; i++) {
        const cell_part *p = &parts.part[i];
        if (p->line < line || p->text < code || p->text + p->len > code + size)
            abort();
        if (p->kind == CELL_WHOLE && (p->body < code || p->body + p->body_len != code + size))
            abort();
        line = p->line;
        free(cell_placed(p->text, p->len, p->line));
    }
    cell_parts_free(&parts);
    char indent[16];
    cell_is_complete(code, size, indent, sizeof indent);
    free(code);
    return 0;
}
