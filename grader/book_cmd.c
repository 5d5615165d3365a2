/* book_cmd.c: `warpbook book`: shows and changes the gradebook of a class. */
#include "grader/book/class.h"
#include "grader/book/digest.h"
#include "grader/book/entry.h"
#include "grader/book/roster.h"
#include "grader/feedback/pages.h"
#include "grader/feedback/view.h"
#include "runtime/base/scoped.h"
#include "runtime/cli/cli.h"

#include <errno.h>
#include <time.h>

/* The words of a call, as text, because the book keeps a teacher's decision as it was typed. */
typedef struct words {
    char **plain; /* the subcommand first */
    int n;
    const char *due, *grace, *penalty, *days, *counts, *free_days, *ranks, *lab, *output;
    const char *points, *comment, *extension, *handed_in;
    bool json;
} words;

static words asked;

static bool keep_time(const char *text, void *target) {
    int64_t at;
    *(const char **)target = text;
    return gr_time_read(text, &at);
}

static bool keep_points(const char *text, void *target) {
    char *end;
    double points = strtod(text, &end);
    *(const char **)target = text;
    return strcmp(text, "none") == 0 || (*text && !*end && points >= 0 && points <= 1e6);
}

#define WB_RECORD words
#define RULE .only = "rules"
#define OVERRIDE .only = "override"
#define TIME .read = keep_time, .wants = N_("a time, as in 2026-11-30 23:59")
#define DAYS .least = 0, .most = 10000

static const wb_option options[] = {
    WB_OPTION("--due", READ, due, "TIME", "when the lab is due", TIME, RULE),
    WB_OPTION("--grace", NUMBER, grace, "MINUTES", "minutes after it that are not late", .least = 0,
              .most = 100000, RULE),
    WB_OPTION("--penalty", NUMBER, penalty, "PERCENT",
              "share of the points that each begun day late costs", .least = 0, .most = 100, RULE),
    WB_OPTION("--days", NUMBER, days, "N", "a submission more than N days late counts nothing",
              DAYS, RULE),
    WB_OPTION("--counts", WORD, counts, "last|best", "which of several submissions counts", RULE),
    WB_OPTION("--free-days", NUMBER, free_days, "N",
              "late days that each student has for all labs together without a penalty", DAYS,
              RULE),
    WB_OPTION("--ranks", WORD, ranks, "yes|no", "students see their rank on their page", RULE),
    WB_OPTION_JSON(json, .only = "show"),
    WB_OPTION("--lab", TEXT, lab, "LAB", "this lab alone", .only = "export feedback"),
    WB_OPTION("--output", TEXT, output, "CSV", "the file (default: stdout)", .only = "export"),
    WB_OPTION("--points", READ, points, "P|none",
              "the points, or none for those that the rules give", .read = keep_points,
              .wants = N_("none or a number from 0 to 1e6"), OVERRIDE),
    WB_OPTION("--comment", TEXT, comment, "TEXT", "a comment for the student", OVERRIDE),
    WB_OPTION("--extension", NUMBER, extension, "DAYS", "days that the due time is later", DAYS,
              OVERRIDE),
    WB_OPTION("--handed-in", READ, handed_in, "TIME", "when the last submission was handed in",
              TIME, OVERRIDE),
    {0}};

static int run(int argc, char **argv);

WB_COMMAND(book_command){
    .name = "book",
    .usage = "roster|rules|show|export|override|feedback FILE ...",
    .summary = N_("keeps the gradebook of a class: roster, late days, overrides, feedback"),
    .help = N_(
        "`warpbook grade LAB SUBMISSION... --book FILE` puts submissions and results into it.\n\n"
        "book roster FILE CSV takes the students of a CSV: a column id (or student, username, "
        "login), and name, email, section if there are such columns.\n"
        "book rules FILE [LAB] shows the rules, or changes them.\n"
        "book show FILE [LAB | STUDENT] shows the points of the class: ! set by the teacher, * "
        "graded by an earlier lab, ? not graded, - nothing handed in.\n"
        "book export FILE writes a line for each student, with a column for each test.\n"
        "book override FILE STUDENT LAB lets the teacher's decision replace a computed value.\n"
        "book feedback FILE FOLDER writes students/ID.html and students/ID.md for each student. "
        "For the teacher it writes LAB.html (distribution, mistakes, similar submissions) and "
        "LAB.csv.\n\n"
        "TIME is 2026-11-30, 2026-11-30 23:59 (local) or 2026-11-30T22:59Z."),
    .order = 51,
    .options = options,
    .record = &asked,
    .run = run,
};

