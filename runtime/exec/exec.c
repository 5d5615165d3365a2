/* exec.c: `warpbook run FILE.cu` and `warpbook exec -- PROGRAM` run CUDA programs on a device, with
 * softgpu's checks and counters on request. */
#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/cli/cli.h"
#include "runtime/base/scoped.h"
#include "runtime/base/words.h"
#include "runtime/compile/compile.h"
#include "runtime/device/device.h"
#include "runtime/exec/view.h"
#include "runtime/json/json.h"
#include "runtime/model/choose.h"
#include "runtime/model/gpu.h"

typedef struct request {
    const char *name;   /* the program's name in messages; NULL: its path */
    const char *device; /* "auto", "gpu", "soft", a GPU's name or file */
    const char *model;  /* a GPU's name or file, or NULL */
    bool counters, memcheck, racecheck, json, sample;
    char **rest; /* the arguments after the options */
    int n_rest;
} request;

static request asked;

#define GPU_NAMES "h200, h100, a100, t4, rtx4090, rtx4060-laptop, or a file of your own"
#define SOFT_WORDS                                                                                 \
    "Counters and checks are softgpu's, so they choose it. The exit status is 1 when the program " \
    "or a kernel fails."

#define WB_RECORD request
static const wb_option options[] = {
    WB_OPTION(
        "--device", TEXT, device, "gpu|soft",
        "where it runs (default: a GPU if there is one, else softgpu); a GPU's name is --model"),
    WB_OPTION("--counters", FLAG, counters, NULL,
              "requests, sectors, bank conflicts and divergence of every kernel"),
    WB_OPTION("--memcheck", FLAG, memcheck, NULL,
              "reads of memory that nothing wrote; accesses out of bounds are always reported"),
    WB_OPTION("--racecheck", FLAG, racecheck, NULL,
              "accesses to the same memory that no barrier, atomic or fence orders"),
    WB_OPTION(
        "--model", TEXT, model, "NAME",
        "the time of each launch on that GPU, and the source lines that it goes to: " GPU_NAMES),
    WB_OPTION("--sample", FLAG, sample, NULL,
              "with --model: run only as many blocks of each launch as its time needs; results are "
              "incomplete then; `warpbook predict` does this"),
    WB_OPTION("--json", FLAG, json, NULL,
              "print softgpu's report as one JSON document; the program's output goes to stderr"),
    {0}};

/* A launch with differing blocks must run whole; this limits it, in seconds (--sample). */
#define WHOLE_S "60"

static int run_program(int argc, char **argv);
static int exec_program(int argc, char **argv);

WB_COMMAND(run_command){
    .name = "run",
    .usage = "FILE.cu... [NVCC'S FLAGS] [-- ARGS]",
    .summary = N_("compiles and runs a CUDA program"),
    .help = N_(
        "Compiles the files into one program and runs it with ARGS. nvcc's own flags may follow "
        "the first file: -I include -DN=3 -std=c++20 --expt-relaxed-constexpr. " SOFT_WORDS),
    .order = 30,
    .options = options,
    .place = WB_OPTION_LEADING,
    .record = &asked,
    .run = run_program};

WB_COMMAND(exec_command){
    .name = "exec",
    .usage = "-- PROGRAM [ARGS]",
    .summary = N_("runs an existing CUDA program on a device"),
    .help = N_("Runs PROGRAM, built with `nvcc -cudart shared`, on a device. " SOFT_WORDS),
    .order = 31,
    .options = options,
    .place = WB_OPTION_LEADING,
    .record = &asked,
    .run = exec_program};

/* ---- the command line --------------------------------------------------------------------- */

static bool names_a_gpu(const char *device) {
    return device && !wb_word_among(device, strlen(device), "auto gpu soft softgpu none");
}

