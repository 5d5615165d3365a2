/* lab.c: %%grade runs `warpbook grade` as a child. This process runs no grader and no CUDA. */
#include "jupyter_kernel/magics/magics.h"

#include "jupyter_kernel/execution/bundle.h"
#include "jupyter_kernel/execution/cell.h"
#include "jupyter_kernel/execution/child.h"
#include "jupyter_kernel/magics/grade_view.h"
#include "runtime/base/words.h"

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
    return wb_word_among(device, strlen(device), "auto gpu") ? device : "soft";
}

/* The grader's JSON document on the cell's text; NULL (noted) when there is none. */
static json_t *run_grader(magic_call *c, const char *lab, const char *file) {
    WB_SCOPED_STRINGS wb_strings argv = {0};
    WB_SCOPED_BUF wb_buf text = {0};
    json_t *document = NULL;
    wb_strings_own(&argv, wb_path_bin());
    wb_strings_add(&argv, "grade");
    wb_strings_add(&argv, lab);
    wb_strings_add(&argv, file);
    wb_strings_words(&argv, "--json --device"); /* --device on the line comes later and wins */
    wb_strings_add(&argv, graded_on(c->x->live->device));
    for (int i = 0; i < c->n_words; i++)
        if (c->words[i] != lab)
            wb_strings_add(&argv, c->words[i]);
    if (argv.failed)
        execution_fail(c->x, "MemoryError", _("out of memory"));
    else if (child_lines(c->x, (const char *const *)argv.v, keep_line, &text) &&
             !(document = json_loadb(text.data ? text.data : "", text.len, 0, NULL)))
        execution_fail(c->x, "ProcessError", _("The grader printed no result that can be read."));
    return document;
}

/* ---- the text of a lab's last cell ---------------------------------------------------------- */

/* {lab: {"body", "line"}}: the last cell that each lab graded in this session. An empty %%grade
 * cell grades it again. The locked grading cell of an assignment below the student's cell uses
 * this. */
static json_t *kept;

static void keep_cell(const magic_call *c, const char *lab) {
    kept = kept ? kept : json_object();
    json_object_set_new(kept, lab, json_pack("{s:s, s:i}", "body", c->body, "line", c->line));
}

/* Writes the cell in the form in which the grader reads one from a notebook: the magic's line, then
 * the text. Its lines keep their numbers, so that error messages name them. */
static bool write_cell(const magic_call *c, const char *lab, const char *file, wb_error *err) {
    const json_t *above = magics_empty_body(c) ? json_object_get(kept, lab) : NULL;
    int line = above ? (int)wb_field_int(above, "line") : c->line;
    WB_SCOPED char *text =
        wb_format("%%%%grade\n%s", above ? wb_field_text(above, "body") : c->body);
    WB_SCOPED char *placed = text ? cell_placed(text, strlen(text), line) : NULL;
    return placed ? wb_file_write(file, placed, strlen(placed), err)
                  : wb_fail(err, 1, _("out of memory"));
}

bool magic_grade(magic_call *c) {
    const char *lab = read_line(c);
    if (!lab)
        return false;
    if (magics_empty_body(c) && !json_object_get(kept, lab))
        return magics_misuse(c,
                             _("the cell is empty, and no cell before it was graded by this lab"));
    if (!magics_empty_body(c))
        keep_cell(c, lab);
    wb_error err = {0};
    WB_SCOPED char *folder = wb_dir_temp("grade", &err);
    WB_SCOPED char *file = folder ? wb_format("%s/cell [%d]", folder, c->x->number) : NULL;
    WB_SCOPED_JSON json_t *grade = NULL;
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
    if (folder)
        wb_dir_remove(folder, NULL);
    return grade != NULL;
}