static int fail(const wb_error *err) {
    WB_SCOPED char *told = gr_valid_text(strdup(err->text), sizeof err->text);
    fprintf(stderr, "warpbook book: %s\n", told ? told : _("out of memory"));
    return WB_EXIT_MACHINE;
}

/* ---- roster --------------------------------------------------------------------------------- */

static int run_roster(const words *w) {
    if (w->n != 3)
        return wb_cli_usage(&book_command, _("roster takes a gradebook and a CSV"));
    wb_error err = {0};
    gr_roster_news news;
    gr_book *book = NULL; /* not yet: a refused roster must not leave a new book */
    bool ok = gr_roster_read(NULL, w->plain[2], &news, &err) &&
              (book = gr_book_open(w->plain[1], true, &err)) &&
              gr_roster_read(book, w->plain[2], &news, &err);
    if (ok) {
        if (news.warning)
            fprintf(stderr, "warpbook book: %s\n", news.warning);
        printf(
            _("%zu students are new, %zu changed, %zu as they were; %zu of the gradebook are not "
              "on this roster\n"),
            news.added, news.changed, news.kept, news.missing);
        free(news.warning);
    }
    gr_book_close(book);
    return ok ? WB_EXIT_DONE : fail(&err);
}

/* ---- rules ---------------------------------------------------------------------------------- */

/* Adds a lab that has no submission yet to the book, so that it can have rules. */
static bool know_lab(gr_book *book, const char *name, wb_error *err) {
    int64_t known = 0;
    if (!gr_book_number(book, err, &known, "SELECT 1 FROM labs WHERE lab=?", "s", name) || known)
        return known;
    gr_lab *lab = gr_lab_find(name, err);
    char of[WB_SHA256_TEXT];
    bool ok = lab && gr_lab_digest(lab->path, false, of, err) &&
              gr_entry_lab(book, lab, of, gr_lab_max_score(lab, false), err);
    if (ok && strcmp(lab->name, name) != 0)
        ok = wb_fail(err, 1, _("the lab in %s is named %s; use that name"), name, lab->name);
    gr_lab_free(lab);
    return ok;
}

static bool set_rules(gr_book *book, const words *w, wb_error *err) {
    const char *lab = w->plain[2];
    const struct {
        const char *value, *sql;
        double unit;
    } numbers[] = {{w->grace, "UPDATE labs SET grace=? WHERE lab=?", 60},
                   {w->penalty, "UPDATE labs SET penalty=? WHERE lab=?", 1},
                   {w->days, "UPDATE labs SET days=? WHERE lab=?", 1}};
    int64_t due;
    bool ok = true;
    for (size_t i = 0; ok && i < WB_COUNT(numbers); i++)
        if (numbers[i].value)
            ok = gr_book_run(book, err, numbers[i].sql, "fs",
                             strtod(numbers[i].value, NULL) * numbers[i].unit, lab);
    if (ok && w->due && gr_time_read(w->due, &due))
        ok = gr_book_run(book, err, "UPDATE labs SET due=? WHERE lab=?", "is", due, lab);
    if (ok && w->counts)
        ok = gr_book_run(book, err, "UPDATE labs SET best=? WHERE lab=?", "is",
                         (int64_t)(strcmp(w->counts, "best") == 0), lab);
    if (ok && w->free_days)
        ok = gr_book_run(book, err, "INSERT OR REPLACE INTO course VALUES('free_days', ?)", "i",
                         (int64_t)strtod(w->free_days, NULL));
    if (ok && w->ranks)
        ok = gr_book_run(book, err, "INSERT OR REPLACE INTO course VALUES('ranks', ?)", "i",
                         (int64_t)(strcmp(w->ranks, "yes") == 0));
    return ok;
}

