/* prefix.c: see prefix.h. A prefix is a folder: the text p.h, what gcc made of it, p.h.gch, and
 * `sum`, the checksum of both. gcc would take a damaged header for good, so it is not shown one:
 * the sum is worked out again, once in a process for a file as it is (its size and times), since
 * 80 MB take 45 ms and what is won is 100 ms a cell. Not synced: after a power cut it is not the
 * sum's file, and is made anew.
 *
 * The text is the same to the byte, by its hash, or it is not used; and gcc
 * itself checks that the header was made by the same compiler with the same options, or reads the
 * text it was made from. So what is compiled is what would have been. Where gcc says anything at
 * all, the file is compiled again as it was (steps.c), for a precompiled header might change what
 * is quoted. */
#include "runtime/compile/steps/prefix.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compile/cache/cache.h"

/* A prefix is kept when it is met for the third time: 0.5 s, once, for 0.1 s a cell. Each takes 20
 * to 80 MB. */
enum { MET_OFTEN = 3, REMEMBERED = 8, MAX_KEPT = 6, LEAST_CACHE_MB = 256 };

/* ---- what this process knows of one --------------------------------------------------------- */

/* A file as it was when its sum was found right. */
typedef struct stamp {
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
} stamp;

static struct {
    char key[WB_SHA256_TEXT];
    int times;        /* how often it was met */
    stamp checked[2]; /* p.h and p.h.gch */
} met[REMEMBERED];
static size_t next_met;
static pthread_mutex_t met_lock = PTHREAD_MUTEX_INITIALIZER;

/* The key's place in `met`, which is locked. */
static size_t recall(const char *key) {
    size_t i = 0;
    while (i < REMEMBERED && strcmp(met[i].key, key) != 0)
        i++;
    if (i == REMEMBERED) {
        i = next_met++ % REMEMBERED;
        memset(&met[i], 0, sizeof met[i]);
        memcpy(met[i].key, key, WB_SHA256_TEXT);
    }
    return i;
}

/* Not where the cache is to be small. */
static bool may_keep(void) {
    const char *setting = getenv("WARPBOOK_CACHE_MB");
    return !setting || !*setting || strtoul(setting, NULL, 10) >= LEAST_CACHE_MB;
}

static bool met_often(const char *key) {
    pthread_mutex_lock(&met_lock);
    bool often = ++met[recall(key)].times == MET_OFTEN;
    pthread_mutex_unlock(&met_lock);
    return often;
}

/* ---- what is kept --------------------------------------------------------------------------- */

static bool same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool same_stamp(const stamp *a, const stamp *b) {
    return a->inode == b->inode && a->size == b->size && same_time(a->modified, b->modified) &&
           same_time(a->changed, b->changed);
}

static bool take_stamps(const char *const paths[2], stamp now[2]) {
    for (int i = 0; i < 2; i++) {
        struct stat st;
        if (stat(paths[i], &st) != 0)
            return false;
        now[i] = (stamp){st.st_ino, st.st_size, st.st_mtim, st.st_ctim};
    }
    return true;
}

/* Whether the files are those whose sum was found right; `right`: it just was. */
static bool was_checked(const char *key, const stamp now[2], bool right) {
    pthread_mutex_lock(&met_lock);
    stamp *s = met[recall(key)].checked;
    if (right)
        memcpy(s, now, 2 * sizeof *now);
    bool same = same_stamp(&s[0], &now[0]) && same_stamp(&s[1], &now[1]);
    pthread_mutex_unlock(&met_lock);
    return same;
}

/* Whether the folder holds a prefix that is whole. */
static bool is_whole(const char *key, const char *folder) {
    char *text = wb_format("%s/p.h", folder), *compiled = wb_format("%s/p.h.gch", folder);
    char *path = wb_format("%s/sum", folder), sum[WB_SHA256_TEXT];
    const char *const paths[] = {text, compiled, NULL};
    stamp now[2];
    wb_buf kept = {0};
    bool there = text && compiled && path && take_stamps(paths, now);
    bool whole = there && was_checked(key, now, false);
    if (there && !whole)
        whole = wb_file_read(path, WB_SHA256_TEXT, &kept, NULL) && kept.data &&
                wb_sha256_files(paths, sum) && strcmp(kept.data, sum) == 0 &&
                was_checked(key, now, true);
    wb_buf_free(&kept);
    free(text);
    free(compiled);
    free(path);
    return whole;
}

void wb_prefix_keep(const wb_prefix *p) {
    if (!p->made)
        return;
    char *text = wb_format("%s/p.h", p->made), *compiled = wb_format("%s/p.h.gch", p->made);
    char *path = wb_format("%s/sum", p->made), sum[WB_SHA256_TEXT];
    if (text && compiled && path && wb_sha256_files((const char *[]){text, compiled, NULL}, sum) &&
        wb_file_write(path, sum, strlen(sum), NULL)) {
        wb_cache_drop(p->kept);
        rename(p->made, p->kept);
    }
    free(text);
    free(compiled);
    free(path);
}

/* The command with other options, and a file put in front of its own. */
static char *changed(const char *plain, const char *folder, const char *more) {
    char *mark = wb_format("\"%s/", folder);
    const char *at = mark ? strstr(plain, mark) : NULL;
    char *text = at ? wb_format("%.*s %s %s", (int)(at - plain), plain, more, at) : NULL;
    free(mark);
    return text;
}

