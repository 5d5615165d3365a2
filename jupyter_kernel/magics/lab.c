/* lab.c: %%grade runs `warpbook grade` as a child. This process runs no grader and no CUDA. */
#include "jupyter_kernel/magics/magics.h"

#include "jupyter_kernel/execution/bundle.h"
#include "jupyter_kernel/execution/cell.h"
#include "jupyter_kernel/execution/child.h"
#include "jupyter_kernel/magics/grade_view.h"
#include "runtime/json/fields.h"

/* ---- %%grade ------------------------------------------------------------------------------ */

static void keep_line(void *ctx, const char *line) {
    wb_buf_puts(ctx, line);
    wb_buf_putc(ctx, '\n');
}

/* Returns the lab that the line names. NULL: the line is refused, noted in the execution. */
static const char *read_line(magic_call *c) {
    if (!magics_read(c, NULL))
        return NULL;
    if (c->n_plain > 1)
        magics_misuse(c, _("one lab at a time, not %s and %s"), c->plain[0], c->plain[1]);
    else if (c->n_plain == 0)
        magics_misuse(c, _("which lab? `!warpbook labs` lists them"));
    return c->n_plain == 1 ? c->plain[0] : NULL;
}

/* Returns the device to grade on. Points do not depend on the GPU that softgpu imitates. */
static const char *graded_on(const char *device) {
    bool here = strcmp(device, "auto") == 0 || strcmp(device, "gpu") == 0;
    return here ? device : "soft";
}

/* The grader's JSON document on the cell's text; NULL (noted) when there is none. */
static json_t *run_grader(magic_call *c, const char *lab, const char *file) {
    char *program = wb_path_bin();
    const char **argv = calloc((size_t)c->n_words + 8, sizeof *argv);
    wb_buf text = {0};
    json_t *document = NULL;
    if (argv && program) {
        int n = 0;
        argv[n++] = program;
        argv[n++] = "grade";
        argv[n++] = lab;
        argv[n++] = file;
        argv[n++] = "--json";
        argv[n++] = "--device"; /* the session's; --device on the line comes later and wins */
        argv[n++] = graded_on(c->x->live->device);
        for (int i = 0; i < c->n_words; i++)
            if (c->words[i] != lab)
                argv[n++] = c->words[i];
        if (child_lines(c->x, argv, keep_line, &text) &&
            !(document = json_loadb(text.data ? text.data : "", text.len, 0, NULL)))
            execution_fail(c->x, "ProcessError",
                           _("The grader printed no result that can be read."));
    }
    wb_buf_free(&text);
    WB_FREE(argv, program);
    return document;
}

/* ---- the text of a lab's last cell ---------------------------------------------------------- */

/* The last cell that each lab graded in this session. An empty %%grade cell grades it again. The
 * locked grading cell of an assignment below the student's cell uses this. */
typedef struct kept_cell {
    struct kept_cell *next;
    char *lab, *body;
    int line;
} kept_cell;

static kept_cell *kept;

static kept_cell *find_kept(const char *lab) {
    kept_cell *k = kept;
    while (k && strcmp(k->lab, lab) != 0)
        k = k->next;
    return k;
}

static void keep_cell(const magic_call *c, const char *lab) {
    kept_cell *k = find_kept(lab);
    char *body = strdup(c->body);
    if (!k && body && (k = calloc(1, sizeof *k)) && (k->lab = strdup(lab))) {
        k->next = kept;
        kept = k;
    }
    if (!k || !k->lab || !body) {
        free(body);
        return;
    }
    free(k->body);
    k->body = body;
    k->line = c->line;
}

/* Writes the cell in the form in which the grader reads one from a notebook: the magic's line, then
 * the text. Its lines keep their numbers, so that error messages name them. */
static bool write_cell(const magic_call *c, const char *lab, const char *file, wb_error *err) {
    const kept_cell *above = magics_empty_body(c) ? find_kept(lab) : NULL;
    char *text = wb_format("%%%%grade\n%s", above ? above->body : c->body);
    char *placed = text ? cell_placed(text, strlen(text), above ? above->line : c->line) : NULL;
    bool ok = placed ? wb_file_write(file, placed, strlen(placed), err)
                     : wb_fail(err, 1, _("out of memory"));
    WB_FREE(placed, text);
    return ok;
}

bool magic_grade(magic_call *c) {
    const char *lab = read_line(c);
    if (!lab)
        return false;
    if (magics_empty_body(c) && !find_kept(lab))
        return magics_misuse(c,
                             _("the cell is empty, and no cell before it was graded by this lab"));
    if (!magics_empty_body(c))
        keep_cell(c, lab);
    wb_error err = {0};
    char *folder = wb_dir_temp("grade", &err);
    char *file = folder ? wb_format("%s/cell [%d]", folder, c->x->number) : NULL;
    json_t *grade = NULL;
    static unsigned long number;
    char display_id[64], progress[200];
    snprintf(display_id, sizeof display_id, "grade-%lu-%d", ++number, c->x->number);
    snprintf(progress, sizeof progress, _("Grading %.100s: compiling, running, checking ..."), lab);
    execution_display(c->x, bundle_text(progress), display_id, false);
    if (file && write_cell(c, lab, file, &err))
        grade = run_grader(c, lab, file);
    else
        execution_fail(c->x, "FileError", "%s", err.text);
    if (grade) {
        execution_display(c->x, grade_view(grade), display_id, true);
        magics_note_grade(c->x, lab, wb_field_number(grade, "score"),
                          wb_field_number(grade, "max_score"));
        c->x->value = grade_result(grade);
    } else
        execution_display(c->x, bundle_text("Not graded."), display_id, true);
    bool ok = grade != NULL;
    json_decref(grade);
    if (folder)
        wb_dir_remove(folder, NULL);
    WB_FREE(file, folder);
    return ok;
}