/* Takes the arguments after the options, and checks the options. Returns 0 or the exit status. */
static int check(const wb_command *command, int argc, char **argv, request *r) {
    bool soft = r->counters || r->memcheck || r->racecheck || r->json || r->model;
    if (soft && r->device != NULL && strcmp(r->device, "gpu") == 0)
        return wb_cli_usage(
            command, _("counters, checks, --model and --json are softgpu's: leave --device gpu "
                       "out"));
    bool watched = r->counters || r->memcheck || r->racecheck;
    if (r->sample && (watched || !(r->model || names_a_gpu(r->device))))
        return wb_cli_usage(command,
                            _("--sample goes with --model, and not with counters or checks: "
                              "those look at every block"));
    wb_error err;
    char *gpu = names_a_gpu(r->device) ? model_gpu_file(r->device, &err) : NULL;
    if (names_a_gpu(r->device) && !gpu)
        return wb_cli_usage(command, _("--device takes gpu, soft or a GPU's name, not '%.60s': %s"),
                            r->device, err.text);
    free(gpu);
    if (r->device == NULL)
        r->device = soft ? "soft" : "auto";
    else if (soft && strcmp(r->device, "auto") == 0)
        r->device = "soft";
    r->rest = argv + 1;
    r->n_rest = argc - 1;
    return 0;
}

/* ---- running ------------------------------------------------------------------------------ */

/* Sets the environment that models all launches on the device's GPU. */
static void ask_for_times(const wb_device *device, bool sample) {
    char **entries = wb_device_gpu_entries(device);
    for (char **e = entries; e && *e; e++)
        putenv(*e);
    setenv("WARPBOOK_SOFTGPU_TRACE", "1", 1);
    setenv("WARPBOOK_SOFTGPU_SHARES", "1", 1);
    if (sample)
        setenv("WARPBOOK_SOFTGPU_SAMPLE", WHOLE_S, 0);
}

static void child(const request *r, const wb_device *device, char **argv, const char *library_path,
                  const char *report) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    putenv((char *)library_path);
    setenv("WARPBOOK_SOFTGPU_REPORT", report, 1);
    if (r->counters) {
        setenv("WARPBOOK_SOFTGPU_COUNTERS", "1", 1);
        setenv("WARPBOOK_SOFTGPU_LINES", "1", 1);
    }
    if (r->memcheck)
        setenv("WARPBOOK_SOFTGPU_INITCHECK", "1", 1);
    if (r->racecheck)
        setenv("WARPBOOK_SOFTGPU_RACECHECK", "1", 1);
    if (device->stands_in)
        ask_for_times(device, r->sample);
    if (r->json)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(argv[0], argv);
    fprintf(stderr, _("warpbook: %s can't be run: %s\n"), argv[0], strerror(errno));
    _exit(127);
}

/* Waits for the child. Terminal interrupts reach it directly; passes on other signals. */
static int wait_for(pid_t pid) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    int status = 0;
    sigaction(SIGINT, &ignore, &before);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        if (wb_cli_interrupted)
            kill(pid, wb_cli_interrupted);
    sigaction(SIGINT, &before, NULL);
    return status;
}

static void say_how_it_ended(const char *program, int status) {
    if (WIFSIGNALED(status))
        fprintf(stderr, _("warpbook: %s ended by signal %d (%s)\n"), program, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 127)
        fprintf(stderr, _("warpbook: %s ended with exit status %d\n"), program,
                WEXITSTATUS(status));
}

/* Returns true if a launch was refused and never checked, so that its work is missing. */
static bool lost_a_launch(const json_t *report) {
    return wb_field_true(json_object_get(report, "unchecked"), "launch");
}

/* Returns the width of the terminal, or of a page. */
static size_t terminal_width(void) {
    struct winsize size = {.ws_col = 0};
    const char *columns = getenv("COLUMNS");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return columns && atoi(columns) > 0 ? (size_t)atoi(columns) : 100;
}

/* Says what was checked and not found, because silence could mean no check. */
static void say_nothing_found(const request *r, const json_t *report) {
    WB_SCOPED_BUF wb_buf text = {0};
    if (r->memcheck)
        wb_view_verdict(report, false, &text);
    if (r->racecheck)
        wb_view_verdict(report, true, &text);
    fputs(text.data ? text.data : "", stderr);
}

static int show(const request *r, const wb_device *device, const char *program, int status,
                json_t *report) {
    bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    bool fault = json_is_object(json_object_get(report, "fault")) || lost_a_launch(report);
    bool refused = json_array_size(json_object_get(report, "refused")) > 0;
    if (report == NULL && device->kind == WB_DEVICE_SOFT && !failed)
        fprintf(stderr,
                _("warpbook: %s did not load libcudart.so.13: it uses no CUDA, or was linked "
                  "with the static runtime; build it with nvcc -cudart shared\n"),
                program);
    if (report != NULL && r->json) {
        wb_json_say(json_incref(report), JSON_COMPACT, stdout);
    } else if (report != NULL) {
        wb_buf text = {0};
        wb_view_report(report, r->counters, terminal_width(), &text);
        if (failed)
            wb_view_answered(report, &text);
        if (text.len > 0 && !text.failed)
            fputs(text.data, stderr);
        wb_buf_free(&text);
        if (!failed && !fault && !refused)
            say_nothing_found(r, report);
    }
    say_how_it_ended(program, status);
    if (refused)
        fprintf(stderr,
                _("warpbook: softgpu refused part of what %s asked for, so its results may be "
                  "wrong\n"),
                program);
    return failed || fault || refused ? WB_EXIT_FAILED : WB_EXIT_DONE;
}