static void print_rules(const gr_class *class) {
    char due[GR_TIME_TEXT];
    printf(_("Late days that cost nothing, for all labs together: %lld\n"),
           (long long)class->free_days);
    for (size_t i = 0; i < class->n_labs; i++) {
        const gr_rules *r = &class->labs[i].rules;
        printf("%s: ", class->labs[i].name);
        if (r->has_due)
            printf(_("due %s (%lld minutes of grace), %g %% of the points a day late"),
                   gr_time_text(r->due, due), (long long)r->grace / 60, r->penalty);
        else
            printf(_("no due time"));
        if (r->days >= 0)
            printf(_(", nothing after %lld days"), (long long)r->days);
        printf(_("; of several submissions the %s one counts\n"), r->best ? "best" : "last");
    }
}

static int run_rules(const words *w) {
    bool of_lab = w->due || w->grace || w->penalty || w->days || w->counts;
    if (of_lab && w->n < 3)
        return wb_cli_usage(
            &book_command,
            _("of these rules only --free-days and --ranks are for all labs: name the "
              "lab"));
    wb_error err = {0};
    gr_book *book = gr_book_open(w->plain[1], false, &err);
    gr_class *class = NULL;
    bool begun = book && gr_book_begin(book, &err);
    bool ok = begun && (w->n < 3 || know_lab(book, w->plain[2], &err)) && set_rules(book, w, &err);
    if (begun)
        ok = gr_book_end(book, ok, ok ? &err : NULL);
    if (ok && (class = gr_class_read(book, &err)))
        print_rules(class);
    gr_book_close(book);
    int status = ok && class ? WB_EXIT_DONE : fail(&err);
    gr_class_free(class);
    return status;
}

/* ---- show, export --------------------------------------------------------------------------- */

typedef struct open_class {
    gr_book *book;
    gr_class *class;
    gr_view *views; /* of the wanted labs */
    size_t n;
} open_class;

static void close_class(open_class *c) {
    for (size_t i = 0; i < c->n; i++)
        gr_view_free(&c->views[i]);
    free(c->views);
    gr_class_free(c->class);
    gr_book_close(c->book);
}

/* Reads the class with the reports of all labs, or of one. */
static bool read_class(const char *path, const char *lab, open_class *c, wb_error *err) {
    *c = (open_class){.book = gr_book_open(path, false, err)};
    c->class = c->book ? gr_class_read(c->book, err) : NULL;
    long only_lab = c->class && lab ? gr_class_lab(c->class, lab, err) : -1;
    bool ok = c->class && (!lab || only_lab >= 0);
    if (ok && !(c->views = calloc(c->class->n_labs + 1, sizeof *c->views)))
        ok = wb_fail(err, 1, _("out of memory"));
    for (size_t l = 0; ok && l < c->class->n_labs; l++)
        if (!lab || (long)l == only_lab)
            ok = gr_view_make(c->class, l, &c->views[c->n++], err);
    return ok;
}

static void print_student(const open_class *c, size_t student) {
    const gr_student *who = &c->class->students[student];
    char time[GR_TIME_TEXT];
    printf("%s%s%s\n", who->id, *who->name ? ", " : "", who->name);
    for (size_t v = 0; v < c->n; v++) {
        const gr_standing *is = gr_view_standing(&c->views[v], student);
        const gr_book_lab *lab = &c->class->labs[c->views[v].lab];
        printf("\n%s: ", lab->name);
        if (is->report || is->overridden)
            printf(_("%.4g of %.4g points%s\n"), is->points, lab->max_score,
                   is->overridden ? _(", by the teacher") : "");
        else
            printf("%s\n", is->submission ? _("not graded yet") : _("nothing was handed in"));
        if (is->submission)
            printf(_("  handed in %s (%zu in all): %s\n"), gr_time_text(is->at, time),
                   is->n_submissions, is->path);
        if (is->report)
            printf(_("  earned %.4g, %lld days late, %lld of them free; seed %s on %s by %s%s\n"),
                   is->earned, (long long)is->late, (long long)is->free, is->seed, is->device,
                   is->version, is->stale ? _("; graded by an earlier lab") : "");
        if (is->extension)
            printf(_("  extended by %lld days\n"), (long long)is->extension);
        if (is->comment)
            printf(_("  comment: %s\n"), is->comment);
    }
}

