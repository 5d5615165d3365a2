/* steps.c: %step, %predict, %%try, %hint, %solution, %progress: a lab as small steps. */
#include "jupyter_kernel/magics/draw.h"

#include <sys/random.h>

#include "jupyter_kernel/execution/bundle.h"
#include "jupyter_kernel/steps/answer.h"
#include "jupyter_kernel/steps/attempt.h"
#include "jupyter_kernel/steps/lesson.h"
#include "jupyter_kernel/steps/progress.h"
#include "runtime/base/words.h"

enum { BAR = 12 };

/* The lab and name of the last wanted step, or NULL. No lock: cells run one after the other. */
static char *current_lab, *current_step;

/* A step that a magic names. The caller frees the lesson. */
typedef struct place {
    lesson *lesson;
    json_t *step; /* borrowed from the lesson */
} place;

static void close_place(place *p) {
    lesson_free(p->lesson);
}

#define SCOPED_PLACE __attribute__((cleanup(close_place)))

static step_record record_of(const place *p) {
    return progress_of(p->lesson->lab, wb_field_text(p->step, "name"));
}

static void keep(char **slot, const char *text) {
    char *copy = strdup(text);
    if (copy) {
        free(*slot);
        *slot = copy;
    }
}

/* ---- finding a step ------------------------------------------------------------------------ */

/* Returns the first step that is not passed, or the last step if all are. */
static json_t *open_step(const lesson *l) {
    WB_JSON_EACH(step, l->steps) {
        if (!progress_of(l->lab, wb_field_text(step, "name")).passed)
            return step;
    }
    return lesson_step(l, lesson_count(l) - 1);
}

static lesson *open_lesson(const magic_call *c, const char *lab) {
    wb_error err = {0};
    lesson *l = lesson_find(lab, &err);
    if (!l)
        execution_fail(c->x, "UsageError", "%s", err.text);
    return l;
}

/* Finds a step by name in the labs that come with Warpbook. Fails if several labs have it. */
static bool search(const magic_call *c, const char *name, place *found) {
    WB_SCOPED_JSON json_t *labs = lesson_labs();
    WB_SCOPED_BUF wb_buf where = {0};
    size_t n = 0;
    WB_JSON_EACH(lab, labs) {
        lesson *l = lesson_find(json_string_value(lab), NULL);
        json_t *step = l ? lesson_named(l, name) : NULL;
        if (step) {
            wb_buf_printf(&where, "%s%s.%s", n ? ", " : "", l->lab, name);
            n++;
        }
        if (step && n == 1)
            *found = (place){.lesson = l, .step = step};
        else
            lesson_free(l);
    }
    if (n != 1) {
        lesson_free(found->lesson);
        *found = (place){0};
    }
    if (n > 1)
        magics_misuse(c, _("steps of several labs have the name '%s': which of %s?"), name,
                      where.data);
    return n == 1;
}

static bool refuse_step(const magic_call *c, const lesson *l, const char *name) {
    const char *names[64];
    size_t n = lesson_count(l) < WB_COUNT(names) ? lesson_count(l) : WB_COUNT(names);
    for (size_t i = 0; i < n; i++)
        names[i] = wb_field_text(lesson_step(l, i), "name");
    return magics_misuse(c, _("%s has no step '%s'%s; %%progress %s lists them"), l->lab, name,
                         wb_text_meant(name, names, n), l->lab);
}

/* Finds "sectors", "coalescing.sectors", or the current step if the name is empty. If found, it
 * becomes the current step. The caller closes the place also if this fails. */
static bool find_step(const magic_call *c, const char *name, place *found) {
    *found = (place){0};
    const char *dot = strrchr(name, '.');
    if (dot && dot[1] && dot[1] != '/') {
        WB_SCOPED char *lab = strndup(name, (size_t)(dot - name));
        keep(&current_lab, lab ? lab : "");
        name = dot + 1;
    }
    found->lesson = current_lab ? open_lesson(c, current_lab) : NULL;
    if (current_lab && !found->lesson)
        return false;
    if (!*name && !current_lab)
        return magics_misuse(c, _("of which lab? %%step LAB begins one; %%progress lists them"));
    const char *wanted = *name ? name : current_step;
    found->step = found->lesson && wanted ? lesson_named(found->lesson, wanted) : NULL;
    if (found->lesson && !*name && !found->step)
        found->step = open_step(found->lesson);
    if (!found->step && !(dot && found->lesson)) { /* perhaps a step of another lab */
        lesson *here = found->lesson;
        *found = (place){0};
        if (search(c, name, found)) {
            keep(&current_lab, found->lesson->lab);
            lesson_free(here);
        } else
            found->lesson = here;
    }
    if (found->step) {
        keep(&current_step, wb_field_text(found->step, "name"));
        return true;
    }
    if (!c->x->ename && found->lesson)
        refuse_step(c, found->lesson, name);
    else if (!c->x->ename)
        magics_misuse(c, _("no lab has a step '%s'; %%progress lists the labs"), name);
    return false;
}

