/* check.c: checks if a lab's points suit a class. */
#include "grader/author/author.h"
#include "grader/author/mutate.h"
#include "runtime/base/scoped.h"
#include "runtime/measure/table.h"

#include <math.h>

enum { MAX_FILES = 32 };
/* Shares of all points: the most that a starter may earn, the least difference between the first
 * and the last solution, and the most that a seed may change. */
static const double starter_share = 0.2, spread_share = 0.1, seed_share = 0.05;

typedef enum kind { STARTER, SOLUTION, RIVAL } kind;

/* A file of the lab, and its points over all seeds. */
typedef struct entry {
    kind kind;
    char *path, *name; /* "solutions/1_naive.cu" */
    double tests, least, most, speed;
    char *failed;  /* the first test that it fails, and why; or NULL */
    char *message; /* an error of the whole submission, or NULL */
} entry;

/* A mutant of the best solution that compiled. */
typedef struct tried {
    gr_mutant_kind kind;
    int line;
    char *text;   /* the changed line */
    bool noticed; /* a test fails */
} tried;

typedef struct checked {
    const gr_lab *lab;
    double of; /* all points */
    entry entries[MAX_FILES];
    size_t n;
    const entry *best; /* the last solution, if it passes all tests; else NULL */
    tried *mutants;
    size_t n_mutants, n_noticed;
    wb_buf fix; /* one line a finding */
    size_t to_fix;
} checked;

static WB_PRINTF(2, 3) void fix(checked *c, const char *format, ...) {
    char text[2000];
    WB_FORMAT_INTO(text, format);
    wb_buf_printf(&c->fix, "%s%s", c->to_fix ? "\n" : "", text);
    c->to_fix++;
}

/* ---- the lab's files ------------------------------------------------------------------------- */

static void add_file(checked *c, kind kind, const char *folder, const char *name) {
    entry *e = &c->entries[c->n];
    char *path = wb_format("%s/%s", folder, name);
    if (c->n < MAX_FILES && path && wb_file_exists(path)) {
        *e = (entry){.kind = kind, .path = path, .name = strdup(name)};
        c->n++;
        return;
    }
    free(path);
}

static void find_files(checked *c, const char *folder) {
    WB_SCOPED char *solutions = wb_format("%s/solutions", folder);
    WB_SCOPED_STRINGS wb_strings names = wb_dir_names(solutions ? solutions : "", ".cu");
    add_file(c, STARTER, folder, "starter.cu");
    for (size_t i = 0; i < names.n; i++) {
        WB_SCOPED char *name = wb_format("solutions/%s", names.v[i]);
        if (name)
            add_file(c, SOLUTION, folder, name);
    }
    if (c->lab->rival.kind == GR_RIVAL_SOURCE)
        add_file(c, RIVAL, folder, c->lab->rival.name);
}

/* ---- grading --------------------------------------------------------------------------------- */

static void note(entry *e, const gr_report *r, bool first) {
    double tests = 0;
    for (size_t i = 0; i < r->n_items; i++) {
        const gr_item *item = &r->items[i];
        tests += item->performance ? 0 : item->score;
        if (!item->performance && item->score < item->max && !e->failed)
            e->failed = wb_format("\"%s\": %.400s", item->name, item->output);
    }
    const json_t *speed = json_object_get(r->measured, "speed");
    e->speed = json_is_number(speed) ? json_number_value(speed) : NAN;
    if (*r->message && !e->message)
        e->message = strdup(r->message);
    e->tests = first ? tests : fmin(e->tests, tests);
    e->least = first ? r->score : fmin(e->least, r->score);
    e->most = first ? r->score : fmax(e->most, r->score);
}

static bool grade(checked *c, const gr_author_options *options, wb_error *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < c->n; i++)
        for (size_t s = 0; ok && s < options->seeds; s++) {
            gr_options grading = options->grading;
            gr_report report;
            grading.seed += s;
            grading.lab_source = c->entries[i].kind == RIVAL;
            ok = gr_grade(c->lab, c->entries[i].path, &grading, &report);
            if (ok)
                note(&c->entries[i], &report, s == 0);
            else
                wb_fail(err, 1, "%s", report.message);
            gr_report_free(&report);
        }
    return ok;
}

/* ---- mutants --------------------------------------------------------------------------------- */