static void print_json(json_t *json) {
    wb_json_say(json, JSON_INDENT(2) | JSON_PRESERVE_ORDER, stdout);
}

static int run_show(const words *w) {
    wb_error err = {0};
    open_class c;
    const char *name = w->n > 2 ? w->plain[2] : NULL;
    bool ok = read_class(w->plain[1], NULL, &c, &err);
    long lab = ok && name ? gr_class_lab(c.class, name, &err) : -1;
    long student = ok && name && lab < 0 ? gr_class_student(c.class, name, &err) : -1;
    if (ok && name && lab < 0 && student < 0)
        ok = wb_fail(&err, 1, _("the gradebook has no lab and no student %s"), name);
    WB_SCOPED char *text = NULL;
    if (ok && w->json && student < 0)
        print_json(gr_class_json(lab >= 0 ? &c.views[lab] : c.views, lab >= 0 ? 1 : c.n));
    else if (ok && w->json) {
        WB_SCOPED_JSON json_t *all = gr_class_json(c.views, c.n);
        print_json(json_incref(json_array_get(json_object_get(all, "students"), (size_t)student)));
    } else if (ok && student >= 0)
        print_student(&c, (size_t)student);
    else if (ok)
        printf("%s", (text = lab >= 0 ? gr_lab_table(&c.views[lab]) : gr_class_table(c.class))
                         ? text
                         : "");
    close_class(&c);
    return ok ? WB_EXIT_DONE : fail(&err);
}

static int run_export(const words *w) {
    wb_error err = {0};
    open_class c;
    WB_SCOPED_BUF wb_buf csv = {0};
    bool ok = read_class(w->plain[1], w->lab, &c, &err);
    if (ok)
        gr_write_class_csv(c.views, c.n, &csv);
    if (ok && csv.failed)
        ok = wb_fail(&err, 1, _("out of memory"));
    if (ok && w->output)
        ok = wb_file_write(w->output, csv.data, csv.len, &err);
    else if (ok)
        ok = fwrite(csv.data, 1, csv.len, stdout) == csv.len && fflush(stdout) == 0
                 ? true
                 : wb_fail(&err, 1, _("can't write the table: %s"), strerror(errno));
    close_class(&c);
    return ok ? WB_EXIT_DONE : fail(&err);
}

/* ---- override ------------------------------------------------------------------------------- */

static bool decide(gr_book *book, const char *student, const char *lab, const char *option,
                   const char *value, wb_error *err) {
    WB_SCOPED char *what = wb_format("%s %s", option + 2, value);
    return what &&
           gr_book_run(book, err, "INSERT INTO decisions(at, student, lab, what) VALUES(?,?,?,?)",
                       "isss", (int64_t)time(NULL), student, lab, what);
}

#define SET(column) "UPDATE marks SET " column "=? WHERE student=? AND lab=?"

static bool override_all(gr_book *book, const gr_standing *is, const words *w, wb_error *err) {
    const char *student = w->plain[2], *lab = w->plain[3];
    const char *const said[][2] = {{"--points", w->points},
                                   {"--comment", w->comment},
                                   {"--extension", w->extension},
                                   {"--handed-in", w->handed_in}};
    bool ok = gr_book_run(book, err, "INSERT OR IGNORE INTO marks(student, lab) VALUES(?,?)", "ss",
                          student, lab);
    int64_t at;
    if (ok && w->points && strcmp(w->points, "none") == 0)
        ok = gr_book_run(book, err, SET("points"), "sss", NULL, student, lab);
    else if (ok && w->points)
        ok = gr_book_run(book, err, SET("points"), "fss", strtod(w->points, NULL), student, lab);
    if (ok && w->comment)
        ok = gr_book_run(book, err, SET("comment"), "sss", *w->comment ? w->comment : NULL, student,
                         lab);
    if (ok && w->extension)
        ok = gr_book_run(book, err, SET("extension"), "fss", strtod(w->extension, NULL), student,
                         lab);
    if (ok && w->handed_in && !is->submission)
        ok = wb_fail(err, 1, _("%s handed nothing in for %s"), student, lab);
    if (ok && w->handed_in && gr_time_read(w->handed_in, &at))
        ok = gr_book_run(book, err, "UPDATE submissions SET at=? WHERE id=?", "ii", at,
                         is->submission);
    for (size_t i = 0; ok && i < WB_COUNT(said); i++)
        if (said[i][1])
            ok = decide(book, student, lab, said[i][0], said[i][1], err);
    return ok;
}

