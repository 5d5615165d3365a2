/* export.c: `warpbook export` finds what export.py needs, runs it, and lets Chromium print. */
#include <glob.h>
#include <unistd.h>

#include "runtime/base/scoped.h"
#include "runtime/cli/cli.h"

enum { SOME_TEXT = 1 << 16, PAGE_BYTES = 1 << 30 };
/* Exit statuses of export.py. */
enum { PY_NO_REVEAL = 10, PY_NO_NOTEBOOK = 11 };

static const struct {
    const char *name, *suffix;
    bool printed; /* by Chromium, from the HTML */
} forms[] = {{"slides", ".slides.html", false}, {"html", ".html", false}, {"pdf", ".pdf", true}};

static struct asked { const char *output; } asked;

static int run(int argc, char **argv);

#define WB_RECORD struct asked
WB_COMMAND(export_command){
    .name = "export",
    .usage = "slides|html|pdf NOTEBOOK",
    .summary = N_("writes a notebook as slides, a page or a PDF that needs no network"),
    .help = N_("Images and reveal.js are in the file. Outputs look as in JupyterLab; nothing runs. "
               "A notebook whose cells name no slides gets one for each heading and each cell of "
               "code. pdf needs Chromium: one on the PATH, or the one of `playwright install "
               "chromium`.\n\n"
               "Exit status: 0 written, 1 the conversion failed, 2 no such notebook or no place to "
               "write, 3 a program is missing."),
    .order = 41,
    .options = (const wb_option[]){WB_OPTION("-o", TEXT, output, "FILE",
                                             "where to (beside the notebook, with another suffix)"),
                                   {0}},
    .record = &asked,
    .run = run,
};

/* Prints the message as that of the call. Returns the status. */
__attribute__((format(printf, 2, 3))) static int refuse(int status, const char *format, ...) {
    WB_SCOPED char *text = WB_FORMATTED(format);
    fprintf(stderr, "warpbook export: %s\n", text ? text : "");
    return status;
}

/* ---- programs ------------------------------------------------------------------------------- */

static bool has_nbconvert(const char *python) {
    static const char probe[] = "import importlib.util as u, sys; "
                                "sys.exit(u.find_spec('nbconvert') is None)";
    const char *argv[] = {python, "-c", probe, NULL};
    wb_proc_spec spec = {.argv = argv, .timeout_s = 60, .max_output = SOME_TEXT};
    wb_proc_result result = {0};
    bool has = wb_proc_run(&spec, &result, NULL) && result.exit_code == 0;
    wb_proc_result_free(&result);
    return has;
}

/* Returns the Python that has nbconvert: of the tree's .venv, of the environment that a wheel is
 * in, or on the PATH. The caller frees it. */
static char *find_python(void) {
    static const char *const places[] = {"../.venv/bin/python", "bin/python"};
    for (size_t i = 0; i <= WB_COUNT(places); i++) {
        char *python = i < WB_COUNT(places) ? wb_format("%s/%s", wb_path_prefix(), places[i])
                                            : wb_path_find("python3");
        if (python && wb_file_exists(python) && has_nbconvert(python))
            return python;
        free(python);
    }
    return NULL;
}

/* Returns a Chromium on the PATH, or the one that playwright brought. The caller frees it. */
static char *find_chromium(void) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome",
                                        "google-chrome-stable"};
    char *found = NULL;
    for (size_t i = 0; i < WB_COUNT(names) && !found; i++)
        found = wb_path_find(names[i]);
    const char *home = wb_setting("HOME");
    WB_SCOPED char *pattern =
        wb_format("%s/.cache/ms-playwright/chromium-*/chrome-linux*/chrome", home ? home : "");
    glob_t list;
    if (!found && pattern && glob(pattern, 0, NULL, &list) == 0) {
        found = strdup(list.gl_pathv[0]);
        globfree(&list);
    }
    return found;
}

/* Runs the program. Returns its exit status, or -1. *last gets its last line of stderr. */
static int run_program(const char *const *argv, const char *cwd, char **last) {
    wb_proc_spec spec = {.argv = argv,
                         .cwd = cwd,
                         .timeout_s = 300,
                         .max_output = SOME_TEXT,
                         .stop = &wb_cli_interrupted};
    wb_proc_result result = {0};
    wb_error err = {0};
    int status = wb_proc_run(&spec, &result, &err) ? result.exit_code : -1;
    const char *text = result.err.data ? result.err.data : err.text;
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '\n')
        len--;
    size_t from = len;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    *last = result.timed_out ? strdup(_("it took longer than 5 minutes"))
                             : strndup(text + from, len - from);
    wb_proc_result_free(&result);
    return status;
}