/* Grades a mutant by the tests alone. One that does not compile does not count. */
static bool try_mutant(checked *c, const gr_mutant *m, const char *text, const char *path,
                       const gr_options *grading, wb_error *err) {
    tried one = {.kind = m->kind, .line = m->line};
    WB_SCOPED char *source = gr_mutant_source(m, text, &one.text);
    gr_report report = {.message = NULL};
    bool ok = source && wb_file_write_unsynced(path, source, strlen(source), err) &&
              (gr_grade(c->lab, path, grading, &report) || wb_fail(err, 1, "%s", report.message));
    wb_finding_kind kind = wb_finding_of(json_array_get(report.findings, 0));
    if (ok && !(kind >= WB_FOUND_NOT_COMPILED && kind <= WB_FOUND_FORBIDDEN)) {
        entry e = {.kind = SOLUTION};
        note(&e, &report, true);
        one.noticed = e.failed || e.message;
        WB_FREE(e.failed, e.message);
        if (WB_ADD(c->mutants, c->n_mutants, one)) {
            one.text = NULL;
            c->n_noticed += one.noticed;
        }
    }
    gr_report_free(&report);
    free(one.text);
    return ok;
}

static bool try_mutants(checked *c, const gr_author_options *options, wb_error *err) {
    for (size_t i = 0; i < c->n; i++)
        if (c->entries[i].kind == SOLUTION)
            c->best = c->entries[i].failed || c->entries[i].message ? NULL : &c->entries[i];
    if (!c->best || !options->mutants)
        return true;
    gr_options grading = options->grading;
    grading.only_tests = true;
    WB_SCOPED_BUF wb_buf text = {0};
    WB_SCOPED char *folder = wb_dir_temp("mutants", err);
    WB_SCOPED char *path = folder ? wb_format("%s/mutant.cu", folder) : NULL;
    bool ok = path && wb_file_read(c->best->path, 0, &text, err);
    gr_mutants all = {.v = NULL};
    if (ok)
        all = gr_mutants_of(c->lab, text.data, grading.seed);
    for (size_t i = 0; ok && i < all.n && c->n_mutants < options->mutants; i++)
        ok = try_mutant(c, &all.v[i], text.data, path, &grading, err);
    if (folder)
        wb_dir_remove(folder, NULL);
    gr_mutants_free(&all);
    return ok;
}

/* ---- judging -------------------------------------------------------------------------------- */

static void judge_starter(checked *c, const entry *starter) {
    if (!starter)
        fix(c, _("There is no starter.cu: what do students begin with?"));
    else if (starter->message)
        fix(c, _("starter.cu can't be graded: %s"), starter->message);
    else if (starter->most > starter_share * c->of)
        fix(c, _("starter.cu earns %.4g of %.4g points already: what is left to learn?"),
            starter->most, c->of);
}

static void judge_one(checked *c, const entry *e) {
    if (e->message)
        fix(c, _("%s can't be graded: %s"), e->name, e->message);
    else if (e->failed)
        fix(c, _("%s fails %s"), e->name, e->failed);
    else if (e->most - e->least > seed_share * c->of)
        fix(c,
            _("%s earns %.4g points by one seed and %.4g by another: sizes or values of the timed "
              "cases differ too much."),
            e->name, e->least, e->most);
}

/* Checks the solutions by name: points must rise from the first correct one to all points. */
static void judge_solutions(checked *c) {
    const entry *first = NULL, *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const entry *e = &c->entries[i];
        if (e->kind == STARTER)
            continue;
        judge_one(c, e);
        if (e->kind == RIVAL) /* it must be correct, but it is no step towards all points */
            continue;
        if (last && e->most + seed_share * c->of < last->most)
            fix(c, _("%s earns %.4g points, less than %s before it (%.4g)."), e->name, e->most,
                last->name, last->most);
        first = first ? first : e;
        last = e;
        n++;
    }
    if (n < 2)
        fix(c, _("There %s: at least two show whether points spread."),
            n ? _("is one solution") : _("are no solutions (solutions/*.cu)"));
    if (last && last->least < c->of - 1e-6)
        fix(c,
            _("The last solution, %s, earns %.4g of %.4g points: is \"full\" out of reach, or is "
              "there "
              "a better one?"),
            last->name, last->least, c->of);
    if (n >= 2 && last->most - first->most < spread_share * c->of)
        fix(c,
            _("Points do not spread: %s earns %.4g and %s %.4g. Put \"none\" near what the first "
              "right "
              "one comes to, and \"full\" near the best."),
            first->name, first->most, last->name, last->most);
}

