/* cmd.c: `warpbook grade`. */
#include "grader/batch.h"
#include "runtime/base/language.h"
#include "grader/book/digest.h"
#include "grader/book/rules.h"
#include "grader/job/input.h"
#include "grader/job/random.h"
#include "grader/keep.h"
#include "runtime/cli/cli.h"
#include "runtime/sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);

WB_COMMAND(grade){
    .name = "grade",
    .usage = "LAB SUBMISSION... [--json|--junit|--csv|--gradescope|--html FILE] "
             "[--device soft|gpu|auto] [--seed S] [--book FILE [--slurm]]",
    .summary = "grades submissions of a lab",
    .help =
        "LAB is a lab's name (warpbook labs), its folder or its lab.json. A SUBMISSION is a .cu "
        "file, a\nfolder of .cu files, or a notebook with a cell that begins with %%grade LAB.\n\n"
        "  --json, --junit, --csv, --gradescope, --classroom\n"
        "                     the form of the result (default: a table)\n"
        "  --html FILE        also write a page a student can learn from\n"
        "  --output FILE      write the result there instead of stdout\n"
        "  --device D         soft, gpu or auto (default auto)\n"
        "  --seed S           replay the run with this seed (a result names its own)\n"
        "  --jobs N           grade N submissions at a time (softgpu only; default: one a core)\n"
        "  --book FILE        keep submissions and results in a gradebook (warpbook help book); "
        "what\n"
        "                     has a result there for the lab as it is now is not graded again, so "
        "a\n"
        "                     call that was ended goes on. With no SUBMISSION: those of the book\n"
        "                     that a change of the lab touches\n"
        "  --again            grade them all the same\n"
        "  --slurm            with --book: the nodes of a Slurm grade, an array's task each; "
        "folder\n"
        "                     FILE.slurm, which all nodes have to see, lies between them. What "
        "was\n"
        "                     killed is told, and graded by the same call again\n"
        "  --handed-in TIME   when they were handed in (default: when the file was written)\n"
        "  --compile-limit S, --plan-limit S, --run-limit S\n"
        "                     seconds for compiling (30), the host code of solve() (5) and its\n"
        "                     kernels (10)\n"
        "  --unsafe-no-sandbox  run the students' code with your own rights. Only where you trust "
        "them\n\n"
        "Exit status: 0 every submission passed every test (points for performance may be "
        "missing), "
        "1 one did\nnot, 2 wrong usage, 3 the machine lacks something.",
    .order = 50,
    .values = "--html --output --device --seed --compile-limit --plan-limit --run-limit --jobs "
              "--book --handed-in --made-by",
    .flags = "--json --junit --csv --gradescope --classroom --unsafe-no-sandbox --again --slurm",
    .run = run,
};

typedef struct arguments {
    const char *lab, *device, *html, *output, *book, *made_by;
    const char **submissions;
    size_t n, jobs;
    void (*write)(const gr_report *reports, size_t n, wb_buf *out);
    bool seeded, again, timed, slurm;
    int64_t handed_in;
    gr_options options;
} arguments;

typedef struct flag {
    const char *name;
    void (*write)(const gr_report *reports, size_t n, wb_buf *out);
} flag;

static const flag formats[] = {{"--json", gr_write_json},
                               {"--junit", gr_write_junit},
                               {"--csv", gr_write_csv},
                               {"--gradescope", gr_write_gradescope},
                               {"--classroom", gr_write_classroom}};

static bool read_seconds(const char *text, double *seconds) {
    char *end;
    *seconds = strtod(text, &end);
    return *text && !*end && *seconds > 0 && *seconds <= 3600;
}

