/* attempt.c: compiles the answer with its check, runs them, and reads the result. */
#include "jupyter_kernel/steps/attempt.h"
#include "runtime/base/language.h"

#include <ctype.h>

#include "jupyter_kernel/execution/cell.h"
#include "jupyter_kernel/steps/figure.h"
#include "runtime/base/words.h"

/* The check prints its verdict as lines that begin like this. A student's own output does not. */
#define VERDICT "\036step "

typedef struct attempt {
    execution *x;
    const json_t *step;
    wb_buf line; /* of stdout, not yet complete */
    char *wrong; /* the first mistake that the check found */
    bool ended;  /* the check ran to its end */
} attempt;

/* ---- before it runs ------------------------------------------------------------------------- */

/* Appends the code without comments and blanks, to compare two texts. */
static void squeeze(wb_buf *out, const char *code, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (code[i] == '/' && i + 1 < len && code[i + 1] == '/')
            i += strcspn(code + i, "\n");
        if (i < len && !isspace((unsigned char)code[i]))
            wb_buf_putc(out, code[i]);
    }
}

static bool same_code(const char *a, size_t a_len, const char *b) {
    WB_SCOPED_BUF wb_buf left = {0}, right = {0};
    squeeze(&left, a, a_len);
    squeeze(&right, b, strlen(b));
    return left.len == right.len && (!left.len || memcmp(left.data, right.data, left.len) == 0);
}

/* Returns true if there is nothing to run. *kind and *say give the reason. */
static bool unfit(const json_t *step, const char *code, size_t len, int line, attempt_kind *kind,
                  char **say) {
    const char *blank = strstr(code, "____");
    WB_SCOPED char *function = lesson_function(step);
    if (blank) {
        *kind = ATTEMPT_EMPTY;
        *say = wb_format(_("Still to fill in: `____` in line %d."), line + wb_line_at(code, blank));
    } else if (!code[strspn(code, " \t\r\n")] ||
               same_code(code, len, wb_field_text(step, "start"))) {
        *kind = ATTEMPT_EMPTY;
        *say = wb_format(_("The cell is as it was given: it is your turn."));
    } else if (function && !wb_word_find(code, function, strlen(function))) {
        *kind = ATTEMPT_UNFIT;
        *say =
            wb_format(_("This step's check calls `%s`, and the cell does not define `%s`: another "
                        "kernel, however right, is no answer to this step."),
                      wb_field_text(step, "signature"), function);
    } else if (wb_word_find(code, "main", strlen("main"))) {
        *kind = ATTEMPT_UNFIT;
        *say = wb_format(_("The check has a main() of its own, which calls `%s`: leave yours out."),
                         wb_field_text(step, "signature"));
    }
    return *say != NULL;
}

/* ---- running ------------------------------------------------------------------------------ */

static void take_line(attempt *a, const char *text, size_t len) {
    size_t head = strlen(VERDICT);
    if (len < head || memcmp(text, VERDICT, head) != 0) {
        execution_stream(a->x, 1, text, len);
        execution_stream(a->x, 1, len ? "\n" : "",
                         len ? 1 : 0); /* a newline precedes each verdict */
        return;
    }
    text += head;
    len -= head;
    if (len >= 3 && memcmp(text, "end", 3) == 0)
        a->ended = true;
    else if (len > 6 && memcmp(text, "wrong ", 6) == 0 && !a->wrong)
        a->wrong = strndup(text + 6, len - 6);
}

static void take_stream(void *ctx, int fd, const char *text, size_t len) {
    attempt *a = ctx;
    if (fd != 1) {
        execution_stream(a->x, fd, text, len);
        return;
    }
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\n') {
            wb_buf_putc(&a->line, text[i]);
            continue;
        }
        take_line(a, a->line.data ? a->line.data : "", a->line.len);
        wb_buf_clear(&a->line);
    }
}

/* Joins the answer at its place in the cell, the helpers, the check and main(). NULL with *err. */
static char *program_of(const lesson *l, const json_t *step, const char *placed, wb_error *err) {
    WB_SCOPED char *path = wb_path_share("steps/step.h"),
                   *check = lesson_file(l, step, "check", err);
    WB_SCOPED_BUF wb_buf helpers = {0};
    if (!path || !check || !wb_file_read(path, 1 << 16, &helpers, err))
        return NULL;
    return wb_format("%s\n#line 1 \"step.h\"\n%s\n#line 1 \"%s\"\n%s\n"
                     "int main(int argc, char **argv) { return step::run(argc, argv, check); }\n",
                     placed, helpers.data, wb_field_text(step, "check"), check);
}

