/* source.c: extracts the source text of a submission. */
#include "grader/feedback/source.h"
#include "grader/report/report.h"
#include "runtime/base/scoped.h"

#include <jansson.h>

enum { MAX_SHOWN = 1 << 20 };

static bool is_code(const char *name) {
    static const char *const ends[] = {".cu", ".cuh", ".h", ".hpp", ".cpp"};
    for (size_t i = 0; i < WB_COUNT(ends); i++)
        if (wb_ends(name, ends[i]))
            return true;
    return false;
}

/* Adds a cell's source, which is a string or an array of lines. */
static void add_cell(wb_buf *out, const json_t *cell) {
    const json_t *source = json_object_get(cell, "source");
    WB_SCOPED_BUF wb_buf text = {0};
    if (json_is_string(source))
        wb_buf_puts(&text, json_string_value(source));
    for (size_t i = 0; i < json_array_size(source); i++) {
        const char *line = json_string_value(json_array_get(source, i));
        wb_buf_puts(&text, line ? line : "");
    }
    if (text.data && strstr(text.data, "%%grade"))
        wb_buf_printf(out, "%s\n", text.data);
}

static void add_notebook(wb_buf *out, const wb_buf *data) {
    json_t *notebook = json_loadb(data->data ? data->data : "", data->len, 0, NULL);
    json_t *cell;
    size_t i;
    json_array_foreach(json_object_get(notebook, "cells"), i, cell) add_cell(out, cell);
    json_decref(notebook);
}

char *gr_source_of(const gr_handed *handed) {
    wb_buf all = {0};
    for (size_t i = 0; i < handed->n && all.len < MAX_SHOWN; i++) {
        const gr_file *file = &handed->files[i];
        bool notebook = wb_ends(file->name, ".ipynb");
        if (handed->n > 1 && (notebook || is_code(file->name)))
            wb_buf_printf(&all, "// ---- %s\n", file->name);
        if (notebook)
            add_notebook(&all, &file->data);
        else if (is_code(file->name) || handed->n == 1)
            wb_buf_puts(&all, file->data.data ? file->data.data : ""); /* up to the first NUL */
    }
    if (!all.len)
        return NULL;
    return gr_valid_text(wb_buf_steal(&all), MAX_SHOWN);
}
