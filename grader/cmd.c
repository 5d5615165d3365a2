/* cmd.c: `warpbook grade`. */
#include "grader/batch.h"
#include "grader/book/digest.h"
#include "grader/book/rules.h"
#include "grader/job/random.h"
#include "grader/keep.h"
#include "runtime/base/scoped.h"
#include "runtime/cli/cli.h"
#include "runtime/sandbox/sandbox.h"

static int run(int argc, char **argv);

typedef struct arguments {
    const char *lab, *device, *html, *output, *book, *made_by;
    char **submissions;
    size_t n;
    int64_t jobs, handed_in;
    int form; /* index into `forms` */
    bool again, slurm, no_sandbox;
    wb_seed seed;
    gr_options options;
} arguments;

static void (*const forms[])(const gr_report *reports, size_t n, wb_buf *out) = {
    gr_write_table,      gr_write_json,      gr_write_junit,  gr_write_csv,
    gr_write_gradescope, gr_write_classroom, gr_write_summary};
enum { TABLE, JSON, JUNIT, CSV, GRADESCOPE, CLASSROOM, SUMMARY };

static arguments asked = {
    .device = "auto", .handed_in = INT64_MIN, .options = {.limits = {30, 5, 10}}};

static bool read_time(const char *text, void *at) {
    return gr_time_read(text, at);
}

#define WB_RECORD arguments
#define SECONDS .least = 1e-3, .most = 3600
#define FORM(name, which, what)                                                                    \
    WB_OPTION(name, PICK, form, NULL, what, .least = which, .shell = true)

static const wb_option options[] = {
    FORM("--json", JSON, wb_option_json),
    FORM("--junit", JUNIT, N_("print the result as JUnit's XML")),
    FORM("--csv", CSV, N_("print a line for each test")),
    FORM("--gradescope", GRADESCOPE, N_("print the result.json of a Gradescope autograder")),
    FORM("--classroom", CLASSROOM, N_("print the result for GitHub Classroom")),
    WB_OPTION("--html", TEXT, html, "FILE", "also write a page that students learn from"),
    WB_OPTION("--output", TEXT, output, "FILE", "write the result there, not to stdout",
              .shell = true),
    WB_OPTION_DEVICE(device),
    WB_OPTION_SEED(seed),
    WB_OPTION(
        "--jobs", WHOLE, jobs, "N",
        "grade N submissions at a time (default: one for each core; on a GPU at most 3, which "
        "take turns on it)",
        .least = 1, .most = GR_MAX_JOBS, .shell = true),
    WB_OPTION("--book", TEXT, book, "FILE",
              "keep submissions and results in a gradebook (`warpbook help book`). A submission "
              "that has a result there for the lab as it is now is not graded again. Without "
              "SUBMISSION: grade what a change of the lab affects",
              .shell = true),
    WB_OPTION("--again", FLAG, again, NULL, "with --book: grade all of them again", .shell = true),
    WB_OPTION(
        "--slurm", FLAG, slurm, NULL,
        "with --book: the nodes of a Slurm cluster grade, one array task for each submission. All "
        "nodes must see the folder FILE.slurm. The same call again grades what was killed",
        .shell = true),
    WB_OPTION("--handed-in", READ, handed_in, "TIME",
              "with --book: when they were handed in (default: when the file was written)",
              .read = read_time, .wants = N_("a time, as in 2026-11-30 23:59"), .shell = true),
    WB_OPTION("--compile-limit", REAL, options.limits.compile_s, "S",
              "seconds for compiling (default: 30)", SECONDS),
    WB_OPTION("--plan-limit", REAL, options.limits.plan_s, "S",
              "seconds for the host code of solve() (default: 5)", SECONDS),
    WB_OPTION("--run-limit", REAL, options.limits.run_s, "S",
              "seconds for the kernels of solve() (default: 10)", SECONDS),
    WB_OPTION("--unsafe-no-sandbox", FLAG, no_sandbox, NULL,
              "run the students' code with your own rights, only where you trust them"),
    WB_OPTION("--made-by", TEXT, made_by, "DIGESTS", NULL, .shell = true),
    {0}};

WB_COMMAND(grade){
    .name = "grade",
    .usage = "LAB SUBMISSION...",
    .summary = N_("grades submissions of a lab"),
    .help = N_(
        "LAB is a lab's name (`warpbook labs`), its folder or its lab.json. A SUBMISSION is a .cu "
        "file, a folder of .cu files, or a notebook with a cell that begins with %%grade LAB.\n\n"
        "Exit status: 0 every submission passed every test (points for performance may be "
        "missing), 1 one did not, 2 wrong usage, 3 the machine lacks something."),
    .order = 50,
    .options = options,
    .record = &asked,
    .run = run,
};