/* ---- showing ------------------------------------------------------------------------------- */

/* Shows Markdown in a notebook, and the same text in a terminal. Steals the buffer. */
static void show(execution *x, wb_buf *markdown) {
    execution_display(x, bundle_markdown(markdown->data ? markdown->data : ""), NULL, false);
    wb_buf_free(markdown);
}

static void put_bar(wb_buf *out, size_t done, size_t n) {
    size_t full = n ? (done * BAR + n / 2) / n : 0;
    full = full == 0 && done > 0 ? 1 : full == BAR && done < n ? BAR - 1 : full;
    for (size_t i = 0; i < BAR; i++)
        wb_buf_puts(out, i < full ? "█" : "░");
}

static size_t passed_of(const lesson *l) {
    size_t done = 0;
    WB_JSON_EACH(step, l->steps) done += progress_of(l->lab, wb_field_text(step, "name")).passed;
    return done;
}

static void put_how(wb_buf *out, const json_t *step) {
    const char *name = wb_field_text(step, "name"), *unit = wb_field_text(step, "unit");
    if (json_object_get(step, "choices")) {
        WB_SCOPED char *choices = answer_choices(step, "`");
        wb_buf_printf(out, _("\n\nAnswer with `%%predict %s = ...`: %s."), name,
                      choices ? choices : "");
    } else if (lesson_kind(step) == STEP_PREDICT && *unit)
        wb_buf_printf(out, _("\n\nAnswer with a number, in %s: `%%predict %s = ...`"), unit, name);
    else if (lesson_kind(step) == STEP_PREDICT)
        wb_buf_printf(out, _("\n\nAnswer with a number: `%%predict %s = ...`"), name);
    else if (lesson_kind(step) == STEP_TRY)
        wb_buf_printf(out,
                      _("\n\nAnswer with a cell that begins with `%%%%try %s` and goes on so:\n\n"
                        "```cuda\n%s\n```"),
                      name, wb_field_text(step, "start"));
    wb_buf_puts(out, _("\n\n`%hint` helps, a hint at a time."));
}

static void show_step(execution *x, const place *p) {
    wb_buf out = {0};
    wb_buf_printf(&out, _("**Step %zu of %zu: %s**\n\n%s"), lesson_place(p->lesson, p->step),
                  lesson_count(p->lesson), wb_field_text(p->step, "title"),
                  wb_field_text(p->step, "text"));
    put_how(&out, p->step);
    show(x, &out);
}

/* Adds the progress bar and the next step. */
static void put_rest(wb_buf *out, const lesson *l) {
    size_t done = passed_of(l), n = lesson_count(l);
    const json_t *next = open_step(l);
    wb_buf_puts(out, "\n\n");
    put_bar(out, done, n);
    wb_buf_printf(out, _(" %zu of %zu steps of %s"), done, n, l->lab);
    if (done < n)
        wb_buf_printf(out, _(". Next: step %zu, *%s*: `%%step`"), lesson_place(l, next),
                      wb_field_text(next, "title"));
    else
        wb_buf_puts(out, _(": all of them."));
}

/* Stores the progress. If that fails, prints why; the cell does not fail. */
static void note(execution *x, const place *p, progress_change change, const char *answer) {
    wb_error err = {0};
    if (!progress_note(p->lesson->lab, wb_field_text(p->step, "name"), change, answer, &err))
        execution_printf(x, _("Progress is not kept: %s\n"), err.text);
}

static void show_right(execution *x, const place *p, const char *say) {
    wb_buf out = {0};
    note(x, p, PROGRESS_PASSED, NULL);
    free(current_step); /* continue with the next open step */
    current_step = NULL;
    wb_buf_printf(&out, _("✔ **Right.** %s"), say);
    put_rest(&out, p->lesson);
    show(x, &out);
}

/* Returns false if the lab is graded and hides its solutions. */
static bool has_solutions(const place *p) {
    return !json_is_false(json_object_get(p->lesson->root, "solutions"));
}