/* Warns if the points exceed the lab's maximum, because that may be a mistyped digit. */
static void note_extra(const words *w, const gr_book_lab *lab) {
    double points = w->points ? strtod(w->points, NULL) : 0;
    if (points > lab->max_score)
        fprintf(stderr,
                _("warpbook book: taken as you say, though %g points are more than the %g that "
                  "%s gives\n"),
                points, lab->max_score, lab->name);
}

static int run_override(const words *w) {
    if (w->n != 4 || !(w->points || w->comment || w->extension || w->handed_in))
        return wb_cli_usage(&book_command,
                            _("override takes a gradebook, a student, a lab, and what "
                              "is decided: --points, --comment, --extension, "
                              "--handed-in"));
    wb_error err = {0};
    gr_book *book = gr_book_open(w->plain[1], false, &err);
    gr_class *class = book ? gr_class_read(book, &err) : NULL;
    long student = class ? gr_class_student(class, w->plain[2], &err) : -1;
    long lab = student >= 0 ? gr_class_lab(class, w->plain[3], &err) : -1;
    bool begun = lab >= 0 && gr_book_begin(book, &err), ok = begun;
    if (ok)
        ok = override_all(book, gr_class_at(class, (size_t)student, (size_t)lab), w, &err);
    if (begun)
        ok = gr_book_end(book, ok, ok ? &err : NULL);
    if (ok)
        note_extra(w, &class->labs[lab]);
    gr_class_free(class);
    gr_book_close(book);
    return ok ? WB_EXIT_DONE : fail(&err);
}

/* ---- feedback ------------------------------------------------------------------------------- */

static int run_feedback(const words *w) {
    if (w->n != 3)
        return wb_cli_usage(&book_command, _("feedback takes a gradebook and a folder"));
    wb_error err = {0};
    open_class c;
    size_t written = 0;
    bool ok = read_class(w->plain[1], w->lab, &c, &err) &&
              gr_pages_write(c.book, c.views, c.n, w->plain[2], &written, &err);
    close_class(&c);
    if (ok)
        printf(_("%zu files are in %s\n"), written, w->plain[2]);
    return ok ? WB_EXIT_DONE : fail(&err);
}

static int run(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(const words *w);
        int max;
    } calls[] = {{"roster", run_roster, 3},     {"rules", run_rules, 3},
                 {"show", run_show, 3},         {"export", run_export, 2},
                 {"override", run_override, 4}, {"feedback", run_feedback, 3}};
    const char *names[WB_COUNT(calls)];
    words w = asked;
    w.plain = argv + 1;
    w.n = argc - 1;
    if (w.n == 0)
        return wb_cli_usage(&book_command, _("what is to be done with it?"));
    for (size_t i = 0; i < WB_COUNT(calls); i++) {
        names[i] = calls[i].name;
        if (strcmp(calls[i].name, w.plain[0]) != 0)
            continue;
        if (w.n < 2)
            return wb_cli_usage(&book_command, _("no gradebook is named"));
        if (w.n > calls[i].max)
            return wb_cli_usage(&book_command, _("%s has no use for %s"), w.plain[0],
                                w.plain[calls[i].max]);
        return calls[i].run(&w);
    }
    return wb_cli_usage(&book_command, _("there is no `book %s`%s"), w.plain[0],
                        wb_text_meant(w.plain[0], names, WB_COUNT(names)));
}
