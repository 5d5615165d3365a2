/* command.c: `warpbook kernel`, which connects the rooms, and `warpbook install`. */
#include <unistd.h>

#include "jupyter_kernel/debug/debugger.h"
#include "jupyter_kernel/help/complete.h"
#include "jupyter_kernel/help/inspect.h"
#include "jupyter_kernel/magics/magics.h"
#include "jupyter_kernel/server/handlers.h"
#include "jupyter_kernel/server/loop.h"
#include "runtime/cli/cli.h"

/* ---- warpbook kernel ---------------------------------------------------------------------- */

static int run_kernel(int argc, char **argv);

WB_COMMAND(kernel_command){
    .name = "kernel",
    .usage = "-f FILE",
    .summary = N_("the Jupyter kernel; Jupyter starts it"),
    .help = N_(
        "FILE is the connection file a Jupyter client wrote; other words, which Jupyter's "
        "commands\n"
        "hand on, are ignored. Environment:\n"
        "  WARPBOOK_DEVICE        auto, gpu or soft: where cells run\n"
        "  WARPBOOK_OUTPUT_LIMIT  bytes a cell shows before the rest goes to a file (8388608)\n"
        "  WARPBOOK_HISTORY       the history's file, or :memory:"),
    .order = 10,
    .run = run_kernel,
};

static const handler help_handlers[] = {
    {"complete_request", FROM_SHELL | FROM_SUBSHELL, handle_complete},
    {"inspect_request", FROM_SHELL | FROM_SUBSHELL, handle_inspect},
    {NULL, 0, NULL},
};

/* Returns the argument after -f, or NULL. Jupyter's commands pass all their own arguments on to the
 * kernel (`jupyter run FILE`), so it ignores the others. */
static const char *connection_file(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "-f") == 0)
            return argv[i + 1];
    return NULL;
}

static wb_session *session_of(void *ctx) {
    return live_peek(&((cells *)ctx)->live);
}

static void warm(void *ctx) {
    live_warm(&((cells *)ctx)->live);
}

static void close_cells(void *ctx) {
    live_close(&((cells *)ctx)->live);
    debugger_close(ctx);
}

static int run_kernel(int argc, char **argv) {
    const char *file = connection_file(argc, argv);
    if (!file)
        return wb_cli_usage(&kernel_command, argc < 2 ? _("which connection file?")
                                                      : _("a connection file, after -f"));
    static const cell_words words = {magics_is_line, magics_run, magics_shell, inspect_name,
                                     debugger_join};
    static const handler *const handlers[] = {server_handlers, execution_handlers, debug_handlers,
                                              help_handlers, NULL};
    static cells cells = {.words = &words};
    live_init(&cells.live);
    debugger_open(&cells);
    const kernel_parts parts = {handlers,    &cells,       session_of,    warm,
                                close_cells, debugger_fds, debugger_serve};
    return kernel_run(file, &parts);
}

/* ---- warpbook install --------------------------------------------------------------------- */

typedef struct place {
    bool user, sys_prefix, json;
    const char *prefix;
} place;
static place asked;
#define WB_RECORD place

static int run_install(int argc, char **argv);

static const wb_option options[] = {
    WB_OPTION("--user", FLAG, user, NULL, "for you alone (the default, unless you are root)"),
    WB_OPTION("--prefix", TEXT, prefix, "P", "into P/share/jupyter"),
    WB_OPTION("--sys-prefix", FLAG, sys_prefix, NULL,
              "into the environment of the python3 on $PATH (a virtual environment)"),
    WB_OPTION_JSON(json),
    {0}};

WB_COMMAND(install_command){
    .name = "install",
    .usage = "",
    .summary = N_("installs the kernelspec, so that Jupyter finds the kernel"),
    .help = N_("Without an option, root installs into /usr/local/share/jupyter, for everyone."),
    .order = 20,
    .options = options,
    .record = &asked,
    .run = run_install,
};

static char *user_folder(void) {
    const char *jupyter = wb_setting("JUPYTER_DATA_DIR"), *data = wb_setting("XDG_DATA_HOME");
    const char *home = wb_setting("HOME");
    return jupyter ? strdup(jupyter)
           : data  ? wb_format("%s/jupyter", data)
           : home  ? wb_format("%s/.local/share/jupyter", home)
                   : NULL;
}