/* Asks the client for a cell below that holds %hint, once a step. A failed cell cannot ask. */
static void invite(execution *x, const place *p, const step_record *r) {
    const char *name = wb_field_text(p->step, "name");
    if (r->invited || r->passed || x->ename)
        return;
    json_array_append_new(x->payload,
                          json_pack("{s:s, s:o, s:b}", "source", "set_next_input", "text",
                                    json_sprintf("%%hint %s", name), "replace", false));
    note(x, p, PROGRESS_INVITED, NULL);
}

static void show_wrong(execution *x, const place *p, const char *say, const char *answer) {
    wb_buf out = {0};
    note(x, p, PROGRESS_WRONG, answer);
    wb_buf_printf(&out, _("✘ **Not yet.** %s"), say);
    const json_t *hints = json_object_get(p->step, "hints");
    step_record r = record_of(p);
    if (r.hints < (int)json_array_size(hints))
        wb_buf_puts(&out, _("\n\n`%hint` helps."));
    else if (!r.passed && has_solutions(p))
        wb_buf_puts(&out, _("\n\n`%solution` shows one."));
    show(x, &out);
    invite(x, p, &r);
}

/* ---- %step ----------------------------------------------------------------------------------- */

bool magic_step(magic_call *c) {
    SCOPED_PLACE place p = {0};
    if (c->n_words > 1)
        return magics_misuse(c, _("one lab or one step at a time"));
    const char *word = c->n_words ? c->words[0] : "";
    wb_error err = {0};
    SCOPED_LESSON lesson *l = *word ? lesson_find(word, &err) : NULL;
    if (*word && !l && (err.code != LESSON_UNKNOWN || strchr(word, '/')))
        return execution_fail(c->x, "UsageError", "%s", err.text);
    if (l) {
        keep(&current_lab, word);
        free(current_step);
        current_step = NULL;
        word = "";
    }
    if (!find_step(c, word, &p))
        return false;
    show_step(c->x, &p);
    return true;
}

/* ---- %predict -------------------------------------------------------------------------------- */

bool magic_enter(magic_call *c) {
    const char *equals = strchr(c->args, '=');
    size_t len = equals ? wb_trimmed(c->args, (size_t)(equals - c->args), " \t") : 0;
    if (len == 0)
        return magics_misuse(c, _("name the step and your answer, as in %%predict sectors = 4 "
                                  "(%%%%predict, with two signs, models a cell's times on a GPU)"));
    WB_SCOPED char *name = strndup(c->args, len), *say = NULL, *value = NULL;
    SCOPED_PLACE place p = {0};
    if (!name || !find_step(c, name, &p))
        return false;
    if (lesson_kind(p.step) != STEP_PREDICT)
        return magics_misuse(c, _("that step is answered with %s"),
                             lesson_kind(p.step) == STEP_TRY ? _("a cell that begins with %%try")
                                                             : "%%grade");
    answer_kind kind = answer_judge(p.step, equals + 1, &say, &value);
    if (kind == ANSWER_RIGHT)
        show_right(c->x, &p, say ? say : "");
    else if (kind == ANSWER_WRONG)
        show_wrong(c->x, &p, say ? say : "", value);
    else if (kind == ANSWER_UNREADABLE)
        execution_display(c->x, bundle_markdown(say ? say : ""), NULL, false);
    else
        show_step(c->x, &p);
    return true;
}

/* ---- %%try ----------------------------------------------------------------------------------- */

struct trying {
    wb_seed seed;
};
#define WB_RECORD struct trying
const wb_option try_options[] = {WB_OPTION_SEED(seed), {0}};

static unsigned long drawn_seed(void) {
    unsigned seed = 1;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (unsigned)(wb_now() * 1e6);
    return seed % 1000000;
}

