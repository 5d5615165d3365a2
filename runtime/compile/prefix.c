/* prefix.c: see prefix.h. The text is the same to the byte, by its hash, or it is not used; and gcc
 * itself checks that the header was made by the same compiler with the same options, or reads the
 * text it was made from. So what is compiled is what would have been. Where gcc says anything at
 * all, the file is compiled again as it was (steps.c), for a precompiled header might change what
 * is quoted. */
#include "runtime/compile/prefix.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compile/cache.h"

/* A prefix is kept when it is met for the third time: 0.5 s, once, for 0.1 s a cell. Each takes 20
 * to 80 MB. */
enum { MET_OFTEN = 3, REMEMBERED = 8, MAX_KEPT = 6, STALE_SECONDS = 3600, LEAST_CACHE_MB = 256 };

/* ---- how often one was met, in this process -------------------------------------------------- */

static struct {
    char key[WB_CACHE_KEY];
    int times;
} met[REMEMBERED];
static size_t next_met;
static pthread_mutex_t met_lock = PTHREAD_MUTEX_INITIALIZER;

/* Not where the cache is to be small. */
static bool may_keep(void) {
    const char *setting = getenv("WARPBOOK_CACHE_MB");
    return !setting || !*setting || strtoul(setting, NULL, 10) >= LEAST_CACHE_MB;
}

static bool met_often(const char *key) {
    pthread_mutex_lock(&met_lock);
    size_t i = 0;
    while (i < REMEMBERED && strcmp(met[i].key, key) != 0)
        i++;
    if (i == REMEMBERED) {
        i = next_met++ % REMEMBERED;
        memcpy(met[i].key, key, WB_CACHE_KEY);
        met[i].times = 0;
    }
    bool often = ++met[i].times == MET_OFTEN;
    pthread_mutex_unlock(&met_lock);
    return often;
}

/* ---- what is kept --------------------------------------------------------------------------- */

/* Makes room for one more: the least recently used go, and what a killed process left. */
static void make_room(const char *root) {
    char oldest[PATH_MAX] = "";
    time_t when = 0;
    int n = 0;
    DIR *d = opendir(root);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[PATH_MAX];
        struct stat st;
        if (e->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", root, e->d_name) >= (int)sizeof path ||
            stat(path, &st) < 0)
            continue;
        bool unfinished = strncmp(e->d_name, "new-", 4) == 0;
        if (unfinished && st.st_mtime < time(NULL) - STALE_SECONDS)
            wb_dir_remove(path, NULL);
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
    if (n >= MAX_KEPT)
        wb_dir_remove(oldest, NULL);
}

/* The command with other options, and a file put in front of its own. */
static char *changed(const char *plain, const char *folder, const char *more) {
    char *mark = wb_format("\"%s/", folder);
    const char *at = mark ? strstr(plain, mark) : NULL;
    char *text = at ? wb_format("%.*s %s %s", (int)(at - plain), plain, more, at) : NULL;
    free(mark);
    return text;
}

/* Lines that make the entry: in a folder of its own, which then gets its name. */
static char *build_lines(const char *root, const char *kept, const char *text, size_t len,
                         const char *plain, const char *folder) {
    static const char as_source[] = " -c -x c++ ";
    char made[PATH_MAX];
    make_room(root);
    if (!wb_dir_make(root, NULL) ||
        snprintf(made, sizeof made, "%s/new-XXXXXX", root) >= (int)sizeof made || !mkdtemp(made))
        return NULL;
    char *header = wb_format("%s/p.h", made), *mark = wb_format("\"%s/", folder);
    const char *kind = strstr(plain, as_source), *at = mark ? strstr(plain, mark) : NULL;
    char *lines = NULL;
    if (header && kind && at && kind < at && wb_file_write(header, text, len, NULL)) {
        const char *options = kind + sizeof as_source - 1;
        lines = wb_format("{ %.*s -x c++-header %.*s \"%s\" -o \"%s.gch\" && mv \"%s\" \"%s\" || "
                          "rm -rf \"%s\"; } >/dev/null 2>&1",
                          (int)(kind - plain), plain, (int)(at - options), options, header, header,
                          made, kept, made);
    }
    if (!lines)
        wb_dir_remove(made, NULL);
    free(header);
    free(mark);
    return lines;
}