/* The line that makes p.h.gch of `header` with the options that compile the file. */
static char *build_line(const char *header, const char *plain, const char *folder) {
    static const char as_source[] = " -c -x c++ ";
    char *mark = wb_format("\"%s/", folder);
    const char *kind = strstr(plain, as_source), *at = mark ? strstr(plain, mark) : NULL;
    char *line = NULL;
    if (kind && at && kind < at) {
        const char *options = kind + sizeof as_source - 1;
        line = wb_format("{ %.*s -x c++-header %.*s \"%s\" -o \"%s.gch\" || rm -f \"%s.gch\"; } "
                         ">/dev/null 2>&1",
                         (int)(kind - plain), plain, (int)(at - options), options, header, header,
                         header);
    }
    free(mark);
    return line;
}

/* What is to be done to keep the text: p->build, in a folder of its own. */
static void plan_build(wb_prefix *p, const char *root, const char *text, size_t len,
                       const char *plain, const char *folder) {
    wb_cache_room(root, MAX_KEPT);
    p->made = wb_dir_make(root, NULL) ? wb_format("%s/new-XXXXXX", root) : NULL;
    if (!p->made || !mkdtemp(p->made)) {
        free(p->made);
        p->made = NULL;
        return;
    }
    char *header = wb_format("%s/p.h", p->made);
    if (header && wb_file_write(header, text, len, NULL))
        p->build = build_line(header, plain, folder);
    free(header);
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

/* The options, without the folders of headers that have none of what the prefix still includes: the
 * notebook's is another one for each notebook, and all of a user share what is the same. */
static void put_options(wb_buf *to, const char *options, const char *end) {
    static const char folder[] = " -I\"", included[] = "crt/host_runtime.h";
    for (const char *p; options < end; options = p) {
        size_t mark = strncmp(options, folder, sizeof folder - 1) == 0 ? sizeof folder - 1 : 0;
        p = memchr(options + mark + !mark, mark ? '"' : ' ',
                   (size_t)(end - options) - mark - !mark);
        p = !p ? end : p + (mark > 0);
        char *path = mark ? wb_format("%.*s/%s", (int)(p - 1 - options - (long)mark),
                                      options + mark, included)
                          : NULL;
        if (!path || wb_file_exists(path))
            wb_buf_append(to, options, (size_t)(p - options));
        free(path);
    }
}

static bool make_key(const char *text, size_t len, const char *plain, const char *folder,
                     char key[WB_SHA256_TEXT]) {
    const char *end = strstr(plain, folder);
    char *name = wb_format("%.*s", (int)strcspn(plain, " "), plain);
    char *compiler = name ? wb_path_find(name) : NULL;
    struct stat st = {0};
    wb_buf all = {0};
    if (compiler && stat(compiler, &st) == 0)
        wb_buf_printf(&all, "%lld %lld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec);
    if (end)
        put_options(&all, plain, end);
    free(name);
    free(compiler);
    wb_buf_append(&all, text, len);
    bool ok = end && !all.failed;
    wb_sha256(all.data, all.len, key);
    wb_buf_free(&all);
    return ok;
}

/* The file becomes the rest of itself, to be compiled with what is kept. */
static void use(wb_prefix *p, const char *file, const char *text, const char *prefix,
                const char *own, const char *plain, const char *folder) {
    char *include = wb_format("-include \"%s/p.h\"", p->kept);
    p->command = include ? changed(plain, folder, include) : NULL;
    p->restore = wb_format("mv \"%s.whole\" \"%s\"", file, file);
    if (!p->command || !p->restore || !write_rest(file, text, prefix, own))
        wb_prefix_free(p);
    else
        utimensat(AT_FDCWD, p->kept, NULL, 0); /* used now */
    free(include);
}

wb_prefix wb_prefix_take(const char *file, const char *plain, const char *folder) {
    wb_prefix p = {.command = NULL};
    char key[WB_SHA256_TEXT], *root = wb_path_cache("prefix");
    wb_buf text = {0};
    bool ok = root && wb_file_read(file, 0, &text, NULL) && text.data;
    const char *line = ok ? strchr(text.data, '\n') : NULL, *own = line ? own_part(line) : NULL;
    if (own && make_key(line + 1, (size_t)(own - line - 1), plain, folder, key))
        p.kept = wb_format("%s/%s", root, key);
    bool there = p.kept && wb_file_exists(p.kept), whole = there && is_whole(key, p.kept);
    if (there && !whole)
        wb_cache_drop(p.kept);
    if (whole)
        use(&p, file, text.data, line + 1, own, plain, folder);
    else if (p.kept && may_keep() && (met_often(key) || there))
        plan_build(&p, root, line + 1, (size_t)(own - line - 1), plain, folder);
    if (!p.command && !p.build)
        wb_prefix_free(&p); /* nothing to do, nothing to hold */
    wb_buf_free(&text);
    free(root);
    return p;
}

void wb_prefix_free(wb_prefix *p) {
    if (p->made)
        wb_dir_remove(p->made, NULL); /* unless it has got its name */
    free(p->command);
    free(p->restore);
    free(p->build);
    free(p->made);
    free(p->kept);
    *p = (wb_prefix){.command = NULL};
}
