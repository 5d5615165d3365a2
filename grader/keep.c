/* keep.c: puts submissions into the book, grades them, and reads the reports back. */
#include "grader/keep.h"
#include "grader/book/digest.h"
#include "grader/book/entry.h"
#include "grader/book/roster.h"
#include "grader/job/random.h"
#include "grader/slurm.h"
#include "runtime/base/scoped.h"
#include "runtime/cli/cli.h"

#include <pthread.h>

typedef struct state {
    const gr_keep *keep;
    gr_book *book;
    char of[WB_SHA256_TEXT], version[WB_SHA256_TEXT];
    int64_t *named; /* ids of the named submissions, in the order of the paths */
    size_t n_named;
    gr_entries pending;
    pthread_mutex_t lock; /* protects the book */
    char *folder;         /* holds the copies that are graded */
} state;

/* Prints a sentence. Students choose paths, so it removes control characters and line breaks. */
static void tell(const char *sentence) {
    WB_SCOPED char *told = gr_valid_name(strdup(sentence), 4000);
    fprintf(stderr, "warpbook grade: %s\n", told ? told : _("out of memory"));
}

/* ---- into the book -------------------------------------------------------------------------- */

/* Finds the student of each path before anything is stored. Reports all paths that name nobody. */
static char **find_students(state *s, int *status) {
    const gr_keep *k = s->keep;
    wb_error err = {0};
    gr_roster roster;
    char **students = calloc(k->n + 1, sizeof *students);
    size_t strangers = 0;
    *status = WB_EXIT_DONE;
    if (!students || !gr_roster_load(s->book, &roster, &err)) {
        tell(students ? err.text : _("out of memory"));
        free(students);
        *status = WB_EXIT_MACHINE;
        return NULL;
    }
    for (size_t i = 0; i < k->n; i++) {
        students[i] = gr_roster_whose(&roster, k->paths[i], k->lab->name, &err);
        if (students[i])
            continue;
        tell(err.text);
        strangers++;
    }
    gr_roster_free(&roster);
    if (strangers) {
        fprintf(stderr, _("warpbook grade: nothing was graded: rename them, leave them out, or "
                          "add their students to the roster (`warpbook book roster`)\n"));
        *status = WB_EXIT_USAGE;
    }
    return students;
}

static bool take_in(state *s, const char *path, const char *student, int64_t *id, wb_error *err) {
    gr_handed handed;
    bool ok = gr_handed_read(path, &handed, err);
    /* a path may hold any bytes; the book keeps it as it is shown */
    WB_SCOPED char *shown = ok ? gr_valid_name(strdup(path), 4000) : NULL;
    ok = ok && (shown || wb_fail(err, 1, _("out of memory"))) &&
         gr_entry_add(s->book, student, s->keep->lab->name, shown, &handed,
                      s->keep->timed ? s->keep->at : handed.at, id, err);
    gr_handed_free(&handed);
    return ok;
}

/* Uses one transaction: if a path does not exist, the book is unchanged. */
static int take_all_in(state *s, char **students) {
    const gr_keep *k = s->keep;
    wb_error err = {0};
    double max = gr_lab_max_score(k->lab, k->options->device.kind == WB_DEVICE_GPU);
    if (!(s->named = calloc(k->n + 1, sizeof *s->named)))
        return WB_EXIT_MACHINE;
    bool begun = gr_book_begin(s->book, &err);
    bool ok = begun && gr_entry_lab(s->book, k->lab, s->of, max, &err), found = true;
    for (size_t i = 0; ok && found && i < k->n; i++)
        ok = found = take_in(s, k->paths[i], students[i], &s->named[s->n_named++], &err);
    if (begun)
        ok = gr_book_end(s->book, ok, ok ? &err : NULL);
    if (!ok)
        tell(err.text);
    return ok ? WB_EXIT_DONE : found ? WB_EXIT_MACHINE : WB_EXIT_USAGE;
}

static bool find_pending(state *s, wb_error *err) {
    const gr_keep *k = s->keep;
    if (k->n == 0)
        return gr_entry_pending(s->book, k->lab->name, k->again, &s->pending, err);
    bool ok = true;
    for (size_t i = 0; ok && i < s->n_named; i++) {
        bool pending = false, twice = false;
        for (size_t j = 0; j < i; j++)
            twice |= s->named[j] == s->named[i];
        ok = twice ||
             gr_entry_pending_one(s->book, s->named[i], k->again, &s->pending, &pending, err);
    }
    return ok;
}

/* ---- the batch ------------------------------------------------------------------------------ */

static const char *name_of(void *ctx, size_t i) {
    return ((state *)ctx)->pending.list[i].path;
}

static bool grade_copy(const gr_keep *k, const gr_handed *handed, const char *folder,
                       const gr_options *options, gr_report *report) {
    wb_error err = {0};
    if (handed->unreadable) {
        gr_refuse(k->lab, options->shown, options, WB_FOUND_UNREADABLE, handed->unreadable, report);
        return true;
    }
    WB_SCOPED char *path = wb_dir_make(folder, &err) ? gr_handed_write(handed, folder, &err) : NULL;
    bool ok = path && gr_grade(k->lab, path, options, report);
    if (!path)
        gr_refuse(k->lab, options->shown, options, WB_FOUND_MACHINE, err.text, report);
    wb_dir_remove(folder, NULL);
    return ok;
}