/* wish: what softgpu records of the run, which then prints nothing and is not judged; or NULL. */
static bool run(attempt *a, const char *code, const char *shown, unsigned long seed,
                const char *wish, wb_result *result) {
    char args[32];
    snprintf(args, sizeof args, "%lu %s", seed, wb_language_name(wb_language_get()));
    wb_cell cell = {.code = code,
                    .len = strlen(code),
                    .shown = shown,
                    .program = true,
                    .program_args = args,
                    .counters = !wish,
                    .record = wish,
                    .racecheck = !wish && wb_field_true(a->step, "races")};
    wb_sink usual = a->x->sink;
    a->x->sink = (wb_sink){.ctx = a, .stream = wish ? NULL : take_stream};
    bool ok = execution_run(a->x, &cell, result);
    a->x->sink = usual;
    return ok;
}

/* ---- the verdict ---------------------------------------------------------------------------- */

static attempt_kind judge(const attempt *a, const json_t *report, attempt_verdict *v) {
    if (a->wrong)
        v->say = strdup(a->wrong);
    else if (!a->ended)
        v->say = strdup(_("The program ended before its check did: does the code call exit()?"));
    WB_JSON_EACH(entry, json_object_get(a->step, "counts")) {
        if (v->say)
            return ATTEMPT_WRONG;
        v->say = figure_complaint(report, entry, &v->missed);
        v->kernel = wb_field_text(entry, "kernel");
    }
    if (v->say)
        return ATTEMPT_WRONG;
    v->say = strdup(wb_field_text(a->step, "right"));
    return ATTEMPT_RIGHT;
}

/* Runs the program once more, for a picture of the kernel that misses a bound. */
static void record(attempt *a, const char *code, const char *shown, unsigned long seed,
                   attempt_verdict *v) {
    bool lanes = figure_by_lanes(wb_field_text(v->missed, "of"));
    WB_SCOPED char *wish =
        wb_format("{\"what\": \"%s\", \"kernel\": \"%.*s\", \"time\": 1}",
                  lanes ? "lanes" : "access", (int)strcspn(v->kernel, "<"), v->kernel);
    if (wish)
        run(a, code, shown, seed, wish, &v->shown);
}

void attempt_verdict_free(attempt_verdict *v) {
    wb_result_free(&v->shown);
    free(v->say);
}

/* Fails unless cells run on softgpu, because only softgpu counts. */
static bool on_softgpu(execution *x) {
    return execution_on_softgpu(x) ||
           execution_fail(
               x, "UsageError",
               _("A step's check counts what kernels touch, which softgpu does: `%%device "
                 "soft` changes to it."));
}

/* If the compiler's error is in the check's file, explains that it calls the answer. */
static void explain_signature(execution *x, const json_t *step) {
    const char *why = x->evalue ? x->evalue : "";
    size_t len = strlen(wb_field_text(step, "check"));
    WB_SCOPED char *function = lesson_function(step);
    if (function && strncmp(why, wb_field_text(step, "check"), len) == 0)
        execution_explain(
            x, _("That line is the check's, which calls `%s`: does your %s take the same?"),
            wb_field_text(step, "signature"), function);
}

attempt_kind attempt_run(execution *x, const lesson *l, const json_t *step, const char *code,
                         size_t len, int line, unsigned long seed, attempt_verdict *v) {
    attempt_kind kind = ATTEMPT_FAILED;
    *v = (attempt_verdict){0};
    if (unfit(step, code, len, line, &kind, &v->say))
        return kind;
    if (!on_softgpu(x))
        return ATTEMPT_FAILED;
    attempt a = {.x = x, .step = step};
    wb_error err = {0};
    SCOPED_RESULT wb_result result = {0};
    WB_SCOPED char *shown = cell_placed(code, len, line + 1);
    WB_SCOPED char *program = shown ? program_of(l, step, shown, &err) : NULL;
    if (!program)
        execution_fail(x, "FileError", "%s", shown ? err.text : _("out of memory"));
    else if (run(&a, program, shown, seed, NULL, &result))
        kind = judge(&a, result.report, v);
    else
        explain_signature(x, step);
    if (v->missed)
        record(&a, program, shown, seed, v);
    free(a.wrong);
    wb_buf_free(&a.line);
    return kind;
}