/* ---- the call ------------------------------------------------------------------------------- */

/* Writes the HTML into the folder. Returns an exit status. */
static int convert(const char *form, const char *notebook, const char *page) {
    WB_SCOPED char *python = find_python(), *script = wb_path_share("export.py"), *last = NULL;
    if (!python)
        return refuse(WB_EXIT_MACHINE, _("nbconvert is not installed: make setup, or pip install "
                                         "nbconvert"));
    const char *argv[] = {python, script, form, notebook, page, NULL};
    int status = run_program(argv, NULL, &last);
    if (status == PY_NO_NOTEBOOK)
        return refuse(WB_EXIT_USAGE, _("%s is not a notebook"), notebook);
    if (status == PY_NO_REVEAL)
        return refuse(WB_EXIT_MACHINE, _("reveal.js is not installed: make setup, or pip install "
                                         "pyreveal"));
    if (status != 0)
        return refuse(WB_EXIT_FAILED, _("nbconvert failed: %s"), last ? last : "");
    return WB_EXIT_DONE;
}

/* Lets Chromium print the page, in a profile of its own and without a network. */
static int print_page(const char *chromium, const char *folder, const char *page,
                      const char *paper) {
    WB_SCOPED char *profile = wb_format("--user-data-dir=%s/profile", folder),
                   *to = wb_format("--print-to-pdf=%s", paper),
                   *address = wb_format("file://%s", page), *last = NULL;
    const char *argv[] = {chromium,
                          "--headless",
                          "--disable-gpu",
                          "--disable-dev-shm-usage",
                          "--no-first-run",
                          "--no-pdf-header-footer",
                          "--host-resolver-rules=MAP * ~NOTFOUND",
                          profile,
                          to,
                          address,
                          geteuid() == 0 ? "--no-sandbox"
                                         : NULL, /* Chromium's does not run as root */
                          NULL};
    if (run_program(argv, folder, &last) == 0 && wb_file_exists(paper))
        return WB_EXIT_DONE;
    return refuse(WB_EXIT_FAILED, _("Chromium did not print: %s"), last ? last : "");
}

static int export_to(size_t form, const char *notebook, const char *output) {
    wb_error err = {0};
    WB_SCOPED char *chromium = forms[form].printed ? find_chromium() : NULL;
    if (forms[form].printed && !chromium)
        return refuse(WB_EXIT_MACHINE, _("a PDF needs Chromium: apt-get install chromium"));
    WB_SCOPED char *folder = wb_dir_temp("export", &err);
    WB_SCOPED char *page = folder ? wb_format("%s/page.html", folder) : NULL;
    WB_SCOPED char *paper = folder ? wb_format("%s/page.pdf", folder) : NULL;
    if (!page || !paper)
        return refuse(WB_EXIT_FAILED, "%s", err.text);
    int status = convert(forms[form].name, notebook, page);
    if (status == WB_EXIT_DONE && forms[form].printed)
        status = print_page(chromium, folder, page, paper);
    WB_SCOPED_BUF wb_buf data = {0};
    if (status == WB_EXIT_DONE) {
        if (!wb_file_read(forms[form].printed ? paper : page, PAGE_BYTES, &data, &err) ||
            !wb_file_write(output, data.data, data.len, &err))
            status = refuse(WB_EXIT_USAGE, "%s", err.text);
        else
            printf(_("%s is written\n"), output);
    }
    wb_dir_remove(folder, NULL);
    return status;
}

static int run(int argc, char **argv) {
    size_t form = 0;
    while (argc > 1 && form < WB_COUNT(forms) && strcmp(argv[1], forms[form].name) != 0)
        form++;
    if (argc < 2 || form == WB_COUNT(forms))
        return wb_cli_usage(&export_command, _("slides, html or pdf?"));
    if (argc != 3)
        return wb_cli_usage(&export_command,
                            argc < 3 ? _("which notebook?") : _("one notebook at a time"));
    wb_error err = {0};
    WB_SCOPED_BUF wb_buf data = {0};
    if (!wb_file_read(argv[2], PAGE_BYTES, &data, &err))
        return refuse(WB_EXIT_USAGE, "%s", err.text);
    const char *dot = strrchr(wb_path_name(argv[2]), '.');
    size_t stem = dot ? (size_t)(dot - argv[2]) : strlen(argv[2]);
    WB_SCOPED char *beside = wb_format("%.*s%s", (int)stem, argv[2], forms[form].suffix);
    wb_cli_catch_interrupts();
    return export_to(form, argv[2], asked.output ? asked.output : beside);
}
