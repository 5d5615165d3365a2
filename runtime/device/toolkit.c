/* toolkit.c: finds the CUDA toolkit. Reads its version from a header, because nvcc takes longer to
 * answer than the rest of a kernel's start. */
#include "runtime/device/toolkit.h"

#include <glob.h>
#include <libgen.h>
#include <limits.h>

#define FIXES                                                                                      \
    "run `make setup` in Warpbook's folder, which sets one up, or name its nvcc in $WARPBOOK_NVCC"

/* Writes the first ROOT/names[i] that contains `file` to out[4096]. */
static bool find_dir(const char *root, const char *const *names, const char *file, char out[4096]) {
    for (size_t i = 0; names[i]; i++) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s/%s/%s", root, names[i], file);
        if (n <= 0 || (size_t)n >= sizeof path || !wb_file_exists(path))
            continue;
        snprintf(out, 4096, "%.*s", (int)(strlen(path) - strlen(file) - 1), path);
        return true;
    }
    return false;
}

/* Returns CUDART_VERSION from the first kilobytes of cuda_runtime_api.h, or 0. */
static int header_version(const char *include_dir) {
    char *path = wb_format("%s/cuda_runtime_api.h", include_dir);
    FILE *f = path ? fopen(path, "r") : NULL;
    free(path);
    char line[512];
    int version = 0;
    while (f && !version && fgets(line, sizeof line, f))
        if (sscanf(line, " #define CUDART_VERSION %d", &version) != 1)
            version = 0;
    if (f)
        fclose(f);
    return version / 10;
}

/* Fills *t from the path of an nvcc. Returns false and sets err if it is not usable. */
static bool examine(const char *nvcc, wb_toolkit *t, wb_error *err) {
    static const char *const includes[] = {"include", "targets/x86_64-linux/include",
                                           "targets/sbsa-linux/include", NULL};
    static const char *const libraries[] = {"lib64", "lib", "targets/x86_64-linux/lib",
                                            "targets/sbsa-linux/lib", NULL};
    char real[PATH_MAX], root[PATH_MAX];
    if (!realpath(nvcc, real))
        return wb_fail(err, 1, _("there is no nvcc at %s"), nvcc);
    *t = (wb_toolkit){.version = 0};
    /* nvcc finds its parts beside its own name, so links are resolved */
    snprintf(t->nvcc, sizeof t->nvcc, "%s", real);
    snprintf(root, sizeof root, "%s", real);
    char *top = dirname(dirname(root));
    if (!find_dir(top, includes, "cuda_runtime_api.h", t->include_dir))
        return wb_fail(err, 1, _("%s has no cuda_runtime_api.h beside it; " FIXES), nvcc);
    t->version = header_version(t->include_dir);
    if (t->version < 1300)
        return wb_fail(err, 1, _("%s is CUDA %d.%d, and Warpbook needs CUDA 13; " FIXES), nvcc,
                       t->version / 100, t->version % 100 / 10);
    if (!find_dir(top, libraries, "libcudart.so.13", t->library_dir))
        return wb_fail(err, 1, _("%s has no libcudart.so.13 beside it; " FIXES), nvcc);
    return true;
}

/* Finds the toolkit behind a folder of links with a script that calls its nvcc. nvcc's programs,
 * the paths that it prints and the sandbox's mounts use the real folder, which contains the
 * header. */
static void follow_links(wb_toolkit *t) {
    char path[PATH_MAX], real[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/cuda_runtime_api.h", t->include_dir);
    if (n <= 0 || (size_t)n >= sizeof path || !realpath(path, real))
        return;
    char *folder = dirname(real); /* TOP/include, TOP/targets/ARCH/include */
    for (int level = 0; level < 3; level++) {
        folder = dirname(folder);
        n = snprintf(path, sizeof path, "%s/bin/nvcc", folder);
        wb_toolkit behind;
        if (n > 0 && (size_t)n < sizeof path && wb_file_exists(path) &&
            examine(path, &behind, &(wb_error){0})) {
            *t = behind;
            return;
        }
    }
}

/* Examines the toolkit of `make`: share/warpbook/toolkit contains its nvcc's path in one line. */
static bool examine_own(wb_toolkit *t, wb_error *err) {
    char *note = wb_path_share("toolkit");
    wb_buf text = {0};
    bool found =
        note && wb_file_exists(note) && wb_file_read(note, PATH_MAX, &text, NULL) && text.data;
    if (found) {
        text.data[strcspn(text.data, "\r\n")] = '\0';
        found = examine(text.data, t, err);
    }
    wb_buf_free(&text);
    free(note);
    return found;
}

/* Examines the toolkit's wheels, which pip installed beside ours. */
static bool examine_wheels(wb_toolkit *t, wb_error *err) {
    char *pattern = wb_format("%s/lib/python3*/*-packages/nvidia/cu13/bin/nvcc", wb_path_prefix());
    glob_t found = {0};
    bool ok = pattern && glob(pattern, 0, NULL, &found) == 0 && examine(found.gl_pathv[0], t, err);
    globfree(&found);
    free(pattern);
    return ok;
}

/* Writes PREFIX/lib/warpbook/NAME to out[4096] if it exists, else "". */
static void find_own(const char *name, char out[4096]) {
    char *path = wb_path_lib(name);
    snprintf(out, 4096, "%s", path && wb_file_exists(path) ? path : "");
    free(path);
}

/* Adds what a wheel brings and a toolkit may lack. */
static void complete(wb_toolkit *t) {
    char path[PATH_MAX];
    const char *chosen = getenv("NVCC_CCBIN");
    if (!chosen || !*chosen)
        find_own("hostcc/bin/g++", t->host_compiler);
    int n = snprintf(path, sizeof path, "%s/libcudart.so", t->library_dir);
    if (n > 0 && (size_t)n < sizeof path && !wb_file_exists(path))
        find_own("link", t->link_dir);
}

static bool find(wb_toolkit *toolkit, wb_error *err) {
    const char *named = wb_setting("WARPBOOK_NVCC");
    if (named) {
        wb_error why = {0};
        if (examine(named, toolkit, &why))
            return true;
        return wb_fail(err, 1, "$WARPBOOK_NVCC: %s", why.text);
    }
    wb_error first = {0};
    char *on_path = wb_path_find("nvcc");
    bool found = on_path && examine(on_path, toolkit, &first);
    if (found)
        follow_links(toolkit);
    free(on_path);
    const char *home = getenv("CUDA_HOME");
    char *in_home = home && *home ? wb_format("%s/bin/nvcc", home) : NULL;
    found = found || (in_home && wb_file_exists(in_home) &&
                      examine(in_home, toolkit, first.code ? NULL : &first));
    free(in_home);
    found = found || (wb_file_exists("/usr/local/cuda/bin/nvcc") &&
                      examine("/usr/local/cuda/bin/nvcc", toolkit, first.code ? NULL : &first));
    found = found || examine_own(toolkit, first.code ? NULL : &first);
    found = found || examine_wheels(toolkit, first.code ? NULL : &first);
    if (found)
        return true;
    if (first.code)
        return wb_fail(err, 1, "%s", first.text);
    return wb_fail(err, 1,
                   _("There is no CUDA toolkit on this machine (no nvcc on $PATH nor in "
                     "/usr/local/cuda); " FIXES));
}

bool wb_toolkit_find(wb_toolkit *toolkit, wb_error *err) {
    bool found = find(toolkit, err);
    if (found)
        complete(toolkit);
    return found;
}