bool magic_try(magic_call *c) {
    struct trying asked = {.seed.value = drawn_seed()};
    SCOPED_PLACE place p = {0};
    if (!magics_read(c, &asked))
        return false;
    if (c->n_plain > 1)
        return magics_misuse(c, _("one step at a time"));
    if (!find_step(c, c->n_plain ? c->plain[0] : "", &p))
        return false;
    bool ok = true;
    if (lesson_kind(p.step) != STEP_TRY)
        ok = magics_misuse(c, _("'%s' is answered with %s"), wb_field_text(p.step, "name"),
                           lesson_kind(p.step) == STEP_PREDICT ? "%predict" : "%%grade");
    attempt_verdict v = {0};
    attempt_kind kind = ok ? attempt_run(c->x, p.lesson, p.step, c->body, c->body_len, c->line,
                                         asked.seed.value, &v)
                           : ATTEMPT_UNFIT;
    const char *why = kind == ATTEMPT_FAILED ? _("It failed; see the error below.") : v.say;
    WB_SCOPED char *again =
        wb_format(_("%s (These inputs again: `--seed %lu`.)"), why ? why : "", asked.seed.value);
    if (kind == ATTEMPT_RIGHT)
        show_right(c->x, &p, v.say ? v.say : "");
    else if (kind == ATTEMPT_WRONG) {
        show_wrong(c->x, &p, again ? again : "", c->body);
        if (v.missed)
            draw_missed(c, v.kernel, v.missed, v.shown.report);
    } else if (kind == ATTEMPT_FAILED) {
        /* A failed run counts as a wrong answer. The error itself is the cell's error. */
        const char *name = c->x->ename ? c->x->ename : "UsageError";
        if (!wb_word_among(name, strlen(name), "UsageError Interrupted FileError"))
            show_wrong(c->x, &p, again ? again : "", c->body);
        ok = false;
    } else if (v.say)
        execution_display(c->x, bundle_markdown(v.say), NULL, false);
    attempt_verdict_free(&v);
    return ok;
}

/* ---- %hint, %solution ------------------------------------------------------------------------ */

/* Finds the step that a line magic names, or the current one. */
static bool named_step(const magic_call *c, place *found) {
    return c->n_words > 1 ? magics_misuse(c, _("one step at a time"))
                          : find_step(c, c->n_words ? c->words[0] : "", found);
}

bool magic_hint(magic_call *c) {
    SCOPED_PLACE place p = {0};
    if (!named_step(c, &p))
        return false;
    const json_t *hints = json_object_get(p.step, "hints");
    int n = (int)json_array_size(hints);
    step_record r = record_of(&p);
    int i = r.hints < n ? r.hints : n - 1;
    wb_buf out = {0};
    wb_buf_printf(&out, _("**Hint %d of %d** for *%s*: %s"), i + 1, n,
                  wb_field_text(p.step, "title"),
                  json_string_value(json_array_get(hints, (size_t)i)));
    if (r.hints < n)
        note(c->x, &p, PROGRESS_HINT, NULL);
    if (i + 1 == n && !r.passed && has_solutions(&p))
        wb_buf_puts(&out, r.tries > 0 ? _("\n\nThat is the last one; `%solution` shows a solution.")
                                      : _("\n\nThat is the last one. After a try of yours, "
                                          "`%solution` shows a solution."));
    show(c->x, &out);
    return true;
}

/* Returns true after an honest try: two different answers, or one and all hints. */
static bool has_tried(const json_t *step, const step_record *r) {
    int hints = (int)json_array_size(json_object_get(step, "hints"));
    return r->passed || r->tries >= 2 || (r->tries >= 1 && r->hints >= hints);
}

static void put_solution(wb_buf *out, const place *p) {
    wb_error err = {0};
    const json_t *answer = json_object_get(p->step, "answer");
    const char *unit = wb_field_text(p->step, "unit");
    if (lesson_kind(p->step) == STEP_TRY) {
        WB_SCOPED char *code = lesson_file(p->lesson, p->step, "solution", &err);
        wb_buf_printf(out, "```cuda\n%s```\n\n%s", code ? code : err.text,
                      wb_field_text(p->step, "right"));
    } else if (json_is_string(answer))
        wb_buf_printf(out, "**%s.** %s", json_string_value(answer),
                      json_string_value(json_object_get(json_object_get(p->step, "choices"),
                                                        json_string_value(answer))));
    else if (json_is_number(answer))
        wb_buf_printf(out, "**%.10g%s%s.** %s", json_number_value(answer), *unit ? " " : "", unit,
                      wb_field_text(p->step, "right"));
    else
        wb_buf_printf(out, _("The solutions of this lab's exercise stand folded below the exercise "
                             "in its notebook."));
}