/* Runs the program. `folder` is for the report. */
static int run_on_device(const request *r, const wb_device *device, const char *folder,
                         char **argv) {
    WB_SCOPED char *report_path = wb_format("%s/report.json", folder);
    WB_SCOPED char *library_path = wb_device_environment(device);
    fflush(NULL);
    pid_t pid = report_path != NULL && library_path != NULL ? fork() : -1;
    if (pid == 0)
        child(r, device, argv, library_path, report_path);
    if (pid < 0) {
        fprintf(stderr, _("warpbook: no process could be started: %s\n"), strerror(errno));
        return WB_EXIT_MACHINE;
    }
    int status = wait_for(pid);
    WB_SCOPED_JSON json_t *report = json_load_file(report_path, 0, NULL);
    wb_view_quote(report);
    return show(r, device, r->name ? r->name : argv[0], status, report);
}

static bool choose(const char *name, const request *r, wb_device *device) {
    wb_error err;
    if (model_choose_device(r->device, device, &err) &&
        (r->model == NULL || model_stand_in(r->model, device, &err)))
        return true;
    fprintf(stderr, "warpbook %s: %s\n", name, err.text);
    return false;
}

static int exec_program(int argc, char **argv) {
    request r = asked;
    wb_device device;
    wb_error err;
    int status = check(&exec_command, argc, argv, &r);
    if (status != 0)
        return status;
    if (r.n_rest > 0 && strcmp(r.rest[0], "--") == 0) {
        r.rest++;
        r.n_rest--;
    }
    if (r.n_rest == 0)
        return wb_cli_usage(&exec_command, _("which program?"));
    if (!choose("exec", &r, &device))
        return WB_EXIT_MACHINE;
    wb_cli_catch_interrupts();
    WB_SCOPED char *folder = wb_dir_temp("exec", &err);
    if (folder == NULL) {
        fprintf(stderr, "warpbook exec: %s\n", err.text);
        return WB_EXIT_MACHINE;
    }
    status = run_on_device(&r, &device, folder, r.rest);
    wb_dir_remove(folder, NULL);
    return status;
}

/* ---- predict ------------------------------------------------------------------------------ */

static int predict_program(int argc, char **argv);

static const wb_option predict_options[] = {
    WB_OPTION("--model", TEXT, model, "NAME", "the GPU: " GPU_NAMES " (default: h200)"),
    WB_OPTION("--json", FLAG, json, NULL,
              "print one JSON document; the program's output goes to stderr"),
    {0}};

WB_COMMAND(predict_command){
    .name = "predict",
    .usage = "FILE.cu... [-- ARGS]",
    .summary = N_("what a program's launches would take on a GPU that is not here"),
    .help = N_(
        "Compiles the files into one program, or takes a built one (-- PROGRAM ARGS). It runs "
        "only as many blocks of each launch as the launch's time on that GPU needs, so a GPU's "
        "own sizes take seconds. The program's results are incomplete then, and what it prints "
        "of them is wrong.\n\n"
        "A launch whose blocks differ, or depend on data, runs whole. A launch that needs more "
        "than " WHOLE_S " s for this gets a reason in place of a time."),
    .order = 32,
    .options = predict_options,
    .place = WB_OPTION_LEADING,
    .record = &asked,
    .run = predict_program};

/* Runs `predict WORDS` as `run --sample --model h200 WORDS`. */
static int predict_program(int argc, char **argv) {
    asked.sample = true;
    asked.model = asked.model ? asked.model : "h200";
    return argc < 2 ? wb_cli_usage(&predict_command, _("which file?"))
                    : (strcmp(argv[1], "--") == 0 ? exec_program : run_program)(argc, argv);
}

/* ---- run ---------------------------------------------------------------------------------- */