/* An option with a value; 0: it is none; -1: its value is no good. */
static int read_option(const char *name, const char *value, arguments *a) {
    static const char *const names[] = {"--html",          "--output",     "--device",    "--seed",
                                        "--compile-limit", "--plan-limit", "--run-limit", "--jobs",
                                        "--book",          "--handed-in",  "--made-by"};
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
        return *value && !*end && a->jobs >= 1 && a->jobs <= GR_MAX_JOBS ? 1 : -1;
    case 8:
        a->book = value;
        return 1;
    case 10:
        a->made_by = value;
        return 1;
    case 9:
        a->timed = true;
        return gr_time_read(value, &a->handed_in) ? 1 : -1;
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
        else if (strcmp(argv[i], "--again") == 0)
            a->again = true;
        else if (strcmp(argv[i], "--slurm") == 0)
            a->slurm = true;
        else if (option < 0)
            return wb_cli_usage(&grade, "%s needs a proper value, not '%s'", argv[i], argv[i + 1]);
        else if (option > 0)
            i++;
        else if (!a->lab)
            a->lab = argv[i];
        else
            a->submissions[a->n++] = argv[i];
    }
    if (!a->lab || (!a->n && !a->book))
        return wb_cli_usage(&grade, a->lab ? "no submission is named" : "no lab is named");
    if (!a->book && (a->again || a->timed || a->slurm))
        return wb_cli_usage(&grade, "--again, --handed-in and --slurm go with --book");
    if (a->slurm && a->jobs)
        return wb_cli_usage(&grade, "--jobs has no use with --slurm: how many run at a time is "
                                    "Slurm's to say");
    if ((a->write == gr_write_gradescope || a->write == gr_write_classroom) && a->n != 1)
        return wb_cli_usage(&grade,
                            "--gradescope and --classroom write the result of one submission");
    return WB_EXIT_DONE;
}

static int lacks(const char *format, const char *text) {
    fprintf(stderr, "warpbook grade: ");
    fprintf(stderr, format, text);
    fputc('\n', stderr);
    return WB_EXIT_MACHINE;
}

/* ---- without a gradebook -------------------------------------------------------------------- */

typedef struct loose {
    const gr_lab *lab;
    const arguments *args;
    gr_report *reports;
} loose;

static const char *name_of(void *ctx, size_t i) {
    return ((loose *)ctx)->args->submissions[i];
}

static bool grade_one(void *ctx, size_t i, const gr_options *options, gr_report *report) {
    const loose *l = ctx;
    return gr_grade(l->lab, l->args->submissions[i], options, report);
}

static bool take_report(void *ctx, size_t i, gr_report *report, wb_error *err) {
    (void)err;
    ((loose *)ctx)->reports[i] = *report;
    return true;
}

static int grade_loose(const gr_lab *lab, const arguments *a, gr_report **reports, size_t *n) {
    loose l = {lab, a, calloc(a->n, sizeof **reports)};
    gr_batch batch = {.n = a->n,
                      .jobs = a->jobs,
                      .options = &a->options,
                      .ctx = &l,
                      .name = name_of,
                      .grade = grade_one,
                      .take = take_report};
    *reports = l.reports;
    if (!l.reports)
        return WB_EXIT_MACHINE;
    gr_batch_result r = gr_batch_run(&batch);
    *n = a->n; /* one that was cut short is empty, and can be freed */
    if (wb_cli_interrupted)
        fprintf(stderr, wb_tr("warpbook grade: interrupted, no result was written\n"));
    return r.machine_failed ? WB_EXIT_MACHINE : r.failed ? WB_EXIT_FAILED : WB_EXIT_DONE;
}

