/* cmd.c: `warpbook grade`. */
#include "grader/grade.h"
#include "grader/job/input.h"
#include "grader/job/random.h"
#include "runtime/cli/cli.h"
#include "runtime/sandbox/sandbox.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_JOBS = 64 };

static int run(int argc, char **argv);

WB_COMMAND(grade){
    .name = "grade",
    .usage = "LAB SUBMISSION... [--json|--junit|--csv|--gradescope|--html FILE] "
             "[--device soft|gpu|auto] [--seed S]",
    .summary = "grades submissions of a lab",
    .help =
        "LAB is a lab's name (warpbook labs), its folder or its lab.json. A SUBMISSION is a .cu "
        "file, a\nfolder of .cu files, or a notebook with a cell that begins with %%grade LAB.\n\n"
        "  --json, --junit, --csv, --gradescope   the form of the result (default: a table)\n"
        "  --html FILE        also write a page a student can learn from\n"
        "  --output FILE      write the result there instead of stdout\n"
        "  --device D         soft, gpu or auto (default auto)\n"
        "  --seed S           replay the run with this seed (a result names its own)\n"
        "  --jobs N           grade N submissions at a time (softgpu only; default 1)\n"
        "  --compile-limit S, --plan-limit S, --run-limit S\n"
        "                     seconds for compiling (30), the host code of solve() (5) and its\n"
        "                     kernels (10)\n"
        "  --unsafe-no-sandbox  run the students' code with your own rights. Only where you trust "
        "them\n\n"
        "Exit status: 0 every submission passed every test (points for performance may be "
        "missing), "
        "1 one did\nnot, 2 wrong usage, 3 the machine lacks something.",
    .order = 50,
    .values = "--html --output --device --seed --compile-limit --plan-limit --run-limit --jobs",
    .flags = "--json --junit --csv --gradescope --unsafe-no-sandbox",
    .run = run,
};

typedef struct arguments {
    const char *lab, *device, *html, *output;
    const char **submissions;
    size_t n, jobs;
    void (*write)(const gr_report *reports, size_t n, wb_buf *out);
    bool seeded;
    gr_options options;
} arguments;

typedef struct flag {
    const char *name;
    void (*write)(const gr_report *reports, size_t n, wb_buf *out);
} flag;

static const flag formats[] = {{"--json", gr_write_json},
                               {"--junit", gr_write_junit},
                               {"--csv", gr_write_csv},
                               {"--gradescope", gr_write_gradescope}};

static bool read_seconds(const char *text, double *seconds) {
    char *end;
    *seconds = strtod(text, &end);
    return *text && !*end && *seconds > 0 && *seconds <= 3600;
}

/* An option with a value; 0: it is none; -1: its value is no good. */
static int read_option(const char *name, const char *value, arguments *a) {
    static const char *const names[] = {"--html",          "--output",     "--device",    "--seed",
                                        "--compile-limit", "--plan-limit", "--run-limit", "--jobs"};
    size_t i = 0;
    while (i < WB_COUNT(names) && strcmp(names[i], name) != 0)
        i++;
    if (i == WB_COUNT(names))
        return 0;
    char *end = NULL;
    double *limits[] = {&a->options.limits.compile_s, &a->options.limits.plan_s,
                        &a->options.limits.run_s};
    switch (i) {
    case 0:
        a->html = value;
        return 1;
    case 1:
        a->output = value;
        return 1;
    case 2:
        a->device = value;
        return strcmp(value, "soft") == 0 || strcmp(value, "gpu") == 0 || strcmp(value, "auto") == 0
                   ? 1
                   : -1;
    case 7:
        a->jobs = strtoul(value, &end, 10);
        return *value && !*end && a->jobs >= 1 && a->jobs <= MAX_JOBS ? 1 : -1;
    case 3:
        a->options.seed = strtoull(value, &end, 0);
        a->seeded = true;
        return *value && !*end ? 1 : -1;
    default:
        return read_seconds(value, limits[i - 4]) ? 1 : -1;
    }
}

/* WB_EXIT_DONE, or the status to end with. */
static int read_arguments(int argc, char **argv, arguments *a) {
    for (int i = 1; i < argc; i++) {
        size_t f = 0;
        while (f < WB_COUNT(formats) && strcmp(formats[f].name, argv[i]) != 0)
            f++;
        int option = read_option(argv[i], argv[i + 1], a);
        if (f < WB_COUNT(formats))
            a->write = formats[f].write;
        else if (strcmp(argv[i], "--unsafe-no-sandbox") == 0)
            a->options.sandbox = false;
        else if (option < 0)
            return wb_cli_usage(&grade, "%s needs a proper value, not '%s'", argv[i], argv[i + 1]);
        else if (option > 0)
            i++;
        else if (!a->lab)
            a->lab = argv[i];
        else
            a->submissions[a->n++] = argv[i];
    }
    if (!a->lab || !a->n)
        return wb_cli_usage(&grade, a->lab ? "no submission is named" : "no lab is named");
    if (a->write == gr_write_gradescope && a->n != 1)
        return wb_cli_usage(&grade, "--gradescope writes the result of one submission");
    return WB_EXIT_DONE;
}

static int lacks(const char *format, const char *text) {
    fprintf(stderr, "warpbook grade: ");
    fprintf(stderr, format, text);
    fputc('\n', stderr);
    return WB_EXIT_MACHINE;
}

/* ---- the batch ------------------------------------------------------------------------------ */

typedef struct batch {
    const gr_lab *lab;
    const arguments *args;
    gr_report *reports;
    pthread_mutex_t lock;
    size_t next, finished;
    bool machine_failed, failed, shown;
} batch;

