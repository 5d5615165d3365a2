/* cache.c: see cache.h. */
#include "runtime/compile/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_MB = 1024, STALE_SECONDS = 3600 };

bool wb_cache_hash(const void *data, size_t len, char key[WB_CACHE_KEY]) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (!EVP_Digest(data, len, digest, &n, EVP_sha256(), NULL) || n != 32)
        return false;
    for (unsigned i = 0; i < n; i++)
        snprintf(key + 2 * i, 3, "%02x", digest[i]);
    return true;
}

/* What identifies a file's content: for the system's and the toolkit's own files size and time are
 * enough; anything a user may edit is hashed. */
static bool fingerprint(const char *path, const char *cwd, char out[128]) {
    char *full = path[0] == '/' || !cwd ? wb_format("%s", path) : wb_format("%s/%s", cwd, path);
    struct stat st;
    bool ok = full && stat(full, &st) == 0;
    if (ok && (strncmp(full, "/usr/", 5) == 0 || strncmp(full, "/opt/", 5) == 0)) {
        snprintf(out, 128, "%lld.%lld.%09ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                 st.st_mtim.tv_nsec);
    } else if (ok) {
        wb_buf content = {0};
        ok = wb_file_read(full, (size_t)64 << 20, &content, NULL) &&
             wb_cache_hash(content.data ? content.data : "", content.len, out);
        wb_buf_free(&content);
    }
    free(full);
    return ok;
}

static char *entry_path(const char *key, const char *name) {
    char *root = wb_path_cache("compile");
    char *path = !root  ? NULL
                 : name ? wb_format("%s/%s/%s", root, key, name)
                        : wb_format("%s/%s", root, key);
    free(root);
    return path;
}

/* Every line of the list is "fingerprint path"; true when all are as they were. */
static bool unchanged(char *list, const char *cwd) {
    char *rest = list;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *path = strchr(line, ' '), now[128];
        if (!path)
            continue;
        *path++ = '\0';
        if (!fingerprint(path, cwd, now) || strcmp(now, line) != 0)
            return false;
    }
    return true;
}

bool wb_cache_get(const char *key, const char *cwd, const char *output, wb_buf *log) {
    char *list_path = entry_path(key, "inputs"), *log_path = entry_path(key, "log");
    char *made = entry_path(key, "output");
    wb_buf list = {0};
    bool ok =
        list_path && log_path && made && wb_file_read(list_path, (size_t)16 << 20, &list, NULL) &&
        unchanged(list.data ? list.data : (char[]){""}, cwd) && wb_file_copy(made, output, NULL) &&
        wb_file_read(log_path, (size_t)64 << 20, log, NULL);
    if (ok) {
        char *dir = entry_path(key, NULL);
        if (dir)
            utimensat(AT_FDCWD, dir, NULL, 0); /* used now: trimming takes the oldest */
        free(dir);
    }
    wb_buf_free(&list);
    free(list_path);
    free(log_path);
    free(made);
    return ok;
}

char *wb_cache_inputs(const char *key) {
    char *path = entry_path(key, "inputs");
    wb_buf list = {0}, names = {0};
    bool ok = path && wb_file_read(path, (size_t)16 << 20, &list, NULL);
    char *rest = ok && list.data ? list.data : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n")) != NULL;) {
        const char *name = strchr(line, ' ');
        if (name)
            wb_buf_printf(&names, "%s\n", name + 1);
    }
    wb_buf_free(&list);
    free(path);
    return ok ? wb_buf_steal(&names) : NULL;
}

/* ---- keeping ------------------------------------------------------------------------------ */

/* The next file name of a make rule, unescaped in place; NULL at the end. */
static char *next_dependency(char **at) {
    char *p = *at;
    while (*p == ' ' || *p == '\t' || *p == '\n' || (*p == '\\' && p[1] == '\n'))
        p++;
    if (!*p)
        return NULL;
    char *name = p, *w = p;
    while (*p && *p != ' ' && *p != '\t' && *p != '\n') {
        if (*p == '\\' && p[1] == '\n')
            break;
        if ((*p == '\\' && (p[1] == ' ' || p[1] == '#' || p[1] == '\\')) ||
            (*p == '$' && p[1] == '$'))
            p++;
        *w++ = *p++;
    }
    *at = *p ? p + 1 : p;
    *w = '\0';
    return name;
}

static bool is_source(const char *name, const char *const *sources) {
    for (size_t i = 0; sources[i]; i++)
        if (strcmp(name, sources[i]) == 0)
            return true;
    return false;
}