static void judge(checked *c, const char *folder) {
    const entry *starter = NULL;
    WB_SCOPED char *readme = wb_format("%s/README.md", folder);
    for (size_t i = 0; i < c->n; i++)
        if (c->entries[i].kind == STARTER)
            starter = &c->entries[i];
    judge_starter(c, starter);
    judge_solutions(c);
    if (readme && !wb_file_exists(readme))
        fix(c, _("There is no README.md: where do students read what to do?"));
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Lists what the tests let pass. It may change nothing: so it is no fault of the lab by itself. */
static void write_mutants(const checked *c, wb_buf *out) {
    if (!c->n_mutants)
        return;
    wb_buf_printf(out, _("%zu mutants of %s, each with one small mistake: the tests notice %zu.\n"),
                  c->n_mutants, c->best->name, c->n_noticed);
    if (c->n_noticed < c->n_mutants)
        wb_buf_puts(out, _("They let these pass. Is a test missing, or does the change not "
                           "matter?\n"));
    for (size_t i = 0; i < c->n_mutants; i++)
        if (!c->mutants[i].noticed)
            wb_buf_printf(out, _("  line %d (%s): %s\n"), c->mutants[i].line,
                          wb_tr(gr_mutant_names[c->mutants[i].kind]), c->mutants[i].text);
}

static void write_table(const checked *c, wb_buf *out) {
    wb_table *table = wb_table_new();
    wb_table_columns(table, "lrrrr", _("file"), _("tests"), _("performance"), _("points"),
                     _("speed"));
    for (size_t i = 0; i < c->n; i++) {
        const entry *e = &c->entries[i];
        wb_table_row(table, false);
        wb_table_cell(table, "%s", e->name);
        wb_table_cell(table, "%.4g", e->tests);
        wb_table_cell(table, "%.4g", e->least - e->tests);
        if (e->most - e->least > 1e-9)
            wb_table_cell(table, _("%.4g to %.4g of %.4g"), e->least, e->most, c->of);
        else
            wb_table_cell(table, _("%.4g of %.4g"), e->least, c->of);
        if (isnan(e->speed))
            wb_table_cell(table, "-");
        else
            wb_table_cell(table, "%.3g", e->speed);
    }
    WB_SCOPED char *text = wb_table_text(table);
    wb_buf_printf(out, "%s: %s\n\n%s\n%s\n", c->lab->name, c->lab->title, text ? text : "",
                  c->to_fix ? c->fix.data : _("Points spread; nothing is to be fixed."));
    wb_table_free(table);
    write_mutants(c, out);
}

static void write_json(const checked *c, wb_buf *out) {
    json_t *files = json_array(), *list = json_array(), *mutants = json_array();
    for (size_t i = 0; i < c->n; i++) {
        const entry *e = &c->entries[i];
        json_array_append_new(
            files, json_pack("{s:s, s:f, s:f, s:f, s:f, s:o}", "file", e->name, "tests", e->tests,
                             "least", e->least, "most", e->most, "max_score", c->of, "speed",
                             isnan(e->speed) ? json_null() : json_real(e->speed)));
    }
    for (size_t i = 0; i < c->n_mutants; i++) {
        const tried *m = &c->mutants[i];
        json_array_append_new(mutants,
                              json_pack("{s:s, s:i, s:s, s:b}", "kind", gr_mutant_names[m->kind],
                                        "line", m->line, "text", m->text, "noticed", m->noticed));
    }
    for (char *line = c->fix.data; line && *line;) {
        size_t n = strcspn(line, "\n");
        json_array_append_new(list, json_stringn(line, n));
        line += n + (line[n] == '\n');
    }
    json_t *all = json_pack("{s:s, s:b, s:o, s:o, s:o}", "lab", c->lab->name, "fine",
                            c->to_fix == 0, "files", files, "fix", list, "mutants", mutants);
    WB_SCOPED char *text = wb_json_dump(all, JSON_INDENT(1));
    wb_buf_printf(out, "%s\n", text ? text : "{}");
}

bool gr_author_check(const gr_lab *lab, const gr_author_options *options, wb_buf *out, bool *fine,
                     wb_error *err) {
    bool gpu = options->grading.device.kind == WB_DEVICE_GPU;
    checked c = {.lab = lab, .of = gr_lab_max_score(lab, gpu)};
    WB_SCOPED char *folder = gr_lab_beside(lab, ".");
    if (folder)
        find_files(&c, folder);
    bool ok = folder && grade(&c, options, err) && try_mutants(&c, options, err);
    if (ok) {
        judge(&c, folder);
        *fine = c.to_fix == 0;
        (options->json ? write_json : write_table)(&c, out);
    }
    for (size_t i = 0; i < c.n; i++)
        WB_FREE(c.entries[i].path, c.entries[i].name, c.entries[i].failed, c.entries[i].message);
    for (size_t i = 0; i < c.n_mutants; i++)
        free(c.mutants[i].text);
    free(c.mutants);
    wb_buf_free(&c.fix);
    return ok;
}