/* Returns true if the flag of nvcc takes the next word as its value. */
static bool takes_the_next(const char *flag) {
    return wb_word_among(flag, strlen(flag),
                         "-I -D -U -L -l -include -isystem -std -arch -gencode -Xcompiler -Xptxas "
                         "-Xlinker -maxrregcount");
}

/* Splits the arguments. Before "--" are sources and nvcc's flags, after it the program's. */
static int split(request *r, const char **sources, const char **flags, char ***args) {
    int n_sources = 0, n_flags = 0, i = 0;
    for (; i < r->n_rest && strcmp(r->rest[i], "--") != 0; i++) {
        bool flag = r->rest[i][0] == '-';
        if (flag)
            flags[n_flags++] = r->rest[i];
        else
            sources[n_sources++] = r->rest[i];
        if (flag && takes_the_next(r->rest[i]) && i + 1 < r->n_rest)
            flags[n_flags++] = r->rest[++i];
    }
    sources[n_sources] = flags[n_flags] = NULL;
    *args = i < r->n_rest ? r->rest + i + 1 : r->rest + i;
    return n_sources;
}

static bool readable(const char *const *sources) {
    for (; *sources != NULL; sources++) {
        if (access(*sources, R_OK) != 0) {
            fprintf(stderr, "warpbook run: %s: %s\n", *sources, strerror(errno));
            return false;
        }
    }
    return true;
}

static void say_wait(void *ctx, const char *text) {
    (void)ctx;
    fprintf(stderr, "warpbook run: %s\n", text);
}

/* Returns 0, or the exit status. */
static int compile(const wb_device *device, const char *const *sources, const char *const *flags,
                   const char *output) {
    wb_error err;
    wb_compile_result result = {0};
    wb_compile_spec spec = {.kind = WB_COMPILE_PROGRAM,
                            .sources = sources,
                            .flags = flags,
                            .output = output,
                            .device = device,
                            .line_info = true,
                            .auto_link = true,
                            .say = say_wait,
                            .stop = &wb_cli_interrupted};
    int status = 0;
    if (!wb_compile(&spec, &result, &err)) {
        fprintf(stderr, "warpbook run: %s\n", err.text);
        status = WB_EXIT_MACHINE;
    } else {
        if (result.log != NULL)
            fputs(result.log, stderr);
        status = result.ok ? 0 : WB_EXIT_FAILED;
    }
    wb_compile_result_free(&result);
    return status;
}

static int compile_and_run(const request *r, const wb_device *device, const char *folder,
                           const char *const *sources, const char *const *flags, char **args) {
    WB_SCOPED char *program = wb_format("%s/program", folder);
    size_t n = 0;
    while (args[n] != NULL)
        n++;
    WB_SCOPED char **argv = calloc(n + 2, sizeof *argv);
    if (program == NULL || argv == NULL)
        return WB_EXIT_MACHINE;
    argv[0] = program;
    memcpy(argv + 1, args, n * sizeof *args);
    int status = compile(device, sources, flags, program);
    return status == 0 ? run_on_device(r, device, folder, argv) : status;
}

static int run_program(int argc, char **argv) {
    request r = asked;
    wb_device device;
    wb_error err;
    char **args;
    int status = check(&run_command, argc, argv, &r);
    if (status != 0)
        return status;
    WB_SCOPED const char **sources = calloc((size_t)argc + 1, sizeof *sources);
    WB_SCOPED const char **flags = calloc((size_t)argc + 1, sizeof *flags);
    WB_SCOPED char *folder = NULL;
    wb_cli_catch_interrupts();
    if (sources == NULL || flags == NULL)
        status = WB_EXIT_MACHINE;
    else if (split(&r, sources, flags, &args) == 0)
        status = wb_cli_usage(&run_command, _("which file?"));
    else if (!readable(sources))
        status = WB_EXIT_FAILED;
    else if (!choose("run", &r, &device))
        status = WB_EXIT_MACHINE;
    else if ((folder = wb_dir_temp("run", &err)) == NULL) {
        fprintf(stderr, "warpbook run: %s\n", err.text);
        status = WB_EXIT_MACHINE;
    } else {
        r.name = sources[0]; /* the program is in a temporary folder */
        status = compile_and_run(&r, &device, folder, sources, flags, args);
        wb_dir_remove(folder, NULL);
    }
    return status;
}