/* Returns WB_EXIT_DONE, or an exit status after an error message. */
static int check_arguments(const arguments *a) {
    if (!a->lab || (!a->n && !a->book))
        return wb_cli_usage(&grade, a->lab ? _("no submission is named") : _("no lab is named"));
    if (!a->book && (a->again || a->handed_in != INT64_MIN || a->slurm))
        return wb_cli_usage(&grade, _("--again, --handed-in and --slurm go with --book"));
    if (a->slurm && a->jobs)
        return wb_cli_usage(&grade, _("--jobs has no use with --slurm: Slurm decides how many run "
                                      "at a time"));
    if ((a->form == GRADESCOPE || a->form == CLASSROOM) && a->n != 1)
        return wb_cli_usage(&grade,
                            _("--gradescope and --classroom write the result of one submission"));
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
                      .jobs = (size_t)a->jobs,
                      .options = &a->options,
                      .ctx = &l,
                      .name = name_of,
                      .grade = grade_one,
                      .take = take_report};
    *reports = l.reports;
    if (!l.reports)
        return WB_EXIT_MACHINE;
    gr_batch_result r = gr_batch_run(&batch);
    *n = a->n; /* an interrupted one is empty and can be freed */
    if (wb_cli_interrupted)
        fprintf(stderr, _("warpbook grade: interrupted, no result was written\n"));
    return r.machine_failed ? WB_EXIT_MACHINE : r.failed ? WB_EXIT_FAILED : WB_EXIT_DONE;
}

static int grade_book(const gr_lab *lab, const arguments *a, gr_report **reports, size_t *n) {
    gr_keep keep = {.book = a->book,
                    .lab = lab,
                    .paths = (const char *const *)a->submissions,
                    .n = a->n,
                    .jobs = (size_t)a->jobs,
                    .options = &a->options,
                    .seeded = a->seed.given,
                    .again = a->again,
                    .timed = a->handed_in != INT64_MIN,
                    .at = a->handed_in,
                    .slurm = a->slurm};
    return gr_keep_run(&keep, reports, n);
}

static int write_results(const arguments *a, const gr_report *reports, size_t n) {
    WB_SCOPED_BUF wb_buf text = {0}, page = {0};
    wb_error err = {0};
    bool ok = true;
    forms[a->form](reports, n, &text);
    if (a->output)
        ok = wb_file_write(a->output, text.data, text.len, &err);
    else
        fwrite(text.data, 1, text.len, stdout);
    if (ok && a->html) {
        gr_write_html(reports, n, &page);
        ok = wb_file_write(a->html, page.data, page.len, &err);
    }
    return ok ? WB_EXIT_DONE : lacks("%s", err.text);
}

static int prepare(arguments *a) {
    wb_error err = {0};
    /* the nodes have their own devices; the default is softgpu */
    bool on_nodes = a->slurm && strcmp(a->device, "gpu") == 0;
    if (on_nodes)
        a->options.device = (wb_device){.kind = WB_DEVICE_GPU, .name = "a node's GPU"};
    else if (!wb_device_select(a->slurm ? "soft" : a->device, &a->options.device, &err))
        return lacks("%s", err.text);
    /* lets tests take a GPU's path on a machine without one; the times mean nothing */
    if (!a->slurm && a->options.device.kind == WB_DEVICE_SOFT &&
        getenv("WARPBOOK_TEST_SOFT_AS_GPU")) {
        a->options.device.kind = WB_DEVICE_GPU;
        snprintf(a->options.device.name, sizeof a->options.device.name, "softgpu as a GPU");
    }
    if (a->options.sandbox && !a->slurm && !wb_sandbox_check(&err)) {
        lacks(_("%s; or, where you trust every submission with your own rights, pass "
                "--unsafe-no-sandbox"),
              err.text);
        return WB_EXIT_SANDBOX;
    }
    a->options.seed = a->seed.value;
    if (!a->seed.given && !gr_seed_new(&a->options.seed, &err))
        return lacks("%s", err.text);
    return WB_EXIT_DONE;
}

static gr_lab *find_lab(const char *name) {
    wb_error err = {0};
    gr_lab *lab = gr_lab_find(name, &err);
    if (!lab)
        fprintf(stderr, "warpbook grade: %s\n", err.text);
    return lab;
}

/* Checks --made-by on a Slurm node: the digests under which the book will keep the result. */
static bool is_made_by(const gr_lab *lab, const arguments *a, wb_error *err) {
    char of[WB_SHA256_TEXT], version[WB_SHA256_TEXT], both[2 * WB_SHA256_TEXT];
    if (!gr_lab_digest(lab->path, a->options.device.kind == WB_DEVICE_GPU, of, err))
        return false;
    gr_grader_digest(version);
    snprintf(both, sizeof both, "%s %s", of, version);
    return strcmp(both, a->made_by) == 0 ||
           wb_fail(err, 1,
                   _("this node has another Warpbook, or another version of the lab %s, than the "
                     "call that handed in"),
                   lab->name);
}

/* Grades the named submissions and writes the results. */
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
    arguments *a = &asked;
    a->lab = argc > 1 ? argv[1] : NULL;
    a->submissions = argv + 2;
    a->n = argc > 2 ? (size_t)argc - 2 : 0;
    a->options.sandbox = !a->no_sandbox;
    int status = check_arguments(a);
    a->jobs = a->jobs ? a->jobs : (int64_t)gr_batch_jobs();
    if (a->form == TABLE && a->book)
        a->form = SUMMARY;
    gr_lab *lab = status == WB_EXIT_DONE ? find_lab(a->lab) : NULL;
    if (status == WB_EXIT_DONE)
        status = lab ? run_grading(lab, a) : WB_EXIT_USAGE;
    gr_lab_free(lab);
    return status;
}