/* A submission fails by a message of its own or by a test; slow but right is no failure. */
static bool failed(const gr_report *report) {
    for (size_t i = 0; i < report->n_items; i++)
        if (!report->items[i].performance && strcmp(report->items[i].status, "passed") != 0)
            return true;
    return *report->message || report->n_items == 0;
}

/* Which submission a thread is at, for the progress line. */
typedef struct place {
    batch *batch;
    const char *submission;
    char *name; /* of it, as it may be shown */
} place;

static void show_progress(void *ctx, const char *stage) {
    const place *p = ctx;
    pthread_mutex_lock(&p->batch->lock);
    fprintf(stderr, "\r\033[K[%zu of %zu done] %.*s: %s", p->batch->finished, p->batch->args->n,
            (int)wb_utf8_offset(p->name, strlen(p->name), 60), p->name, stage);
    fflush(stderr);
    p->batch->shown = true;
    pthread_mutex_unlock(&p->batch->lock);
}

static void *grade_some(void *ctx) {
    batch *b = ctx;
    for (;;) {
        pthread_mutex_lock(&b->lock);
        size_t i = b->next++;
        pthread_mutex_unlock(&b->lock);
        if (i >= b->args->n || wb_cli_interrupted)
            return NULL;
        gr_options options = b->args->options;
        options.stop = &wb_cli_interrupted;
        const char *submission = b->args->submissions[i];
        place p = {b, submission, gr_valid_name(strdup(submission), 4000)};
        if (p.name && isatty(2)) {
            options.progress = show_progress;
            options.progress_ctx = &p;
        }
        bool ok = gr_grade(b->lab, p.submission, &options, &b->reports[i]);
        free(p.name);
        pthread_mutex_lock(&b->lock);
        b->finished++;
        b->machine_failed |= !ok;
        b->failed |= failed(&b->reports[i]);
        pthread_mutex_unlock(&b->lock);
    }
}

static int grade_all(const gr_lab *lab, const arguments *a, gr_report *reports) {
    batch b = {.lab = lab, .args = a, .reports = reports, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[MAX_JOBS];
    size_t n = 0;
    /* one job a device at a time: times beside others would be worth nothing */
    size_t jobs = a->options.device.kind == WB_DEVICE_GPU ? 1 : a->jobs;
    while (n + 1 < jobs && pthread_create(&threads[n], NULL, grade_some, &b) == 0)
        n++;
    wb_cli_catch_interrupts();
    grade_some(&b);
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    if (b.shown)
        fprintf(stderr, "\r\033[K");
    return b.machine_failed ? WB_EXIT_MACHINE : b.failed ? WB_EXIT_FAILED : WB_EXIT_DONE;
}

static int write_results(const arguments *a, const gr_report *reports, size_t n) {
    wb_buf text = {0}, page = {0};
    wb_error err = {0};
    bool ok = true;
    a->write(reports, n, &text);
    if (a->output)
        ok = wb_file_write(a->output, text.data, text.len, &err);
    else
        fwrite(text.data, 1, text.len, stdout);
    if (ok && a->html) {
        gr_write_html(reports, n, &page);
        ok = wb_file_write(a->html, page.data, page.len, &err);
    }
    wb_buf_free(&text);
    wb_buf_free(&page);
    return ok ? WB_EXIT_DONE : lacks("%s", err.text);
}

static int prepare(arguments *a) {
    wb_error err = {0};
    if (!wb_device_select(a->device, &a->options.device, &err))
        return lacks("%s", err.text);
    /* for tests of the road a GPU takes, on machines without one; its times mean nothing */
    if (a->options.device.kind == WB_DEVICE_SOFT && getenv("WARPBOOK_TEST_SOFT_AS_GPU")) {
        a->options.device.kind = WB_DEVICE_GPU;
        snprintf(a->options.device.name, sizeof a->options.device.name, "softgpu as a GPU");
    }
    if (a->options.sandbox && !wb_sandbox_check(&err))
        return lacks("%s; or, where you trust every submission with your own rights, pass "
                     "--unsafe-no-sandbox",
                     err.text);
    if (!a->seeded && !gr_seed_new(&a->options.seed, &err))
        return lacks("%s", err.text);
    return WB_EXIT_DONE;
}

static int run(int argc, char **argv) {
    wb_error err = {0};
    arguments a = {.device = "auto",
                   .write = gr_write_table,
                   .jobs = 1,
                   .submissions = calloc((size_t)argc, sizeof *a.submissions),
                   .options = {.sandbox = true, .limits = {30, 5, 10}}};
    int status = a.submissions ? read_arguments(argc, argv, &a) : WB_EXIT_MACHINE;
    char *path = NULL;
    gr_lab *lab = NULL;
    gr_report *reports = NULL;
    size_t done = 0;
    if (status != WB_EXIT_DONE)
        goto end;
    path = gr_lab_find(a.lab, &err);
    lab = path ? gr_lab_read(path, &err) : NULL;
    if (!lab) {
        fprintf(stderr, "warpbook grade: %s\n", err.text);
        status = WB_EXIT_USAGE;
        goto end;
    }
    status = prepare(&a);
    reports = calloc(a.n, sizeof *reports);
    if (status != WB_EXIT_DONE || !reports)
        goto end;
    status = grade_all(lab, &a, reports);
    done = a.n;
    if (wb_cli_interrupted) {
        fprintf(stderr, "warpbook grade: interrupted, no result was written\n");
        goto end;
    }
    int written = write_results(&a, reports, done);
    status = written != WB_EXIT_DONE ? written : status;
end:
    for (size_t i = 0; i < done; i++)
        gr_report_free(&reports[i]);
    free(reports);
    free(a.submissions);
    free(path);
    gr_lab_free(lab);
    return status;
}
