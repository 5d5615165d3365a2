/* exec.c: `warpbook run FILE.cu` and `warpbook exec -- PROGRAM`: CUDA programs on a device, with
 * softgpu's checks and counters where they are asked for. */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/cli/cli.h"
#include "runtime/base/language.h"
#include "runtime/compile/compile.h"
#include "runtime/device/device.h"
#include "runtime/exec/view.h"
#include "runtime/model/choose.h"
#include "runtime/model/gpu.h"

typedef struct request {
    const char *name;   /* of the program in messages; NULL: its path */
    const char *device; /* "auto", "gpu", "soft", a GPU's name or file */
    const char *model;  /* a GPU's name or file; NULL: none */
    bool counters, memcheck, racecheck, json, sample;
    char **rest; /* what follows the flags */
    int n_rest;
} request;

#define FLAGS_HELP                                                                                 \
    "  --device gpu|soft   where it runs (default: a GPU if there is one, else softgpu); a "       \
    "GPU's\n"                                                                                      \
    "                      name is --model\n"                                                      \
    "  --counters          requests, sectors, bank conflicts and divergence of every kernel\n"     \
    "  --memcheck          reads of memory that nothing wrote; accesses out of bounds are\n"       \
    "                      always reported\n"                                                      \
    "  --racecheck         accesses to the same memory that no barrier, atomic or fence orders\n"  \
    "  --model NAME        what each launch would take on that GPU, and which source lines "       \
    "that\n"                                                                                       \
    "                      time goes to: h200, h100, a100, t4, rtx4090, rtx4060-laptop, or "       \
    "a\n"                                                                                          \
    "                      file of your own\n"                                                     \
    "  --sample            with --model: of each launch only as many blocks run as tell its "      \
    "time\n"                                                                                       \
    "                      (results are not whole then); `warpbook predict` does that\n"           \
    "  --json              softgpu's report as one JSON document on stdout; what the program\n"    \
    "                      prints goes to stderr\n"                                                \
    "Counters and checks are softgpu's, so they choose it. The exit status is 1 when the "         \
    "program\n"                                                                                    \
    "fails or a kernel does.\n"

/* A launch whose blocks differ has to run whole, which may take so many seconds (--sample). */
#define WHOLE_S "60"

static int run_program(int argc, char **argv);
static int exec_program(int argc, char **argv);

WB_COMMAND(run_command){
    .name = "run",
    .usage = "[FLAGS] FILE.cu... [NVCC'S FLAGS] [-- ARGS]",
    .summary = "compiles and runs a CUDA program",
    .help =
        "Compiles the files into one program and runs it with ARGS. Behind the first file, nvcc's "
        "own flags\nmay stand: -I include -DN=3 -std=c++20 "
        "--expt-relaxed-constexpr.\n\n" FLAGS_HELP,
    .order = 30,
    .values = "--device --model",
    .flags = "--counters --memcheck --racecheck --sample --json",
    .leading = true,
    .run = run_program};

WB_COMMAND(exec_command){
    .name = "exec",
    .usage = "[FLAGS] -- PROGRAM [ARGS]",
    .summary = "runs an existing CUDA program on a device",
    .help = "Runs PROGRAM, built with `nvcc -cudart shared`, on a device.\n\n" FLAGS_HELP,
    .order = 31,
    .values = "--device --model",
    .flags = "--counters --memcheck --racecheck --sample --json",
    .leading = true,
    .run = exec_program};

/* ---- the command line --------------------------------------------------------------------- */

static bool names_a_gpu(const char *device) {
    static const char *const others[] = {"auto", "gpu", "soft", "softgpu", "none"};
    for (size_t i = 0; device && i < WB_COUNT(others); i++)
        if (strcmp(device, others[i]) == 0)
            return false;
    return device != NULL;
}

/* Reads the flags up to the first other word; 0, or the exit status. */
static int parse(const wb_command *command, int argc, char **argv, request *r) {
    int i = 1;
    *r = (request){.device = NULL};
    for (; i < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2] != '\0'; i++) {
        const char *flag = argv[i];
        if (strcmp(flag, "--device") == 0)
            r->device = argv[++i]; /* there is one: runtime/cli/words.c */
        else if (strcmp(flag, "--model") == 0)
            r->model = argv[++i];
        else if (strcmp(flag, "--counters") == 0)
            r->counters = true;
        else if (strcmp(flag, "--memcheck") == 0)
            r->memcheck = true;
        else if (strcmp(flag, "--racecheck") == 0)
            r->racecheck = true;
        else if (strcmp(flag, "--sample") == 0)
            r->sample = true;
        else
            r->json = true;
    }
    bool soft = r->counters || r->memcheck || r->racecheck || r->json || r->model;
    if (soft && r->device != NULL && strcmp(r->device, "gpu") == 0)
        return wb_cli_usage(
            command, "counters, checks, --model and --json are softgpu's: leave --device gpu "
                     "out");
    bool watched = r->counters || r->memcheck || r->racecheck;
    if (r->sample && (watched || !(r->model || names_a_gpu(r->device))))
        return wb_cli_usage(command, "--sample goes with --model, and not with counters or checks: "
                                     "those look at every block");
    wb_error err;
    char *gpu = names_a_gpu(r->device) ? model_gpu_file(r->device, &err) : NULL;
    if (names_a_gpu(r->device) && !gpu)
        return wb_cli_usage(command, "--device takes gpu, soft or a GPU's name, not '%.60s': %s",
                            r->device, err.text);
    free(gpu);
    if (r->device == NULL)
        r->device = soft ? "soft" : "auto";
    else if (soft && strcmp(r->device, "auto") == 0)
        r->device = "soft";
    r->rest = argv + i;
    r->n_rest = argc - i;
    return 0;
}

