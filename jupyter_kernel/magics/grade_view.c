/* grade_view.c: see grade_view.h.
 *
 * The grader says of each size what was wrong at it ("rows=33, cols=65: out-of-bounds write ..."):
 * ten sizes that one mistake fails are ten lines. Here lines that differ in numbers alone are one
 * diagnosis; numbers that name a place in the source ("cell [1]:4", "line 4") do count. */
#include "jupyter_kernel/magics/grade_view.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/execution/bundle.h"
#include "runtime/base/base.h"
#include "runtime/base/language.h"
#include "runtime/json/fields.h"

enum { MOST_FINDINGS = 32 };

typedef struct finding {
    char *text, *key; /* malloc'd; the key: without its numbers */
    char *example;    /* the first size it was seen at, malloc'd; NULL: none, or a hidden one */
    wb_buf tests;     /* their names */
    size_t n_tests, runs;
    bool performance;
    bool cause; /* a race, or a read of what nobody wrote: wrong results may follow from it */
} finding;

static bool is_performance(const json_t *test) {
    return strcmp(wb_field_text(test, "kind"), "performance") == 0;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Whole, and all of them only where all were given. */
static int whole(double score, double max) {
    int points = (int)floor(score + 0.5);
    return score < max && points >= max ? (int)ceil(max) - 1 : points;
}

/* Green: all points; orange: none; between them fainter. */
static void tint(wb_table *t, double score, double max) {
    if (score >= max)
        wb_table_tint(t, WB_GREEN, 0.7);
    else
        wb_table_tint(t, WB_ORANGE, max > 0 ? 1 - 0.6 * score / max : 1);
}

static wb_table *points_table(const json_t *grade) {
    wb_table *t = wb_table_new();
    wb_table_column(t, "test", false);
    wb_table_column(t, "points", true);
    wb_table_column(t, "", false);
    const json_t *test;
    size_t i;
    json_array_foreach(json_object_get(grade, "tests"), i, test) {
        double score = wb_field_number(test, "score"), max = wb_field_number(test, "max_score");
        wb_table_row(t, false);
        wb_table_cell(t, "%s", wb_tr(wb_field_text(test, "name")));
        wb_table_cell(t, "%d of %g", whole(score, max), max);
        wb_table_bar(t, score >= max ? WB_GREEN : WB_ORANGE, max > 0 ? score / max : 0);
        wb_table_cell(t, "%s", wb_tr(wb_field_text(test, "status")));
        tint(t, score, max);
    }
    return t;
}

/* ---- diagnoses ------------------------------------------------------------------------------- */

/* "rows=33, cols=65: " of a line: its length; 0: there is none. */
static size_t size_prefix(const char *line) {
    const char *p = line;
    for (;;) {
        const char *name = p;
        while (isalnum((unsigned char)*p) || *p == '_')
            p++;
        if (p == name || *p != '=')
            return 0;
        p += 1 + strcspn(p + 1, ",: \n");
        if (strncmp(p, ": ", 2) == 0)
            return (size_t)(p + 2 - line);
        if (strncmp(p, ", ", 2) != 0)
            return 0;
        p += 2;
    }
}

/* "2 of 5 hidden sizes: " of a line, in the reader's language: its length, and how many; 0: there
 * is none. */
static size_t hidden_prefix(const char *line, size_t *runs) {
    const char *format = wb_tr("%zu of %zu hidden sizes"); /* grader/score/points.c */
    size_t n = 0, all = 0;
    char words[120];
    bool found = sscanf(line, format, &n, &all) == 2;
    snprintf(words, sizeof words, format, n, all);
    if (!found || strncmp(line, words, strlen(words)) != 0 ||
        strncmp(line + strlen(words), ": ", 2) != 0)
        return 0;
    *runs = n;
    return strlen(words) + 2;
}

static bool names_a_place(const char *text, const char *at) {
    return at > text && (at[-1] == ':' || (at - text >= 5 && strncmp(at - 5, "line ", 5) == 0) ||
                         (at - text >= 4 && strncmp(at - 4, "第 ", 4) == 0));
}

/* The text with '#' for each number, and "cell [3]:4" as it is; one element is as many. malloc'd.
 */
static char *without_numbers(const char *text) {
    wb_buf key = {0};
    for (const char *p = text; *p;) {
        bool begins = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
        bool sign = *p == '-' && isdigit((unsigned char)p[1]);
        if (!begins || !(isdigit((unsigned char)*p) || sign) || names_a_place(text, p)) {
            bool plural = *p == 's' && p - text >= 7 && strncmp(p - 7, "element", 7) == 0;
            if (!plural)
                wb_buf_putc(&key, *p);
            p++;
            continue;
        }
        for (p += sign; isalnum((unsigned char)*p) || *p == '.' || *p == ',';)
            p += p[0] == 'e' && (p[1] == '-' || p[1] == '+') ? 2 : 1;
        wb_buf_putc(&key, '#');
    }
    return wb_buf_steal(&key);
}

/* Does a text begin as a sentence of the grader's does in the reader's language, up to its first
 * value? */
static bool begins(const char *text, const char *sentence) {
    const char *told = wb_tr(sentence);
    told += strspn(told, " \n");
    return strncmp(text, told, strcspn(told, "%")) == 0;
}

typedef struct findings {
    finding list[MOST_FINDINGS];
    size_t n;
} findings;

/* Takes text over. */
static void add(findings *all, const json_t *test, char *text, char *example, size_t runs) {
    char *key = text ? without_numbers(text) : NULL;
    bool performance = is_performance(test);
    size_t i = 0;
    while (key && i < all->n &&
           (strcmp(all->list[i].key, key) != 0 || all->list[i].performance != performance))
        i++;
    if (!key || i == MOST_FINDINGS) {
        WB_FREE(text, key, example);
        return;
    }
    finding *f = &all->list[i];
    if (i == all->n) {
        bool cause = !performance &&
                     (begins(text, WB_N("race")) || begins(text, WB_N("uninitialised read")));
        all->list[all->n++] = (finding){.text = text,
                                        .key = key,
                                        .example = example,
                                        .performance = performance,
                                        .cause = cause};
    } else {
        WB_FREE(text, key, example);
    }
    const char *name = wb_tr(wb_field_text(test, "name"));
    f->runs += runs;
    if (!f->tests.data || !strstr(f->tests.data, name)) {
        wb_buf_printf(&f->tests, "%s%s", f->n_tests ? wb_tr(", ") : "", name);
        f->n_tests++;
    }
}

/* What grader/score says of the launch that takes longest, of the whole, of speed where results are
 * wrong, and of wrong results where there is a race: such come first here. */
#define LONGEST " The longest launch is %.*s, "
#define SPEED "\nThat is %.3g of the reference's speed%s; full marks need %.3g."
#define WRONG "Performance counts for right results only."
#define CAUSE "The test \"%s\" names a cause: mend that first."

/* What is said of all sizes of a performance run is one diagnosis, the times are one each. */
static void add_line(findings *all, const json_t *test, const char *line, size_t len) {
    const char *longest = wb_tr(LONGEST);
    char cause[120];
    snprintf(cause, sizeof cause, "%.*s", (int)strcspn(longest, "%"), longest);
    char *copy = strndup(line, len);
    size_t runs = 1, sized = copy ? size_prefix(copy) : 0;
    size_t prefix = sized ? sized : copy ? hidden_prefix(copy, &runs) : 0;
    if (!copy || !*copy || begins(copy, CAUSE)) {
        free(copy);
        return;
    }
    if (begins(copy, WRONG) && all->n) /* why has been told */
        copy[strlen(wb_tr(WRONG))] = '\0';
    char *why = is_performance(test) && sized ? strstr(copy, cause) : NULL;
    if (why) {
        add(all, test, strdup(why + (*why == ' ')), strndup(copy, sized - 2), 0);
        *why = '\0';
    }
    if (is_performance(test))
        add(all, test, strdup(copy), NULL, 0);
    else
        add(all, test, strdup(copy + prefix), sized ? strndup(copy, sized - 2) : NULL, runs);
    free(copy);
}

/* Of launches the sizes are told where these differ. */
static void forget_only_size(findings *all) {
    finding *found = NULL;
    for (size_t i = 0; i < all->n; i++)
        if (begins(all->list[i].text, LONGEST)) {
            if (found)
                return;
            found = &all->list[i];
        }
    if (found) {
        free(found->example);
        found->example = NULL;
    }
}

static void find_all(findings *all, const json_t *grade) {
    const json_t *test;
    size_t i;
    json_array_foreach(json_object_get(grade, "tests"), i, test) {
        const char *output = wb_field_text(test, "output");
        for (size_t len; *output; output += len + (output[len] == '\n')) {
            len = strcspn(output, "\n");
            add_line(all, test, output, len);
        }
    }
    forget_only_size(all);
}

/* Does a diagnosis belong before the other? What is said of the speed comes last, and as the grader
 * has it; causes come first, then what explains most. */
static bool comes_before(const finding *b, const finding *a) {
    if (b->performance || a->performance)
        return a->performance && !b->performance;
    return b->cause != a->cause ? b->cause : b->runs > a->runs;
}

static void sort(findings *all) {
    for (size_t i = 1; i < all->n; i++)
        for (size_t k = i; k > 0; k--) {
            finding *a = &all->list[k - 1], *b = &all->list[k], other = *a;
            if (!comes_before(b, a))
                break;
            *a = *b;
            *b = other;
        }
}

static void free_all(findings *all) {
    for (size_t i = 0; i < all->n; i++) {
        WB_FREE(all->list[i].text, all->list[i].key, all->list[i].example);
        wb_buf_free(&all->list[i].tests);
    }
}

/* "2 tests, 4 runs: sizes that fit no block, no races"; malloc'd. */
static char *explains(const finding *f) {
    const char *tests = f->tests.data ? f->tests.data : "";
    if (f->performance)
        return strdup(tests);
    return wb_format("%zu test%s, %zu run%s: %s", f->n_tests, f->n_tests == 1 ? "" : "s", f->runs,
                     f->runs == 1 ? "" : "s", tests);
}

static char *said(const finding *f) {
    return f->example ? wb_format("%s (at %s)", f->text, f->example) : strdup(f->text);
}

static wb_table *findings_table(const findings *all) {
    wb_table *t = all->n ? wb_table_new() : NULL;
    wb_table_column(t, "what was found", false);
    wb_table_column(t, "it explains", false);
    for (size_t i = 0; i < all->n; i++) {
        const finding *f = &all->list[i];
        char *what = said(f), *where = explains(f);
        wb_table_row(t, false);
        wb_table_cell(t, "%s", what ? what : "");
        wb_table_cell(t, "%s", where ? where : "");
        WB_FREE(what, where);
    }
    return t;
}

/* ---- what to try next ------------------------------------------------------------------------ */

/* Of what is said of the speed, what to do: neither a time nor how it is scored. */
static bool is_advice(const finding *f) {
    return f->performance && size_prefix(f->text) == 0 && !begins(f->text, SPEED);
}

/* malloc'd; NULL: there is nothing to say. */
static char *next_step(const json_t *grade, const findings *all) {
    double score = wb_field_number(grade, "score"), max = wb_field_number(grade, "max_score");
    size_t failed = 0, i;
    const json_t *test;
    json_array_foreach(json_object_get(grade, "tests"), i, test) {
        failed += !is_performance(test) &&
                  wb_field_number(test, "score") < wb_field_number(test, "max_score");
    }
    if (all->n > 0 && !all->list[0].performance && failed > 0)
        return wb_format("Next: mend the first reason, which explains %zu of the %zu tests of "
                         "results that lost points, and grade again; speed comes after them.",
                         all->list[0].n_tests, failed);
    const finding *cause = NULL;
    for (i = 0; i < all->n; i++) { /* the launch's own cause where there is no other */
        bool launch = begins(all->list[i].text, LONGEST);
        if (is_advice(&all->list[i]) && (!cause || begins(cause->text, LONGEST)) &&
            !(launch && cause))
            cause = &all->list[i];
    }
    if (cause)
        return wb_format("Next: %s", cause->text);
    if (max > 0 && score >= max)
        return strdup(wb_tr("All points: nothing is left to mend here."));
    return NULL;
}

/* ---- the bundle ------------------------------------------------------------------------------ */

static char *heading(const json_t *grade) {
    const char *message = wb_field_text(grade, "message");
    /* kernels that live on in the session are what a student may think of */
    const char *alone = strstr(message, "is undefined")
                            ? wb_tr("\nThe cell is graded by itself: what other cells define or "
                                    "include is not seen.")
                            : "";
    double max = wb_field_number(grade, "max_score");
    return wb_format("%s on %s: %d of %g points%s%s%s", wb_field_text(grade, "lab"),
                     wb_field_text(grade, "device"), whole(wb_field_number(grade, "score"), max),
                     max, *message ? "\n" : "", message, alone);
}

/* Plain text has no cells that wrap: a line a diagnosis. */
static void put_lines(wb_buf *out, const findings *all) {
    for (size_t i = 0; i < all->n; i++) {
        char *what = said(&all->list[i]), *where = explains(&all->list[i]);
        wb_buf_printf(out, "%s: %s\n", where ? where : "", what ? what : "");
        WB_FREE(what, where);
    }
}

json_t *grade_view(const json_t *grade) {
    findings all = {.n = 0};
    find_all(&all, grade);
    sort(&all);
    char *head = heading(grade), *next = next_step(grade, &all);
    char *again = wb_format("The same inputs again: %%%%grade %s --seed %s",
                            wb_field_text(grade, "lab"), wb_field_text(grade, "seed"));
    char *end = wb_format("%s%s%s", next ? next : "", next ? "\n" : "", again ? again : "");
    wb_buf lines = {0}, html = {0};
    put_lines(&lines, &all);
    wb_buf_printf(&lines, "%s", end ? end : "");
    wb_table *points = points_table(grade), *found = findings_table(&all);
    json_t *bundle = bundle_table(points, head ? head : "", lines.data ? lines.data : "");
    json_t *page = bundle_table(points, head ? head : "", "");
    json_t *rest = bundle_table(found, "", end ? end : "");
    wb_buf_printf(&html, "%s%s", wb_field_text(page, "text/html"),
                  wb_field_text(rest, "text/html"));
    json_object_set_new(bundle, "text/html", json_string(html.data ? html.data : ""));
    json_decref(page);
    json_decref(rest);
    wb_buf_free(&html);
    wb_buf_free(&lines);
    wb_table_free(points);
    wb_table_free(found);
    WB_FREE(head, next, again, end);
    free_all(&all);
    return bundle;
}