static char *sys_prefix_folder(wb_error *err) {
    const char *argv[] = {"python3", "-c", "import sys; print(sys.prefix)", NULL};
    wb_proc_spec spec = {.argv = argv, .timeout_s = 30, .max_output = 4096};
    wb_proc_result result;
    char *folder = NULL;
    if (wb_proc_run(&spec, &result, err)) {
        if (result.exit_code == 0 && result.out.len > 1)
            folder = wb_format("%.*s/share/jupyter", (int)strcspn(result.out.data, "\n"),
                               result.out.data);
        else
            wb_fail(err, 1, _("python3 did not say where its prefix is"));
    }
    wb_proc_result_free(&result);
    return folder;
}

static bool copy_shared(const char *from, const char *folder, const char *name, wb_error *err) {
    char source_name[64];
    snprintf(source_name, sizeof source_name, "%s/%s", from, name);
    WB_SCOPED char *source = wb_path_share(source_name), *target = wb_format("%s/%s", folder, name);
    WB_SCOPED_BUF wb_buf data = {0};
    return source && target && wb_file_read(source, 1 << 20, &data, err) &&
           wb_file_write(target, data.data, data.len, err);
}

/* One kernelspec for each language. A notebook names its kernel in metadata.kernelspec, so it is
 * Chinese with every client and in every locale. */
static const struct {
    const char *name, *title, *language; /* NULL: follow the environment */
} kernels[] = {{"warpbook", "CUDA C++ (Warpbook)", NULL},
               {"warpbook-zh", "CUDA C++ (Warpbook, 中文)", "zh"}};

static bool write_spec(const char *folder, const char *title, const char *language, wb_error *err) {
    WB_SCOPED char *program = wb_path_bin(), *path = wb_format("%s/kernel.json", folder);
    json_t *spec =
        json_pack("{s:[s, s, s, s], s:s, s:s, s:s, s:{s:b, s:s}, s:{s:s*}}", "argv",
                  program ? program : "", "kernel", "-f", "{connection_file}", "display_name",
                  title, "language", "c++", "interrupt_mode", "message", "metadata", "debugger", 1,
                  "supported_encryption", "curve", "env", "WARPBOOK_LANGUAGE", language);
    WB_SCOPED char *text = wb_json_dump(spec, JSON_INDENT(2));
    return program && path && text && wb_dir_make(folder, err) &&
           wb_file_write(path, text, strlen(text), err) &&
           copy_shared("kernelspec", folder, "logo-32x32.png", err) &&
           copy_shared("kernelspec", folder, "logo-64x64.png", err) &&
           copy_shared("kernelspec", folder, "logo-svg.svg", err);
}

/* Installs a JupyterLab extension that highlights CUDA. It needs no build. */
static bool write_extension(const char *jupyter, wb_error *err) {
    WB_SCOPED char *folder = wb_format("%s/labextensions/warpbook-cuda", jupyter);
    WB_SCOPED char *program = folder ? wb_format("%s/static", folder) : NULL;
    return program && wb_dir_make(program, err) &&
           copy_shared("lab", folder, "package.json", err) &&
           copy_shared("lab", program, "remoteEntry.js", err);
}

static int install_into(const char *jupyter, bool json) {
    wb_error err = {.text = "out of memory"};
    bool ok = write_extension(jupyter, &err);
    for (size_t i = 0; i < WB_COUNT(kernels) && ok; i++) {
        WB_SCOPED char *folder = wb_format("%s/kernels/%s", jupyter, kernels[i].name);
        ok = folder && write_spec(folder, kernels[i].title, kernels[i].language, &err);
    }
    if (!ok)
        fprintf(stderr, "warpbook install: %s\n", err.text);
    else if (json)
        printf("{\"kernelspec\": \"%s/kernels/%s\"}\n", jupyter, kernels[0].name);
    else
        printf(_("The kernel is installed in %s/kernels/%s\n"), jupyter, kernels[0].name);
    return ok ? WB_EXIT_DONE : WB_EXIT_MACHINE;
}

static int run_install(int argc, char **argv) {
    if (argc > 1 || asked.user + asked.sys_prefix + (asked.prefix != NULL) > 1)
        return wb_cli_usage(&install_command,
                            _("it takes one of --user, --prefix P, --sys-prefix"));
    (void)argv;
    wb_error err = {.text = "there is no home folder; --prefix P says where to install"};
    if (!asked.user && !asked.sys_prefix && !asked.prefix && geteuid() == 0)
        asked.prefix = "/usr/local";
    WB_SCOPED char *folder = asked.prefix       ? wb_format("%s/share/jupyter", asked.prefix)
                             : asked.sys_prefix ? sys_prefix_folder(&err)
                                                : user_folder();
    if (folder)
        return install_into(folder, asked.json);
    fprintf(stderr, "warpbook install: %s\n", err.text);
    return WB_EXIT_MACHINE;
}