/* ---- running ------------------------------------------------------------------------------ */

/* The GPU that softgpu stands for, and the times of all launches on it. */
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
    fprintf(stderr, wb_tr("warpbook: %s can't be run: %s\n"), argv[0], strerror(errno));
    _exit(127);
}

/* Waits for the child; an interrupt from the terminal reaches it too and is its to answer. What
 * ends us alone is handed on. */
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

static json_t *read_report(const char *path) {
    json_t *report = wb_file_exists(path) ? json_load_file(path, 0, NULL) : NULL;
    return report;
}

static void say_how_it_ended(const char *program, int status) {
    if (WIFSIGNALED(status))
        fprintf(stderr, wb_tr("warpbook: %s ended by signal %d (%s)\n"), program, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 127)
        fprintf(stderr, wb_tr("warpbook: %s ended with exit status %d\n"), program,
                WEXITSTATUS(status));
}

/* <<<...>>> has no result, so a launch that was refused and not asked for is work left undone. */
static bool lost_a_launch(const json_t *report) {
    return json_is_true(json_object_get(json_object_get(report, "unchecked"), "launch"));
}

/* Of the terminal that is written to, or of a page. */
static size_t terminal_width(void) {
    struct winsize size = {.ws_col = 0};
    const char *columns = getenv("COLUMNS");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return columns && atoi(columns) > 0 ? (size_t)atoi(columns) : 100;
}

/* What was looked for, and that it is not there: silence might mean that nobody looked. */
static void say_nothing_found(const request *r, const json_t *report) {
    size_t launches = json_array_size(json_object_get(report, "launches")) +
                      (size_t)json_integer_value(json_object_get(report, "dropped"));
    const char *checks[] = {r->memcheck ? "memcheck" : NULL, r->racecheck ? "racecheck" : NULL};
    for (size_t i = 0; i < WB_COUNT(checks); i++)
        if (checks[i])
            fprintf(stderr, wb_tr("%s: nothing found in %zu kernel launch%s\n"), checks[i],
                    launches, launches == 1 ? "" : "es");
}

static int show(const request *r, const wb_device *device, const char *program, int status,
                json_t *report) {
    bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    bool fault = json_is_object(json_object_get(report, "fault")) || lost_a_launch(report);
    bool refused = json_array_size(json_object_get(report, "refused")) > 0;
    if (report == NULL && device->kind == WB_DEVICE_SOFT && !failed)
        fprintf(stderr,
                wb_tr("warpbook: %s did not load libcudart.so.13: it uses no CUDA, or was linked "
                      "with the static runtime; build it with nvcc -cudart shared\n"),
                program);
    if (report != NULL && r->json) {
        json_dumpf(report, stdout, JSON_COMPACT);
        putchar('\n');
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
                wb_tr("warpbook: softgpu refused part of what %s asked for, so its results may be "
                      "wrong\n"),
                program);
    return failed || fault || refused ? WB_EXIT_FAILED : WB_EXIT_DONE;
}

/* `folder` is for the report. */
static int run_on_device(const request *r, const wb_device *device, const char *folder,
                         char **argv) {
    char *report_path = wb_format("%s/report.json", folder);
    char *library_path = wb_device_environment(device);
    int result = WB_EXIT_MACHINE;
    fflush(NULL);
    pid_t pid = report_path != NULL && library_path != NULL ? fork() : -1;
    if (pid == 0)
        child(r, device, argv, library_path, report_path);
    if (pid < 0) {
        fprintf(stderr, wb_tr("warpbook: no process could be started: %s\n"), strerror(errno));
    } else {
        int status = wait_for(pid);
        json_t *report = read_report(report_path);
        wb_view_quote(report);
        result = show(r, device, r->name ? r->name : argv[0], status, report);
        json_decref(report);
    }
    free(report_path);
    free(library_path);
    return result;
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
    request r;
    wb_device device;
    wb_error err;
    int status = parse(&exec_command, argc, argv, &r);
    if (status != 0)
        return status;
    if (r.n_rest > 0 && strcmp(r.rest[0], "--") == 0) {
        r.rest++;
        r.n_rest--;
    }
    if (r.n_rest == 0)
        return wb_cli_usage(&exec_command, "which program?");
    if (!choose("exec", &r, &device))
        return WB_EXIT_MACHINE;
    wb_cli_catch_interrupts();
    char *folder = wb_dir_temp("exec", &err);
    if (folder == NULL) {
        fprintf(stderr, "warpbook exec: %s\n", err.text);
        return WB_EXIT_MACHINE;
    }
    status = run_on_device(&r, &device, folder, r.rest);
    wb_dir_remove(folder, NULL);
    free(folder);
    return status;
}