/* nvcc lists the names that #line directives make up as well. */
static bool is_line_name(const char *name, const char *cwd) {
    char *full = name[0] != '/' && cwd ? wb_format("%s/%s", cwd, name) : NULL;
    bool made_up = full && !wb_file_exists(full);
    free(full);
    return made_up;
}

static bool list_inputs(const char *depfile, const char *cwd, const char *const *sources,
                        wb_buf *list) {
    wb_buf rule = {0};
    if (!wb_file_read(depfile, (size_t)16 << 20, &rule, NULL) || !rule.data)
        return false;
    char *at = strstr(rule.data, " : ");
    at = at ? at + 3 : strchr(rule.data, ':');
    bool ok = at != NULL;
    if (ok && *at == ':')
        at++;
    for (char *name; ok && (name = next_dependency(&at)) != NULL;) {
        char print[128];
        if (!*name || is_source(name, sources) || is_line_name(name, cwd))
            continue;
        ok = fingerprint(name, cwd, print) && wb_buf_printf(list, "%s %s\n", print, name);
    }
    wb_buf_free(&rule);
    return ok;
}

typedef struct entry {
    char name[WB_CACHE_KEY + 32];
    double used; /* when, in seconds */
    size_t bytes;
} entry;

static int older(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

static size_t entry_size(const char *dir) {
    static const char *const names[] = {"output", "log", "inputs"};
    size_t bytes = 0;
    for (size_t i = 0; i < WB_COUNT(names); i++) {
        char path[PATH_MAX + 16];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        if (stat(path, &st) == 0)
            bytes += (size_t)st.st_size;
    }
    return bytes;
}

/* Removes what a killed process left half made, and the oldest entries beyond the limit. */
static void trim(const char *root) {
    const char *setting = getenv("WARPBOOK_CACHE_MB");
    size_t limit = (setting && *setting ? strtoull(setting, NULL, 10) : DEFAULT_MB) << 20;
    DIR *d = opendir(root);
    entry *entries = NULL;
    size_t n = 0, total = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[PATH_MAX];
        struct stat st;
        if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof entries->name ||
            snprintf(path, sizeof path, "%s/%s", root, e->d_name) >= (int)sizeof path ||
            stat(path, &st) < 0)
            continue;
        if (strncmp(e->d_name, "new-", 4) == 0) {
            if (st.st_mtime < time(NULL) - STALE_SECONDS)
                wb_dir_remove(path, NULL);
            continue;
        }
        entry *more = realloc(entries, (n + 1) * sizeof *entries);
        if (!more)
            break;
        entries = more;
        entries[n] = (entry){.used = (double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec,
                             .bytes = entry_size(path)};
        strcpy(entries[n].name, e->d_name);
        total += entries[n++].bytes;
    }
    if (d)
        closedir(d);
    if (n)
        qsort(entries, n, sizeof *entries, older);
    for (size_t i = 0; i < n && total > limit; i++) {
        char *path = wb_format("%s/%s", root, entries[i].name);
        if (path)
            wb_dir_remove(path, NULL);
        total -= entries[i].bytes;
        free(path);
    }
    free(entries);
}

/* Moves the finished folder to its final name; an entry that is there and stale makes room. */
static bool publish(const char *made, const char *final) {
    if (rename(made, final) == 0)
        return true;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return false;
    char *away = wb_format("%s.old", made);
    bool ok = away && rename(final, away) == 0 && rename(made, final) == 0;
    if (away)
        wb_dir_remove(away, NULL);
    free(away);
    return ok;
}

void wb_cache_put(const char *key, const char *cwd, const char *output, const char *log,
                  const char *depfile, const char *const *sources) {
    wb_buf list = {0};
    char *root = wb_path_cache("compile"), *final = entry_path(key, NULL);
    char made[PATH_MAX];
    if (!root || !final || !list_inputs(depfile, cwd, sources, &list) || !wb_dir_make(root, NULL) ||
        snprintf(made, sizeof made, "%s/new-XXXXXX", root) >= (int)sizeof made || !mkdtemp(made))
        goto done;
    char *inputs_path = wb_format("%s/inputs", made), *log_path = wb_format("%s/log", made);
    char *output_path = wb_format("%s/output", made);
    bool ok = inputs_path && log_path && output_path && wb_file_copy(output, output_path, NULL) &&
              wb_file_write(inputs_path, list.data ? list.data : "", list.len, NULL) &&
              wb_file_write(log_path, log, strlen(log), NULL) && publish(made, final);
    if (!ok)
        wb_dir_remove(made, NULL);
    free(inputs_path);
    free(log_path);
    free(output_path);
    trim(root);
done:
    wb_buf_free(&list);
    free(root);
    free(final);
}
