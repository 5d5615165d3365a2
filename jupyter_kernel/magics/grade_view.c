/* grade_view.c: see grade_view.h.
 *
 * The grader reports a mistake once for each size. Here, findings that differ only in sizes and
 * numbers become one diagnosis. Their place in the source must be the same. */
#include "jupyter_kernel/magics/grade_view.h"

#include <math.h>

#include "jupyter_kernel/execution/bundle.h"
#include "runtime/base/scoped.h"
#include "runtime/json/finding.h"

enum { MOST = 32 };

typedef struct diagnosis {
    const json_t *finding; /* the first of its findings */
    wb_finding_kind kind;
    wb_buf tests; /* the names of the tests */
    const json_t *last;
    size_t n_tests, runs;
    bool performance;
} diagnosis;

typedef struct diagnoses {
    diagnosis list[MOST];
    size_t n;
} diagnoses;

static bool is_performance(const json_t *test) {
    return strcmp(wb_field_text(test, "kind"), "performance") == 0;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Rounds points to a whole number. Returns the maximum only for full points. */
static int whole(double score, double max) {
    int points = (int)floor(score + 0.5);
    return score < max && points >= max ? (int)ceil(max) - 1 : points;
}

/* Tints green for full points, orange for none, fainter in between. */
static void tint(wb_table *t, double score, double max) {
    if (score >= max)
        wb_table_tint(t, WB_GREEN, 0.7);
    else
        wb_table_tint(t, WB_ORANGE, max > 0 ? 1 - 0.6 * score / max : 1);
}

static wb_table *points_table(const json_t *grade) {
    wb_table *t = wb_table_new();
    wb_table_columns(t, "lrl", _("test"), _("points"), "");
    WB_JSON_EACH(test, json_object_get(grade, "tests")) {
        double score = wb_field_number(test, "score"), max = wb_field_number(test, "max_score");
        wb_table_row(t, false);
        wb_table_cell(t, "%s", wb_tr(wb_field_text(test, "name")));
        wb_table_cell(t, _("%d of %g"), whole(score, max), max);
        wb_table_bar(t, score >= max ? WB_GREEN : WB_ORANGE, max > 0 ? score / max : 0);
        wb_table_cell(t, "%s", wb_tr(wb_field_text(test, "status")));
        tint(t, score, max);
    }
    return t;
}

/* ---- diagnoses ------------------------------------------------------------------------------- */

/* Returns true for a finding that adds nothing to the others, or only points elsewhere. */
static bool is_left_out(const diagnoses *all, bool performance, wb_finding_kind kind) {
    bool known = performance && all->n > 0 && !all->list[0].performance;
    return kind == WB_FOUND_CAUSE_ELSEWHERE || (known && kind < WB_FOUND_RIGHT_FIRST);
}

static void add(diagnoses *all, const json_t *test, const json_t *finding) {
    wb_finding_kind kind = wb_finding_of(finding);
    bool performance = is_performance(test);
    size_t i = 0;
    bool alone =
        kind == WB_FOUND_TIME || kind == WB_FOUND_NO_TIME; /* these have sizes of their own */
    while (i < all->n && (alone || all->list[i].performance != performance ||
                          !wb_finding_alike(all->list[i].finding, finding, true)))
        i++;
    if (i == MOST || is_left_out(all, performance, kind))
        return;
    diagnosis *d = &all->list[i];
    if (i == all->n)
        all->list[all->n++] =
            (diagnosis){.finding = finding, .kind = kind, .performance = performance};
    d->runs += kind == WB_FOUND_NO_RACE ? 1 : (size_t)wb_field_int(finding, "runs");
    if (d->last != test) {
        wb_buf_printf(&d->tests, "%s%s", d->n_tests ? _(", ") : "",
                      wb_tr(wb_field_text(test, "name")));
        d->n_tests++;
        d->last = test;
    }
}

static void find_all(diagnoses *all, const json_t *grade) {
    WB_JSON_EACH(test, json_object_get(grade, "tests"))
    WB_JSON_EACH(finding, json_object_get(test, "findings")) add(all, test, finding);
}

/* Returns true if b must come before a. Performance comes last, in the grader's order. Before it
 * come causes, then the diagnosis of most runs. */
static bool comes_before(const diagnosis *b, const diagnosis *a) {
    bool cause = wb_finding_explains(b->finding);
    if (b->performance || a->performance)
        return a->performance && !b->performance;
    return cause != wb_finding_explains(a->finding) ? cause : b->runs > a->runs;
}

static void sort(diagnoses *all) {
    for (size_t i = 1; i < all->n; i++)
        for (size_t k = i; k > 0; k--) {
            diagnosis *a = &all->list[k - 1], *b = &all->list[k], other = *a;
            if (!comes_before(b, a))
                break;
            *a = *b;
            *b = other;
        }
}

static void free_all(diagnoses *all) {
    for (size_t i = 0; i < all->n; i++)
        wb_buf_free(&all->list[i].tests);
}

/* Returns where it was found: "2 tests, 4 runs: sizes that fit no block, no races". malloc'd. */
static char *explains(const diagnosis *f) {
    const char *tests = f->tests.data ? f->tests.data : "";
    if (f->performance)
        return strdup(tests);
    return wb_format(_("%zu test%s, %zu run%s: %s"), f->n_tests, f->n_tests == 1 ? "" : "s",
                     f->runs, f->runs == 1 ? "" : "s", tests);
}

/* Counts the longest launches. If there is only one, its size need not be shown. */
static size_t count_longest(const diagnoses *all) {
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        n += all->list[i].kind == WB_FOUND_LONGEST;
    return n;
}

/* Returns the text of a diagnosis with a size at which it was seen. A time or a criterion has the
 * size or its name in front. The caller frees it. */
static char *said(const diagnoses *all, const diagnosis *f) {
    const char *text = wb_field_text(f->finding, "text"), *name = wb_field_text(f->finding, "name");
    const char *size = json_string_value(json_array_get(json_object_get(f->finding, "sizes"), 0));
    if (f->performance && f->kind != WB_FOUND_LONGEST && (size || *name))
        return wb_format("%s: %s", size ? size : wb_tr(name), text);
    if (!size || (f->kind == WB_FOUND_LONGEST && count_longest(all) < 2))
        return strdup(text);
    return wb_format(_("%s (at %s)"), text, size);
}

static wb_table *findings_table(const diagnoses *all) {
    wb_table *t = all->n ? wb_table_new() : NULL;
    wb_table_columns(t, "ll", _("what was found"), _("it explains"));
    for (size_t i = 0; i < all->n; i++) {
        const diagnosis *f = &all->list[i];
        WB_SCOPED char *what = said(all, f), *where = explains(f);
        wb_table_row(t, false);
        wb_table_texts(t, what ? what : "", where ? where : "");
    }
    return t;
}

/* ---- next step ------------------------------------------------------------------------------- */

/* Returns a sentence about the next step, or NULL. The caller frees it. */
static char *next_step(const json_t *grade, const diagnoses *all) {
    double score = wb_field_number(grade, "score"), max = wb_field_number(grade, "max_score");
    size_t failed = 0;
    WB_JSON_EACH(test, json_object_get(grade, "tests")) {
        failed += !is_performance(test) &&
                  wb_field_number(test, "score") < wb_field_number(test, "max_score");
    }
    if (all->n > 0 && !all->list[0].performance && failed > 0)
        return wb_format(_("Next: fix the first finding, which explains %zu of the %zu correctness "
                           "tests that lost points, and grade again. Speed comes after that."),
                         all->list[0].n_tests, failed);
    const diagnosis *cause =
        NULL; /* the advice: the longest launch's own cause only if there is no other */
    for (size_t i = 0; i < all->n; i++) {
        const diagnosis *d = &all->list[i];
        bool advice = d->kind == WB_FOUND_COUNT || d->kind == WB_FOUND_HELD;
        if ((advice && (!cause || cause->kind == WB_FOUND_LONGEST)) ||
            (d->kind == WB_FOUND_LONGEST && !cause))
            cause = d;
    }
    if (cause) {
        WB_SCOPED char *what = said(all, cause);
        return wb_format(_("Next: %s"), what ? what : "");
    }
    if (max > 0 && score >= max)
        return strdup(_("All points: nothing is left to fix here."));
    return NULL;
}

/* ---- the bundle ------------------------------------------------------------------------------ */

static char *heading(const json_t *grade) {
    const char *message = wb_field_text(grade, "message");
    /* A student may expect kernels of other cells to be known here. */
    const json_t *finding = json_array_get(json_object_get(grade, "findings"), 0);
    const char *alone = wb_finding_of(finding) == WB_FOUND_UNDEFINED_NAME
                            ? _("\nThe cell is graded by itself: what other cells define or "
                                "include is not seen.")
                            : "";
    double max = wb_field_number(grade, "max_score");
    return wb_format(_("%s on %s: %d of %g points%s%s%s"), wb_field_text(grade, "lab"),
                     wb_field_text(grade, "device"), whole(wb_field_number(grade, "score"), max),
                     max, *message ? "\n" : "", message, alone);
}

/* Writes one line a diagnosis, because plain text has no wrapping cells. */
static void put_lines(wb_buf *out, const diagnoses *all) {
    for (size_t i = 0; i < all->n; i++) {
        WB_SCOPED char *what = said(all, &all->list[i]), *where = explains(&all->list[i]);
        wb_buf_printf(out, "%s: %s\n", where ? where : "", what ? what : "");
    }
}

static char *again_words(const json_t *grade) {
    return wb_format(_("The same inputs again: %%%%grade %s --seed %s"),
                     wb_field_text(grade, "lab"), wb_field_text(grade, "seed"));
}

json_t *grade_view(const json_t *grade) {
    diagnoses all = {.n = 0};
    find_all(&all, grade);
    sort(&all);
    WB_SCOPED char *head = heading(grade), *next = next_step(grade, &all),
                   *again = again_words(grade);
    WB_SCOPED_BUF wb_buf lines = {0}, html = {0};
    put_lines(&lines, &all);
    wb_buf_printf(&lines, "%s%s%s", next ? next : "", next ? "\n" : "", again ? again : "");
    wb_table *points = points_table(grade), *found = findings_table(&all);
    json_t *bundle = bundle_table(points, head ? head : "", lines.data ? lines.data : "");
    WB_SCOPED_JSON json_t *page = bundle_table(points, head ? head : "", "");
    WB_SCOPED_JSON json_t *rest = bundle_table(found, "", next ? next : "");
    wb_buf_printf(&html, "%s%s", wb_field_text(page, "text/html"),
                  wb_field_text(rest, "text/html"));
    json_object_set_new(bundle, "text/html", json_string(html.data ? html.data : ""));
    wb_table_free(points);
    wb_table_free(found);
    free_all(&all);
    return bundle;
}

json_t *grade_result(const json_t *grade) {
    WB_SCOPED char *again = again_words(grade);
    WB_SCOPED_BUF wb_buf html = {0};
    wb_buf_markupf(&html, "<p>%s</p>\n", again ? again : "");
    return json_pack("{s:o, s:s}", "text/plain",
                     json_sprintf("%g", wb_field_number(grade, "score")), "text/html",
                     html.data ? html.data : "");
}
