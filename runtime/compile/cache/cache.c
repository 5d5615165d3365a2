/* cache.c: see cache.h. */
#include "runtime/compile/cache/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_MB = 1024, STALE_SECONDS = 3600 };

/* ---- an entry ------------------------------------------------------------------------------- */

/* An entry is a file: a line with the SHA-256 of the rest, then the list of inputs, the compiler's
 * messages, and its output. It is valid as a whole or not at all. The file is read once, checked,
 * and used from memory, so a later change of the file has no effect. */
typedef struct entry {
    wb_buf bytes;       /* the file's bytes; the other members point into them */
    char *inputs, *log; /* texts */
    const char *output;
    size_t output_len;
    mode_t mode; /* the output's */
} entry;

/* "warpbook entry 1 SHA-256 MODE INPUTS LOG OUTPUT\n", with an octal mode and sizes in bytes. The
 * sum covers all after itself, so also the mode and the sizes. */
#define FORMAT_NAME "warpbook entry 1 "
enum { NAME_LEN = sizeof FORMAT_NAME - 1, SUM_END = NAME_LEN + WB_SHA256_TEXT - 1 };

static void entry_free(entry *e) {
    wb_buf_free(&e->bytes);
}

/* Finds the parts in checked bytes. */
static bool find_parts(entry *e) {
    unsigned mode;
    size_t inputs, log;
    int head = 0;
    if (sscanf(e->bytes.data + SUM_END, " %o %zu %zu %zu%n", &mode, &inputs, &log, &e->output_len,
               &head) != 4)
        return false;
    e->mode = (mode_t)mode;
    e->inputs = e->bytes.data + SUM_END + head + 1;
    e->log = e->inputs + inputs + 1;
    e->output = e->log + log + 1;
    return e->output + e->output_len == e->bytes.data + e->bytes.len;
}

/* Returns false if the entry is missing or damaged. The caller frees it in any case. */
static bool entry_load(const char *path, entry *e) {
    char sum[WB_SHA256_TEXT];
    struct stat st;
    *e = (entry){.output = NULL};
    bool ok = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
              wb_buf_reserve(&e->bytes, (size_t)st.st_size) &&
              wb_file_read(path, 0, &e->bytes, NULL) && e->bytes.len > SUM_END &&
              memcmp(e->bytes.data, FORMAT_NAME, NAME_LEN) == 0;
    if (!ok)
        return false;
    wb_sha256(e->bytes.data + SUM_END, e->bytes.len - SUM_END, sum);
    return memcmp(e->bytes.data + NAME_LEN, sum, WB_SHA256_TEXT - 1) == 0 && find_parts(e);
}

/* Saves the file `output` and both texts. Writes beside `path`, syncs and renames, so a killed
 * process or a full disk leaves the old entry or none. */
static bool entry_save(const char *path, const char *inputs, const char *log, const char *output) {
    WB_SCOPED_BUF wb_buf made = {0}, b = {0};
    struct stat st;
    char sum[WB_SHA256_TEXT];
    if (stat(output, &st) != 0 || !wb_file_read(output, 0, &made, NULL))
        return false;
    wb_buf_printf(&b, FORMAT_NAME "%*s %o %zu %zu %zu\n", WB_SHA256_TEXT - 1, "",
                  (unsigned)st.st_mode & 0777, strlen(inputs), strlen(log), made.len);
    wb_buf_append(&b, inputs, strlen(inputs) + 1);
    wb_buf_append(&b, log, strlen(log) + 1);
    wb_buf_append(&b, made.data, made.len);
    if (b.failed)
        return false;
    wb_sha256(b.data + SUM_END, b.len - SUM_END, sum);
    memcpy(b.data + NAME_LEN, sum, WB_SHA256_TEXT - 1);
    return wb_file_write_unsynced(path, b.data, b.len, NULL);
}

/* ---- getting -------------------------------------------------------------------------------- */

char *wb_cache_path(const char *cwd, const char *name) {
    return *name == '/' || !cwd ? wb_format("%s", name) : wb_format("%s/%s", cwd, name);
}

bool wb_cache_drop(const char *path) {
    return unlink(path) == 0 || (errno != ENOENT && wb_dir_remove(path, NULL));
}

/* Writes what identifies a file's content: size and time for files of the system and the toolkit, a
 * hash for those that a user may edit. */
