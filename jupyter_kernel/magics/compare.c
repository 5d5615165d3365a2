/* compare.c: %compare and %%compare: `warpbook compare --stream` as a child of the kernel,
 * its chart shown live (display_data, then update_display_data), the table below it at the end. */
#include "jupyter_kernel/magics/magics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/execution/bundle.h"
#include "jupyter_kernel/execution/child.h"
#include "runtime/compile/headers.h"

/* One comparison: what its events become. */
typedef struct watched {
    execution *x;
    char display_id[64];
    bool waits, has_table;
    char *error; /* NULL: none */
} watched;

static void take_event(void *ctx, const char *line) {
    watched *w = ctx;
    json_t *event = json_loads(line, 0, NULL), *data = json_object_get(event, "data");
    const char *name = json_string_value(json_object_get(event, "event"));
    const char *text = json_string_value(json_object_get(event, "text"));
    if (!name) {
        execution_printf(w->x, "%s\n", line);
    } else if (strcmp(name, "chart") == 0 && data) {
        bool update = json_is_true(json_object_get(event, "update"));
        const char *which = json_string_value(json_object_get(event, "id"));
        char id[100];
        snprintf(id, sizeof id, "%s-%s", w->display_id, which ? which : "chart");
        execution_display(w->x, json_incref(data), id, update);
    } else if (strcmp(name, "table") == 0 && data) {
        execution_display(w->x, json_incref(data), NULL, false);
        w->has_table = true;
    } else if (strcmp(name, "wait") == 0 && text) {
        char id[100];
        snprintf(id, sizeof id, "%s-wait", w->display_id);
        execution_display(w->x, bundle_text(text), id, w->waits);
        w->waits = true;
    } else if (strcmp(name, "error") == 0 && text && !w->error) {
        w->error = strdup(text);
    }
    json_decref(event);
}

/* "FILE:solve" for the cell's text: a word ":name" of the line chooses another function and is left
 * out of argv. malloc'd. */
static char *cell_function(const magic_call *c, const char *file) {
    for (int i = 0; i < c->n_words; i++)
        if (c->words[i][0] == ':')
            return wb_format("%s%s", file, c->words[i]);
    return wb_format("%s:solve", file);
}

static bool run_compare(magic_call *c, const char *function) {
    static unsigned long number;
    watched w = {.x = c->x};
    snprintf(w.display_id, sizeof w.display_id, "compare-%lu-%d", ++number, c->x->number);
    char *program = wb_path_bin();
    const char **argv = calloc((size_t)c->n_words + 7, sizeof *argv);
    bool ok = false;
    if (program && argv) {
        size_t n = 0;
        argv[n++] = program;
        argv[n++] = "compare";
        argv[n++] = "--stream";
        argv[n++] = "--device"; /* the session's; one on the line comes later and wins */
        argv[n++] = c->x->live->device;
        for (int i = 0; i < c->n_words; i++)
            if (c->words[i][0] != ':')
                argv[n++] = c->words[i];
        if (function)
            argv[n++] = function;
        ok = child_lines(c->x, argv, take_event, &w);
        if (ok && (w.error || !w.has_table))
            ok = execution_fail(c->x, "CompareError", "%s",
                                w.error ? w.error : "The comparison ended without a result.");
    } else {
        execution_fail(c->x, "MemoryError", "out of memory");
    }
    free(w.error);
    free(argv);
    free(program);
    return ok;
}

/* The cell's code with the headers that every cell has without asking, and with its lines where
 * they stand in the notebook. */
static bool write_cell(const magic_call *c, const char *file, wb_error *err) {
    char *text =
        wb_format(WB_CELL_HEADERS "#line %d \"cell [%d]\"\n%s", c->line + 1, c->x->number, c->body);
    bool ok =
        text ? wb_file_write(file, text, strlen(text), err) : wb_fail(err, 1, "out of memory");
    free(text);
    return ok;
}

bool magic_compare(magic_call *c) {
    if (c->n_words == 0)
        return magics_misuse(c, "which kernels? `!warpbook labs` lists them");
    for (int i = 0; i < c->n_words; i++)
        if (strcmp(c->words[i], "--json") == 0 || strcmp(c->words[i], "--stream") == 0)
            return magics_misuse(c, "%s is for `!warpbook compare`", c->words[i]);
    bool has_code = c->body && strspn(c->body, " \t\r\n") < c->body_len;
    if (!has_code)
        return run_compare(c, NULL);
    wb_error err = {0};
    char *folder = wb_dir_temp("compare", &err);
    char *file = folder ? wb_format("%s/cell.cu", folder) : NULL;
    char *function = file ? cell_function(c, file) : NULL;
    bool ok = function && write_cell(c, file, &err)
                  ? run_compare(c, function)
                  : execution_fail(c->x, "FileError", "%s", err.text);
    if (folder)
        wb_dir_remove(folder, NULL);
    free(function);
    free(file);
    free(folder);
    return ok;
}