bool magic_solution(magic_call *c) {
    SCOPED_PLACE place p = {0};
    if (!named_step(c, &p))
        return false;
    step_record r = record_of(&p);
    wb_buf out = {0};
    if (!has_solutions(&p))
        wb_buf_printf(&out, _("%s is graded and shows no solutions. `%%hint` helps."),
                      p.lesson->lab);
    else if (has_tried(p.step, &r)) {
        wb_buf_printf(&out, _("A solution of *%s*:\n\n"), wb_field_text(p.step, "title"));
        put_solution(&out, &p);
        note(c->x, &p, PROGRESS_SHOWN, NULL);
    } else
        wb_buf_printf(&out,
                      _("Try first: the solution of *%s* is shown after two different answers of "
                        "yours, or one and all %zu hints (so far: %d answer%s, %d hint%s)."),
                      wb_field_text(p.step, "title"),
                      json_array_size(json_object_get(p.step, "hints")), r.tries,
                      r.tries == 1 ? "" : "s", r.hints, r.hints == 1 ? "" : "s");
    show(c->x, &out);
    return true;
}

/* ---- %progress ------------------------------------------------------------------------------- */

static void add_lab(wb_table *t, const char *lab) {
    SCOPED_LESSON lesson *l = lesson_find(lab, NULL);
    WB_SCOPED_BUF wb_buf bar = {0};
    size_t n = l ? lesson_count(l) : 0, done = l ? passed_of(l) : 0;
    put_bar(&bar, done, n);
    wb_table_row(t, false);
    wb_table_texts(t, lab, bar.data ? bar.data : "");
    wb_table_cell(t, "%zu / %zu", done, n);
    wb_table_cell(t, "%s",
                  !l ? _("its steps.json can't be read") : wb_field_text(l->root, "title"));
}

static bool show_labs(execution *x) {
    wb_table *t = wb_table_new();
    WB_SCOPED_JSON json_t *labs = lesson_labs();
    wb_table_columns(t, "llrl", _("lab"), "", _("steps"), "");
    WB_JSON_EACH(lab, labs) add_lab(t, json_string_value(lab));
    execution_display(
        x,
        bundle_table(t, "", _("%step LAB shows the step that is next, %progress LAB all of them.")),
        NULL, false);
    wb_table_free(t);
    return true;
}

static const char *state_of(const step_record *r) {
    return r->passed && r->tries == 0 ? _("✔ at once")
           : r->passed && r->shown    ? _("✔ solution")
           : r->passed                ? "✔"
           : r->tries > 0             ? _("begun")
                                      : "";
}

static bool show_lab(const magic_call *c, const char *lab) {
    SCOPED_LESSON lesson *l = open_lesson(c, lab);
    if (!l)
        return false;
    wb_table *t = wb_table_new();
    WB_SCOPED_BUF wb_buf bar = {0};
    static const char *const titles[] = {N_("step"), N_("name"),  N_("what it is"),
                                         "",         N_("wrong"), N_("hints")};
    for (size_t i = 0; i < WB_COUNT(titles); i++)
        wb_table_column(t, wb_tr(titles[i]), i == 0 || i > 3);
    WB_JSON_EACH(step, l->steps) {
        step_record r = progress_of(l->lab, wb_field_text(step, "name"));
        wb_table_row(t, false);
        wb_table_cell(t, "%zu", step_at + 1);
        wb_table_texts(t, wb_field_text(step, "name"), wb_field_text(step, "title"), state_of(&r));
        wb_table_cell(t, "%d", r.tries);
        wb_table_cell(t, "%d", r.hints);
    }
    put_bar(&bar, passed_of(l), lesson_count(l));
    wb_buf_printf(&bar, _(" %s: %zu of %zu steps"), l->lab, passed_of(l), lesson_count(l));
    execution_display(c->x, bundle_table(t, bar.data ? bar.data : "", ""), NULL, false);
    wb_table_free(t);
    return true;
}

bool magic_progress(magic_call *c) {
    if (c->n_words > 1)
        return magics_misuse(c, _("one lab at a time"));
    return c->n_words ? show_lab(c, c->words[0]) : show_labs(c->x);
}

/* ---- %%grade --------------------------------------------------------------------------------- */

void magics_note_grade(execution *x, const char *lab, double score, double most) {
    SCOPED_LESSON lesson *l = most > 0 ? lesson_find(lab, NULL) : NULL;
    for (size_t i = 0; l && i < lesson_count(l); i++) {
        place p = {.lesson = l, .step = lesson_step(l, i)};
        if (lesson_kind(p.step) != STEP_GRADE)
            continue;
        char answer[64];
        snprintf(answer, sizeof answer, "%g of %g", score, most);
        if (score >= wb_field_number(p.step, "share") * most - 1e-9)
            show_right(x, &p, wb_field_text(p.step, "right"));
        else
            note(x, &p, PROGRESS_WRONG, answer);
    }
}
