/* flags.c: see flags.h. */
#include "runtime/worker/session/flags.h"

#include <limits.h>
#include <unistd.h>

static char *folder(const char *cwd) {
    char here[PATH_MAX];
    return wb_format("%s", cwd ? cwd : getcwd(here, sizeof here) ? here : ".");
}

/* Returns the number of bytes before the path in a flag, such as "-I" in "-Ilib"; 0: the flag is a
 * path; SIZE_MAX: it has none. *next: the next flag is the path. */
static size_t before_path(const char *flag, bool *next) {
    static const char *const joined[] = {"--include-path=", "--library-path=", "-isystem=", "-I",
                                         "-L"};
    static const char *const apart[] = {"-I",
                                        "-L",
                                        "-isystem",
                                        "-include",
                                        "--include-path",
                                        "--library-path",
                                        "--pre-include",
                                        "--system-include"};
    *next = false;
    for (size_t i = 0; i < WB_COUNT(apart); i++)
        *next |= strcmp(flag, apart[i]) == 0;
    for (size_t i = 0; i < WB_COUNT(joined) && !*next; i++)
        if (wb_begins(flag, joined[i]))
            return strlen(joined[i]);
    static const char *const files[] = {".o", ".a", ".so", ".cu", ".cpp", ".c"};
    for (size_t i = 0; i < WB_COUNT(files) && *flag != '-'; i++)
        if (wb_ends(flag, files[i]))
            return 0;
    return SIZE_MAX;
}

static char *with_folder(const char *flag, size_t before, const char *cwd) {
    const char *path = flag + (before == SIZE_MAX ? 0 : before);
    if (before == SIZE_MAX || *path == '/' || !*path)
        return wb_format("%s", flag);
    return wb_format("%.*s%s/%s", (int)before, flag, cwd, path);
}

char **wb_flags_copy(const char *const *flags, const char *cwd) {
    size_t n = 0;
    while (flags && flags[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy), *where = folder(cwd);
    bool ok = copy && where, is_path = false, next = false;
    for (size_t i = 0; ok && i < n; i++) {
        size_t before = before_path(flags[i], &next);
        copy[i] = with_folder(flags[i], is_path ? 0 : before, where);
        ok = copy[i] != NULL;
        is_path = next && !is_path;
    }
    free(where);
    if (ok)
        return copy;
    wb_flags_free(copy);
    return NULL;
}

void wb_flags_free(char **flags) {
    for (size_t i = 0; flags && flags[i]; i++)
        free(flags[i]);
    free(flags);
}

static const char *const guards[] = {"-D_GLIBCXX_ASSERTIONS", "-Xcompiler",
                                     "-fno-optimize-sibling-calls,-fno-ipa-icf",
                                     "--diag-error=940"};

const char **wb_flags_all(char *const *flags, const char *cwd, char *const *own, bool guarded,
                          char **include) {
    size_t n = 0, n_own = 0, before = guarded ? WB_COUNT(guards) : 0;
    while (flags[n])
        n++;
    while (own && own[n_own])
        n_own++;
    const char **all = calloc(before + n + n_own + 4, sizeof *all);
    char *where = folder(cwd);
    *include = where ? wb_format("-I%s", where) : NULL;
    free(where);
    if (!all || !*include) {
        free(all);
        return NULL;
    }
    memcpy(all, guards, before * sizeof *all);
    memcpy(all + before, flags, n * sizeof *all);
    n += before;
    all[n++] = *include;
    all[n++] = "-Xlinker";
    all[n++] = "-rpath-link=.";
    for (size_t i = 0; i < n_own; i++)
        all[n + i] = own[i];
    return all;
}