/* ---- predict ------------------------------------------------------------------------------ */

static int predict_program(int argc, char **argv);
WB_COMMAND(predict_command){
    .name = "predict",
    .usage = "[--model NAME] [--json] FILE.cu... [-- ARGS]",
    .summary = "what a program's launches would take on a GPU that is not here",
    .help =
        "Compiles the files into one program, or takes a built one (-- PROGRAM ARGS), and runs of "
        "each launch\nonly as many blocks as tell its time on that GPU (default: h200): sizes of "
        "a GPU's kind in seconds.\nWhat the program computes is not whole then, and what it "
        "prints of it is not right.\n\n"
        "A launch whose blocks differ, or do what they read, runs whole; where that would take "
        "longer than\n" WHOLE_S " s it has no time, and is told why.\n\n"
        "  --model NAME        h200, h100, a100, t4, rtx4090, rtx4060-laptop, or a file of your "
        "own\n"
        "  --json              one JSON document on stdout; what the program prints goes to "
        "stderr\n",
    .order = 32,
    .values = "--model",
    .flags = "--json",
    .leading = true,
    .run = predict_program};

/* `predict WORDS` is `run --sample --model h200 WORDS`; the last --model counts. */
static int predict_program(int argc, char **argv) {
    static char sample[] = "--sample", model[] = "--model", h200[] = "h200";
    char **words = calloc((size_t)argc + 4, sizeof *words);
    int i = 1;
    if (words == NULL)
        return WB_EXIT_MACHINE;
    words[0] = argv[0];
    words[1] = sample;
    words[2] = model;
    words[3] = h200;
    memcpy(words + 4, argv + 1, (size_t)(argc - 1) * sizeof *words);
    while (i < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2] != '\0')
        i += strcmp(argv[i], "--model") == 0 ? 2 : 1;
    bool built = i < argc && strcmp(argv[i], "--") == 0;
    int status = i >= argc ? wb_cli_usage(&predict_command, "which file?")
                           : (built ? exec_program : run_program)(argc + 3, words);
    free(words);
    return status;
}

/* ---- run ---------------------------------------------------------------------------------- */

/* Whether the next word is this flag's value: of nvcc's flags that a build of one program has. */
static bool takes_the_next(const char *flag) {
    static const char *const some[] = {
        "-I",   "-D",    "-U",       "-L",         "-l",      "-include", "-isystem",
        "-std", "-arch", "-gencode", "-Xcompiler", "-Xptxas", "-Xlinker", "-maxrregcount"};
    for (size_t i = 0; i < WB_COUNT(some); i++)
        if (strcmp(flag, some[i]) == 0)
            return true;
    return false;
}

/* The words before "--" are sources and flags of nvcc; the rest is the program's. */
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

/* 0, or the exit status. */
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
    char *program = wb_format("%s/program", folder);
    size_t n = 0;
    while (args[n] != NULL)
        n++;
    char **argv = calloc(n + 2, sizeof *argv);
    int status = WB_EXIT_MACHINE;
    if (program != NULL && argv != NULL) {
        argv[0] = program;
        memcpy(argv + 1, args, n * sizeof *args);
        status = compile(device, sources, flags, program);
        if (status == 0)
            status = run_on_device(r, device, folder, argv);
    }
    free(argv);
    free(program);
    return status;
}

static int run_program(int argc, char **argv) {
    request r;
    wb_device device;
    wb_error err;
    char **args;
    int status = parse(&run_command, argc, argv, &r);
    if (status != 0)
        return status;
    const char **sources = calloc((size_t)argc + 1, sizeof *sources);
    const char **flags = calloc((size_t)argc + 1, sizeof *flags);
    char *folder = NULL;
    wb_cli_catch_interrupts();
    if (sources == NULL || flags == NULL)
        status = WB_EXIT_MACHINE;
    else if (split(&r, sources, flags, &args) == 0)
        status = wb_cli_usage(&run_command, "which file?");
    else if (!readable(sources))
        status = WB_EXIT_FAILED;
    else if (!choose("run", &r, &device))
        status = WB_EXIT_MACHINE;
    else if ((folder = wb_dir_temp("run", &err)) == NULL) {
        fprintf(stderr, "warpbook run: %s\n", err.text);
        status = WB_EXIT_MACHINE;
    } else {
        r.name = sources[0]; /* the program lies in a folder that goes with us */
        status = compile_and_run(&r, &device, folder, sources, flags, args);
        wb_dir_remove(folder, NULL);
    }
    free(folder);
    free(sources);
    free(flags);
    return status;
}