static int grade_book(const gr_lab *lab, const arguments *a, gr_report **reports, size_t *n) {
    gr_keep keep = {.book = a->book,
                    .lab = lab,
                    .paths = a->submissions,
                    .n = a->n,
                    .jobs = a->jobs,
                    .options = &a->options,
                    .seeded = a->seeded,
                    .again = a->again,
                    .timed = a->timed,
                    .at = a->handed_in,
                    .slurm = a->slurm};
    return gr_keep_run(&keep, reports, n);
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
    /* what the nodes have is theirs to find out; without a word they grade on softgpu */
    bool on_nodes = a->slurm && strcmp(a->device, "gpu") == 0;
    if (on_nodes)
        a->options.device = (wb_device){.kind = WB_DEVICE_GPU, .name = "a node's GPU"};
    else if (!wb_device_select(a->slurm ? "soft" : a->device, &a->options.device, &err))
        return lacks("%s", err.text);
    /* for tests of the road a GPU takes, on machines without one; its times mean nothing */
    if (!a->slurm && a->options.device.kind == WB_DEVICE_SOFT &&
        getenv("WARPBOOK_TEST_SOFT_AS_GPU")) {
        a->options.device.kind = WB_DEVICE_GPU;
        snprintf(a->options.device.name, sizeof a->options.device.name, "softgpu as a GPU");
    }
    if (a->options.sandbox && !a->slurm && !wb_sandbox_check(&err))
        return lacks("%s; or, where you trust every submission with your own rights, pass "
                     "--unsafe-no-sandbox",
                     err.text);
    if (!a->seeded && !gr_seed_new(&a->options.seed, &err))
        return lacks("%s", err.text);
    return WB_EXIT_DONE;
}

static gr_lab *find_lab(const char *name) {
    wb_error err = {0};
    char *path = gr_lab_find(name, &err);
    gr_lab *lab = path ? gr_lab_read(path, &err) : NULL;
    if (!lab)
        fprintf(stderr, "warpbook grade: %s\n", err.text);
    free(path);
    return lab;
}

/* --made-by, on a Slurm node: the digests under which the book will keep the result. */
static bool is_made_by(const gr_lab *lab, const arguments *a, wb_error *err) {
    char of[WB_SHA256_TEXT], version[WB_SHA256_TEXT], both[2 * WB_SHA256_TEXT];
    if (!gr_lab_digest(lab->path, a->options.device.kind == WB_DEVICE_GPU, of, err))
        return false;
    gr_grader_digest(version);
    snprintf(both, sizeof both, "%s %s", of, version);
    return strcmp(both, a->made_by) == 0 ||
           wb_fail(err, 1,
                   "this node has another Warpbook, or another version of the lab %s, than the "
                   "call that handed in",
                   lab->name);
}

/* Grades what the arguments ask for and writes the results. */
static int run_grading(const gr_lab *lab, arguments *a) {
    gr_report *reports = NULL;
    size_t n = 0;
    int status = prepare(a);
    wb_error err = {0};
    if (status == WB_EXIT_DONE && a->made_by && !is_made_by(lab, a, &err))
        status = lacks("%s", err.text);
    if (status != WB_EXIT_DONE)
        return status;
    status = a->book ? grade_book(lab, a, &reports, &n) : grade_loose(lab, a, &reports, &n);
    if (!wb_cli_interrupted && n) {
        int written = write_results(a, reports, n);
        status = written != WB_EXIT_DONE ? written : status;
    }
    for (size_t i = 0; i < n; i++)
        gr_report_free(&reports[i]);
    free(reports);
    return status;
}

static int run(int argc, char **argv) {
    arguments a = {.device = "auto",
                   .submissions = calloc((size_t)argc, sizeof *a.submissions),
                   .options = {.sandbox = true, .limits = {30, 5, 10}}};
    int status = a.submissions ? read_arguments(argc, argv, &a) : WB_EXIT_MACHINE;
    a.jobs = a.jobs ? a.jobs : gr_batch_jobs();
    if (!a.write)
        a.write = a.book ? gr_write_summary : gr_write_table;
    gr_lab *lab = status == WB_EXIT_DONE ? find_lab(a.lab) : NULL;
    if (status == WB_EXIT_DONE)
        status = lab ? run_grading(lab, &a) : WB_EXIT_USAGE;
    free(a.submissions);
    gr_lab_free(lab);
    return status;
}