static bool grade_one(void *ctx, size_t i, const gr_options *given, gr_report *report) {
    state *s = ctx;
    const gr_entry *entry = &s->pending.list[i];
    gr_options options = *given;
    wb_error err = {0};
    gr_handed handed = {.n = 0};
    options.shown = entry->path;
    WB_SCOPED char *folder = wb_format("%s/%zu", s->folder, i);
    /* On softgpu all submissions of a call have one seed. So they have the same inputs, and the
     * expected results are computed once. On a GPU each has its own seed, because processes that
     * run after each other may see the same memory. */
    bool own = options.device.kind == WB_DEVICE_GPU && !s->keep->seeded;
    bool ok = (folder || wb_fail(&err, 1, _("out of memory"))) &&
              (!own || gr_seed_new(&options.seed, &err));
    pthread_mutex_lock(&s->lock);
    ok = ok && gr_handed_load(s->book, entry->content, &handed, &err);
    pthread_mutex_unlock(&s->lock);
    if (ok)
        ok = grade_copy(s->keep, &handed, folder, &options, report);
    else
        gr_refuse(s->keep->lab, entry->path, &options, WB_FOUND_MACHINE, err.text, report);
    gr_handed_free(&handed);
    return ok;
}

static bool take_result(void *ctx, size_t i, gr_report *report, wb_error *err) {
    state *s = ctx;
    pthread_mutex_lock(&s->lock);
    bool ok = gr_entry_result(s->book, s->pending.list[i].id, s->of, s->version, report, err);
    pthread_mutex_unlock(&s->lock);
    gr_report_free(report);
    return ok;
}

static void tell_graded(const state *s) {
    if (s->n_named > s->pending.n)
        fprintf(stderr, _("%zu of %zu have results in %s already\n"), s->n_named - s->pending.n,
                s->n_named, s->keep->book);
}

static int grade_pending(state *s) {
    gr_batch batch = {.n = s->pending.n,
                      .jobs = s->keep->jobs,
                      .options = s->keep->options,
                      .ctx = s,
                      .name = name_of,
                      .grade = grade_one,
                      .take = take_result};
    tell_graded(s);
    gr_batch_result r = gr_batch_run(&batch);
    if (r.lost)
        tell(r.err.text);
    if (wb_cli_interrupted || r.lost)
        fprintf(
            stderr,
            _("warpbook grade: %s; %zu of %zu results are in %s, and the same call goes on from "
              "there\n"),
            r.lost ? "ended" : "interrupted", r.finished, batch.n, s->keep->book);
    return r.lost || r.machine_failed ? WB_EXIT_MACHINE : WB_EXIT_DONE;
}

/* ---- out of the book ------------------------------------------------------------------------ */

/* Reads the reports of the named or the newly graded submissions from the book. */
static int read_reports(state *s, gr_report **reports, size_t *n) {
    size_t count = s->n_named ? s->n_named : s->pending.n;
    int status = WB_EXIT_DONE;
    wb_error err = {0};
    *reports = calloc(count + 1, sizeof **reports);
    for (size_t i = 0; *reports && i < count; i++) {
        bool found = false;
        int64_t id = s->n_named ? s->named[i] : s->pending.list[i].id;
        if (!gr_entry_report(s->book, id, &(*reports)[*n], &found, &err)) {
            tell(err.text);
            return WB_EXIT_MACHINE;
        }
        if (found && gr_report_failed(&(*reports)[*n]))
            status = WB_EXIT_FAILED;
        *n += found;
    }
    return *reports ? status : WB_EXIT_MACHINE;
}

static const gr_entries *find_for_slurm(void *ctx, wb_error *err) {
    state *s = ctx;
    if (!find_pending(s, err))
        return NULL;
    tell_graded(s);
    return &s->pending;
}

static int grade_here(state *s) {
    wb_error err = {0};
    if (find_pending(s, &err) && (s->folder = wb_dir_temp("book", &err)))
        return grade_pending(s);
    tell(err.text);
    return WB_EXIT_MACHINE;
}

static int grade_by_slurm(state *s) {
    wb_error err = {0};
    const gr_keep *k = s->keep;
    gr_slurm slurm = {.book = s->book,
                      .path = k->book,
                      .of = s->of,
                      .version = s->version,
                      .lab = k->lab,
                      .options = k->options,
                      .seeded = k->seeded,
                      .find = find_for_slurm,
                      .ctx = s};
    int status = gr_slurm_grade(&slurm, &err);
    if (err.code)
        tell(err.text);
    return status;
}

static int run_all(state *s, gr_report **reports, size_t *n) {
    const gr_keep *k = s->keep;
    int status;
    char **students = find_students(s, &status);
    status = status == WB_EXIT_DONE ? take_all_in(s, students) : status;
    for (size_t i = 0; students && i < k->n; i++)
        free(students[i]);
    free(students);
    if (status != WB_EXIT_DONE)
        return status;
    status = k->slurm ? grade_by_slurm(s) : grade_here(s);
    if (wb_cli_interrupted)
        return status;
    int read = read_reports(s, reports, n);
    return status != WB_EXIT_DONE ? status : read;
}

int gr_keep_run(const gr_keep *keep, gr_report **reports, size_t *n) {
    wb_error err = {0};
    state s = {.keep = keep, .lock = PTHREAD_MUTEX_INITIALIZER};
    bool gpu = keep->options->device.kind == WB_DEVICE_GPU;
    *reports = NULL;
    *n = 0;
    gr_grader_digest(s.version);
    s.book = gr_lab_digest(keep->lab->path, gpu, s.of, &err) ? gr_book_open(keep->book, true, &err)
                                                             : NULL;
    int status = WB_EXIT_MACHINE;
    if (s.book)
        status = run_all(&s, reports, n);
    else
        tell(err.text);
    if (s.folder)
        wb_dir_remove(s.folder, NULL);
    WB_FREE(s.folder, s.named);
    gr_entries_free(&s.pending);
    gr_book_close(s.book);
    return status;
}