static bool fingerprint(const char *path, const char *cwd, char out[128]) {
    WB_SCOPED char *full = wb_cache_path(cwd, path);
    struct stat st;
    bool ok = full && stat(full, &st) == 0;
    if (ok && (strncmp(full, "/usr/", 5) == 0 || strncmp(full, "/opt/", 5) == 0)) {
        snprintf(out, 128, "%lld.%lld.%09ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                 st.st_mtim.tv_nsec);
    } else if (ok) {
        WB_SCOPED_BUF wb_buf content = {0};
        ok = wb_file_read(full, (size_t)64 << 20, &content, NULL);
        wb_sha256(content.data, content.len, out);
    }
    return ok;
}

/* Returns the path of the key's entry, malloc'd, or NULL. */
static char *entry_path(const char *key) {
    WB_SCOPED char *root = wb_path_cache("compile");
    return root ? wb_format("%s/%s", root, key) : NULL;
}

/* Returns true if every line "fingerprint path" of the list still holds. */
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

bool wb_cache_stamps_hold(const char *path) {
    WB_SCOPED_BUF wb_buf text = {0};
    bool ok = wb_file_read(path, 0, &text, NULL) && text.data;
    char *rest = text.data;
    for (char *line; ok && (line = strsep(&rest, "\n")) != NULL;) {
        long long size, when;
        int name = 0;
        struct stat st;
        if (*line)
            ok = sscanf(line, "%lld %lld %n", &size, &when, &name) == 2 && name &&
                 stat(line + name, &st) == 0 && st.st_size == size && st.st_mtim.tv_sec == when;
    }
    return ok;
}

/* Returns the paths of a list of fingerprints, one a line. */
static char *names_of(const char *list) {
    wb_buf names = {0};
    for (const char *line = list; *line;) {
        size_t n = strcspn(line, "\n"), print = strcspn(line, " ");
        if (print < n)
            wb_buf_printf(&names, "%.*s\n", (int)(n - print - 1), line + print + 1);
        line += n + (line[n] == '\n');
    }
    return wb_buf_steal(&names);
}

bool wb_cache_get(const char *key, const char *cwd, const char *output, wb_buf *log,
                  char **inputs) {
    WB_SCOPED char *path = entry_path(key);
    __attribute__((cleanup(entry_free))) entry e = {.output = NULL};
    if (!path || !entry_load(path, &e)) {
        if (path)
            wb_cache_drop(path);
        return false;
    }
    WB_SCOPED char *names = names_of(e.inputs); /* unchanged() cuts the list */
    if (!unchanged(e.inputs, cwd) || !wb_file_put(output, e.output, e.output_len, e.mode, NULL))
        return false;
    *inputs = names;
    names = NULL;
    wb_buf_puts(log, e.log);
    utimensat(AT_FDCWD, path, NULL, 0); /* marks it as used, because trim() removes the oldest */
    return true;
}

/* ---- keeping ------------------------------------------------------------------------------ */

/* Returns the next file name of a make rule, unescaped in place, or NULL at the end. */
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

/* Returns true for a name from a #line directive, which nvcc lists as well. */
static bool is_line_name(const char *name, const char *cwd) {
    WB_SCOPED char *full = wb_cache_path(cwd, name);
    return *name != '/' && full && !wb_file_exists(full);
}

static bool list_inputs(const char *depfile, const char *cwd, const char *const *sources,
                        wb_buf *list) {
    WB_SCOPED_BUF wb_buf rule = {0};
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
    return ok;
}

typedef struct candidate {
    char name[WB_SHA256_TEXT];
    double used; /* last use, in seconds */
    size_t bytes;
} candidate;

static int older(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

/* Returns the name of a folder's next entry, and sets its path and status; NULL at the end. */
static const char *next_entry(DIR *d, const char *root, char path[PATH_MAX], struct stat *st) {
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.' && snprintf(path, PATH_MAX, "%s/%s", root, e->d_name) < PATH_MAX &&
            stat(path, st) == 0)
            return e->d_name;
    return NULL;
}

/* Removes half-written files of killed processes, files of older versions, and the oldest entries
 * beyond the limit. */
static void trim(const char *root) {
    size_t limit = wb_setting_number("WARPBOOK_CACHE_MB", 0, DEFAULT_MB) << 20;
    DIR *d = opendir(root);
    candidate *all = NULL;
    size_t n = 0, total = 0;
    char path[PATH_MAX];
    struct stat st;
    for (const char *name; (name = next_entry(d, root, path, &st)) != NULL;) {
        if (!S_ISREG(st.st_mode) || strlen(name) != WB_SHA256_TEXT - 1) {
            if (st.st_mtime < time(NULL) - STALE_SECONDS)
                wb_cache_drop(path);
            continue;
        }
        candidate one = {.used = (double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec,
                         .bytes = (size_t)st.st_size};
        strcpy(one.name, name);
        if (!WB_ADD(all, n, one))
            break;
        total += one.bytes;
    }
    if (d)
        closedir(d);
    if (n)
        qsort(all, n, sizeof *all, older);
    for (size_t i = 0; i < n && total > limit; i++) {
        WB_SCOPED char *path = wb_format("%s/%s", root, all[i].name);
        if (path)
            wb_cache_drop(path);
        total -= all[i].bytes;
    }
    free(all);
}

void wb_cache_put(const char *key, const char *cwd, const char *output, const char *log,
                  const char *depfile, const char *const *sources, char **inputs) {
    WB_SCOPED_BUF wb_buf list = {0};
    WB_SCOPED char *root = wb_path_cache("compile"), *path = entry_path(key);
    *inputs = NULL;
    if (list_inputs(depfile, cwd, sources, &list) && !list.failed) {
        const char *text = list.data ? list.data : "";
        *inputs = names_of(text);
        if (root && path && wb_dir_make(root, NULL) && entry_save(path, text, log, output))
            trim(root);
    }
}

void wb_cache_room(const char *root, int most) {
    char oldest[PATH_MAX] = "";
    time_t when = 0;
    int n = 0;
    DIR *d = opendir(root);
    char path[PATH_MAX];
    struct stat st;
    for (const char *name; (name = next_entry(d, root, path, &st)) != NULL;) {
        bool unfinished = strncmp(name, "new-", 4) == 0;
        if (unfinished && st.st_mtime < time(NULL) - STALE_SECONDS)
            wb_cache_drop(path);
        if (unfinished)
            continue;
        n++;
        if (!*oldest || st.st_mtime < when) {
            when = st.st_mtime;
            strcpy(oldest, path);
        }
    }
    if (d)
        closedir(d);
    if (n >= most)
        wb_cache_drop(oldest);
}
