/* magics_lab.c: %%grade and %%compare: the same calls as on the command line, as children of the
 * kernel, their JSON shown as tables. Nothing of the grader runs in this process. */
#include "jupyter_kernel/magics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/child.h"
#include "jupyter_kernel/table.h"

/* What a child printed: stdout as it is, the last of stderr for its error message. */
typedef struct collected {
    execution *x;
    wb_buf out, err;
} collected;

static void collect(void *ctx, int fd, const char *text, size_t len) {
    collected *c = ctx;
    wb_buf_append(fd == 1 ? &c->out : &c->err, text, len);
}

/* Runs `warpbook argv...` and reads its JSON document; NULL (noted) when there is none. */
static json_t *run_warpbook(execution *x, const char *const *argv) {
    collected c = {.x = x};
    child_spec spec = {
        .argv = argv, .interrupt_fd = x->kernel->interrupt_fd, .ctx = &c, .output = collect};
    child_result result;
    wb_error err = {0};
    json_t *document = NULL;
    if (!child_run(&spec, &result, &err))
        execution_fail(x, "ProcessError", "%s", err.text);
    else if (result.interrupted)
        execution_fail(x, "Interrupted", "warpbook %s was interrupted.", argv[1]);
    else if (!(document = json_loadb(c.out.data ? c.out.data : "", c.out.len, 0, NULL)))
        execution_fail(x, "ProcessError", "%s",
                       c.err.len ? c.err.data : "warpbook printed nothing that can be read");
    wb_buf_free(&c.out);
    wb_buf_free(&c.err);
    return document;
}

static const char *text_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *name) {
    return json_number_value(json_object_get(object, name));
}

/* ---- %%grade ------------------------------------------------------------------------------ */

static void show_grade(execution *x, const json_t *grade) {
    json_t *titles = json_pack("[s, s, s, s]", "test", "points", "", "what was found");
    json_t *rows = json_array(), *test;
    size_t i;
    json_array_foreach(json_object_get(grade, "tests"), i, test) {
        json_t *row = json_array();
        json_array_append_new(row, json_string(text_of(test, "name")));
        json_array_append_new(
            row, json_sprintf("%g of %g", number_of(test, "score"), number_of(test, "max_score")));
        json_array_append_new(row, json_string(text_of(test, "status")));
        json_array_append_new(row, json_string(text_of(test, "output")));
        json_array_append_new(rows, row);
    }
    char *before =
        wb_format("%s on %s: %g of %g points", text_of(grade, "lab"), text_of(grade, "device"),
                  number_of(grade, "score"), number_of(grade, "max_score"));
    char *after = wb_format("Run again with the same inputs: --seed %s", text_of(grade, "seed"));
    execution_display(x,
                      table_bundle(titles, rows, "lrll", before ? before : "", after ? after : ""),
                      NULL, false);
    free(before);
    free(after);
    json_decref(titles);
    json_decref(rows);
}

bool magic_grade(magic_call *c) {
    if (c->n_words == 0)
        return magics_misuse(c, "which lab? `!warpbook labs` lists them");
    wb_error err = {0};
    char *folder = wb_dir_temp("grade", &err), *program = wb_path_bin();
    char *file = folder ? wb_format("%s/submission.cu", folder) : NULL;
    const char **argv = calloc((size_t)c->n_words + 6, sizeof *argv);
    json_t *document = NULL;
    if (!file || !argv || !program || !wb_file_write(file, c->body, c->body_len, &err)) {
        execution_fail(c->x, "FileError", "%s", err.text);
    } else {
        int n = 0;
        argv[n++] = program;
        argv[n++] = "grade";
        argv[n++] = c->words[0];
        argv[n++] = file;
        argv[n++] = "--json";
        for (int i = 1; i < c->n_words; i++)
            argv[n++] = c->words[i];
        document = run_warpbook(c->x, argv);
    }
    const json_t *grade = json_is_array(document) ? json_array_get(document, 0) : document;
    if (grade) {
        show_grade(c->x, grade);
        /* Alone among the cells: a number as execute_result, which is how nbgrader reads points. */
        c->x->value =
            json_pack("{s:o}", "text/plain", json_sprintf("%g", number_of(grade, "score")));
    }
    json_decref(document);
    if (folder)
        wb_dir_remove(folder, NULL);
    free(argv);
    free(file);
    free(program);
    free(folder);
    return grade != NULL;
}

/* ---- %%compare ---------------------------------------------------------------------------- */

bool magic_compare(magic_call *c) {
    if (c->n_words == 0)
        return magics_misuse(c, "which kernels? `!warpbook labs` lists them");
    const char **argv = calloc((size_t)c->n_words + 4, sizeof *argv);
    char *program = wb_path_bin();
    json_t *document = NULL;
    if (argv && program) {
        argv[0] = program;
        argv[1] = "compare";
        argv[2] = "--json";
        for (int i = 0; i < c->n_words; i++)
            argv[3 + i] = c->words[i];
        document = run_warpbook(c->x, argv);
    }
    if (document) {
        char *text = json_dumps(document, JSON_INDENT(2));
        if (text)
            execution_stream(c->x, 1, text, strlen(text));
        free(text);
    }
    bool ok = document != NULL;
    json_decref(document);
    free(argv);
    free(program);
    return ok;
}
