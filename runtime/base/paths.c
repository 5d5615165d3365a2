/* paths.c: finds the installation's files. */
#include "runtime/base/base.h"

#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <unistd.h>

static char prefix[PATH_MAX];

static void cut_last(char *path) {
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

/* Finds the prefix: the program is in PREFIX/bin, PREFIX/lib/warpbook, or (tests) PREFIX/tests. */
static void find_prefix(void) {
    const char *given = wb_setting("WARPBOOK_PREFIX");
    if (given && realpath(given, prefix))
        return;
    ssize_t n = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
    prefix[n > 0 ? n : 0] = '\0';
    cut_last(prefix);
    bool deep = wb_ends(prefix, "/lib/warpbook");
    cut_last(prefix);
    if (deep)
        cut_last(prefix);
}

const char *wb_path_prefix(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_prefix);
    return prefix;
}

char *wb_path_bin(void) {
    return wb_format("%s/bin/warpbook", wb_path_prefix());
}

char *wb_path_lib(const char *name) {
    return wb_format("%s/lib/warpbook/%s", wb_path_prefix(), name);
}

char *wb_path_share(const char *name) {
    return wb_format("%s/share/warpbook/%s", wb_path_prefix(), name);
}

char *wb_path_cache(const char *name) {
    const char *base = getenv("XDG_CACHE_HOME");
    if (base && base[0] == '/')
        return wb_format("%s/warpbook/%s", base, name);
    const char *home = getenv("HOME");
    if (!home || !*home) {
        const struct passwd *user = getpwuid(getuid());
        home = user ? user->pw_dir : "/tmp";
    }
    return wb_format("%s/.cache/warpbook/%s", home, name);
}

char *wb_path_find(const char *program) {
    if (strchr(program, '/'))
        return access(program, X_OK) == 0 ? strdup(program) : NULL;
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t len = strcspn(path, ":");
        char *candidate = wb_format("%.*s/%s", len ? (int)len : 1, len ? path : ".", program);
        if (candidate && access(candidate, X_OK) == 0)
            return candidate;
        free(candidate);
        path += len + (path[len] == ':');
    }
    return NULL;
}