/* ---- a file --------------------------------------------------------------------------------- */

/* Where the cell begins: the first line that is said to be of our making or of a cell's. */
static const char *own_part(const char *text) {
    for (const char *p = text; (p = strstr(p, "\n# ")); p++) {
        const char *name = p + 3 + strspn(p + 3, "0123456789");
        if (strncmp(name, " \"warpbook\"\n", 12) == 0 || strncmp(name, " \"cell [", 8) == 0)
            return p + 1;
    }
    return NULL;
}

/* The file's first line (its name), what the prefix says of diagnostics to come, which gcc may not
 * keep, and the file's own part. */
static bool write_rest(const char *file, const char *text, const char *prefix, const char *own) {
    static const char diagnostic[] = "#pragma GCC diagnostic ";
    wb_buf rest = {0};
    wb_buf_append(&rest, text, (size_t)(prefix - text));
    for (const char *p = prefix; p < own; p = strchr(p, '\n') + 1)
        if (strncmp(p, diagnostic, sizeof diagnostic - 1) == 0)
            wb_buf_append(&rest, p, strcspn(p, "\n") + 1);
    wb_buf_puts(&rest, own);
    char *whole = wb_format("%s.whole", file);
    bool ok = !rest.failed && whole && rename(file, whole) == 0;
    if (ok && !wb_file_write(file, rest.data, rest.len, NULL))
        ok = rename(whole, file) != 0; /* false */
    free(whole);
    wb_buf_free(&rest);
    return ok;
}

static bool make_key(const char *text, size_t len, const char *plain, const char *folder,
                     char key[WB_CACHE_KEY]) {
    const char *end = strstr(plain, folder);
    char *name = wb_format("%.*s", (int)strcspn(plain, " "), plain);
    char *compiler = name ? wb_path_find(name) : NULL;
    struct stat st = {0};
    wb_buf all = {0};
    if (compiler && stat(compiler, &st) == 0)
        wb_buf_printf(&all, "%lld %lld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec);
    if (end)
        wb_buf_append(&all, plain, (size_t)(end - plain));
    free(name);
    free(compiler);
    wb_buf_append(&all, text, len);
    bool ok = end && !all.failed && wb_cache_hash(all.data, all.len, key);
    wb_buf_free(&all);
    return ok;
}

wb_prefix wb_prefix_take(const char *file, const char *plain, const char *folder) {
    wb_prefix p = {.command = NULL};
    char key[WB_CACHE_KEY], *root = wb_path_cache("prefix"), *kept = NULL, *compiled = NULL;
    wb_buf text = {0};
    bool ok = root && wb_file_read(file, 0, &text, NULL) && text.data;
    const char *line = ok ? strchr(text.data, '\n') : NULL, *own = line ? own_part(line) : NULL;
    if (own && make_key(line + 1, (size_t)(own - line - 1), plain, folder, key)) {
        kept = wb_format("%s/%s", root, key);
        compiled = kept ? wb_format("%s/p.h.gch", kept) : NULL;
    }
    if (compiled && wb_file_exists(compiled)) {
        char *include = wb_format("-include \"%s/p.h\"", kept);
        p.command = include ? changed(plain, folder, include) : NULL;
        p.restore = wb_format("mv \"%s.whole\" \"%s\"", file, file);
        if (!p.command || !p.restore || !write_rest(file, text.data, line + 1, own))
            wb_prefix_free(&p);
        utimensat(AT_FDCWD, kept, NULL, 0); /* used now */
        free(include);
    } else if (compiled && may_keep() && met_often(key)) {
        p.build = build_lines(root, kept, line + 1, (size_t)(own - line - 1), plain, folder);
    }
    wb_buf_free(&text);
    free(root);
    free(kept);
    free(compiled);
    return p;
}

void wb_prefix_free(wb_prefix *p) {
    free(p->command);
    free(p->restore);
    free(p->build);
    *p = (wb_prefix){.command = NULL};
}
