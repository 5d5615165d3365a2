/* handed.c: reads a submission's files, and moves them into the book and out of it. */
#include "grader/book/handed.h"
#include "runtime/base/scoped.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The limits of submission.c, which reads a folder for grading, are lower. */
enum { MAX_FILES = 256, MAX_BYTES = 16 << 20, MAX_DEPTH = 4 };

/* In the table of files, this precedes the names in a folder. A submission that can't be read is
 * one file named UNREADABLE. */
#define IN_FOLDER "/"
#define UNREADABLE "//unreadable"

static bool refuse(gr_handed *h, const char *format, const char *path, const char *why) {
    if (!h->unreadable)
        h->unreadable = wb_format(format, path, why);
    return false;
}

static size_t bytes_of(const gr_handed *h) {
    size_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        n += h->files[i].data.len;
    return n;
}

/* Reads an open file. Returns false if it is refused. */
static bool take_file(gr_handed *h, int fd, const char *name, const char *path) {
    struct stat st;
    wb_error err = {0};
    gr_file file = {.name = strdup(name)};
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!ok)
        refuse(h, _("%s is no regular file%s"), path, "");
    size_t left = MAX_BYTES - bytes_of(h);
    if (ok && ((size_t)st.st_size > left || h->n == MAX_FILES))
        ok = refuse(h, _("%s holds more than 256 files or 16 MB%s"), path, "");
    if (ok && !wb_fd_read(fd, path, left + 1, &file.data, &err))
        ok = refuse(h, "%s%s", err.text, "");
    gr_file *added = ok && file.name ? WB_PUSH(h->files, h->n) : NULL;
    if (!added) {
        free(file.name);
        wb_buf_free(&file.data);
        return ok && refuse(h, _("%s: out of memory%s"), path, "");
    }
    *added = file;
    h->at = st.st_mtime > h->at ? st.st_mtime : h->at;
    return true;
}

static int open_at(gr_handed *h, int folder, const char *name, const char *path) {
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 && errno == ELOOP)
        refuse(h, _("%s is a symbolic link%s: hand in what it names itself"), path, "");
    else if (fd < 0)
        refuse(h, "%s: %s", path, strerror(errno));
    return fd;
}

/* Takes all files below a folder, except hidden ones. Takes over fd. */
static bool take_folder(gr_handed *h, int fd, const char *below, const char *path, int depth) {
    DIR *dir = fdopendir(fd);
    struct dirent *entry;
    bool ok = dir && depth < MAX_DEPTH;
    if (!dir)
        close(fd);
    while (ok && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        WB_SCOPED char *name = wb_format("%s%s", below, entry->d_name);
        WB_SCOPED char *whole = wb_format("%s/%s", path, entry->d_name);
        int sub = name && whole ? open_at(h, dirfd(dir), entry->d_name, whole) : -1;
        struct stat st;
        if (sub >= 0 && fstat(sub, &st) == 0 && S_ISDIR(st.st_mode)) {
            WB_SCOPED char *deeper = wb_format("%s/", name);
            ok = deeper && take_folder(h, sub, deeper, whole, depth + 1);
        } else {
            ok = sub >= 0 && take_file(h, sub, name, whole);
            if (sub >= 0)
                close(sub);
        }
    }
    if (dir)
        closedir(dir);
    return ok || refuse(h, _("%s can't be read, or has folders in folders too deep%s"), path, "");
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const gr_file *)a)->name, ((const gr_file *)b)->name);
}

/* Hashes all names, lengths and contents, so that different submissions have different digests. */
static bool sum_up(gr_handed *h) {
    WB_SCOPED_BUF wb_buf all = {0};
    const char *why = h->unreadable ? h->unreadable : "";
    wb_buf_printf(&all, "%zu:%s%d%zu:%s", strlen(h->name), h->name, h->folder, strlen(why), why);
    for (size_t i = 0; i < h->n; i++) {
        const gr_file *file = &h->files[i];
        wb_buf_printf(&all, "%zu:%s%zu:", strlen(file->name), file->name, file->data.len);
        wb_buf_append(&all, file->data.data ? file->data.data : "", file->data.len);
    }
    if (!all.failed)
        wb_sha256(all.data, all.len, h->content);
    return !all.failed;
}

static void forget_files(gr_handed *h) {
    for (size_t i = 0; i < h->n; i++) {
        free(h->files[i].name);
        wb_buf_free(&h->files[i].data);
    }
    h->n = 0;
}

bool gr_handed_read(const char *path, gr_handed *h, wb_error *err) {
    *h = (gr_handed){.n = 0};
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    WB_SCOPED char *whole = strndup(path, n);
    struct stat st;
    if (!whole)
        return wb_fail(err, 1, _("out of memory"));
    if (lstat(whole, &st) != 0)
        return wb_fail(err, errno, "%s: %s", path,
                       errno == ENOENT ? _("there is no such file") : strerror(errno));
    h->at = st.st_mtime;
    h->name = strdup(*wb_path_name(whole) ? wb_path_name(whole) : whole);
    int fd = open_at(h, AT_FDCWD, whole, whole);
    h->folder = fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    if (h->folder) {
        h->at = 0; /* a folder's own time is only that of its last copying */
        take_folder(h, fd, "", whole, 0);
    } else if (fd >= 0) {
        take_file(h, fd, h->name, whole);
        close(fd);
    }
    if (h->at == 0)
        h->at = st.st_mtime;
    if (h->unreadable)
        forget_files(h);
    if (h->n)
        qsort(h->files, h->n, sizeof h->files[0], by_name);
    return (h->name && sum_up(h)) || wb_fail(err, 1, _("out of memory"));
}

void gr_handed_free(gr_handed *h) {
    forget_files(h);
    WB_FREE(h->files, h->name, h->unreadable);
    *h = (gr_handed){.n = 0};
}

/* ---- in the book ---------------------------------------------------------------------------- */

static bool keep_file(gr_book *book, const char *content, const char *name, const wb_buf *data,
                      wb_error *err) {
    return gr_book_run(book, err, "INSERT OR IGNORE INTO files VALUES(?,?,?)", "ssb", content, name,
                       data);
}

/* A folder or an unreadable submission has a first row with its name and the error. A folder's
 * files follow, with a slash before their names. */
bool gr_handed_keep(gr_book *book, const gr_handed *h, wb_error *err) {
    WB_SCOPED_BUF wb_buf name = {0};
    const char *told = h->unreadable ? UNREADABLE : h->folder ? IN_FOLDER : NULL;
    bool ok = true;
    if (told) {
        wb_buf_append(&name, h->name, strlen(h->name) + 1);
        wb_buf_puts(&name, h->unreadable ? h->unreadable : "");
        ok = keep_file(book, h->content, told, &name, err);
    }
    for (size_t i = 0; ok && i < h->n; i++) {
        WB_SCOPED char *stored = wb_format("%s%s", h->folder ? IN_FOLDER : "", h->files[i].name);
        ok = stored ? keep_file(book, h->content, stored, &h->files[i].data, err)
                    : wb_fail(err, 1, _("out of memory"));
    }
    return ok;
}

static bool load_file(void *ctx, sqlite3_stmt *row) {
    gr_handed *h = ctx;
    const char *name = gr_book_text(row, 0);
    const void *data = sqlite3_column_blob(row, 1);
    size_t len = (size_t)sqlite3_column_bytes(row, 1);
    const char *line = data, *end = len ? memchr(data, '\0', len) : NULL;
    if (strcmp(name, UNREADABLE) == 0 || strcmp(name, IN_FOLDER) == 0) {
        if (!end)
            return false;
        free(h->name);
        h->name = strndup(line, (size_t)(end - line));
        h->folder = strcmp(name, IN_FOLDER) == 0;
        if (!h->folder)
            h->unreadable = strndup(end + 1, len - (size_t)(end + 1 - line));
        return h->name && (h->folder || h->unreadable);
    }
    gr_file *file = WB_PUSH(h->files, h->n);
    if (!file)
        return false;
    file->name = strdup(name + (*name == '/'));
    if (!h->name)
        h->name = strdup(file->name ? file->name : "");
    wb_buf_append(&file->data, data ? data : "", len);
    return file->name && h->name && !file->data.failed;
}

bool gr_handed_load(gr_book *book, const char *content, gr_handed *h, wb_error *err) {
    *h = (gr_handed){.n = 0};
    snprintf(h->content, sizeof h->content, "%s", content);
    return gr_book_each(book, err, load_file, h,
                        "SELECT name, data FROM files WHERE content=? ORDER BY name", "s",
                        content) &&
           (h->name || wb_fail(err, 1, _("%s lacks the files of %.12s"), book->path, content));
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool write_one(const char *folder, const gr_file *file, wb_error *err) {
    WB_SCOPED char *path = wb_format("%s/%s", folder, file->name);
    char *slash = path ? strrchr(path, '/') : NULL;
    bool ok = slash != NULL || wb_fail(err, 1, _("out of memory"));
    if (ok) {
        *slash = '\0';
        ok = wb_dir_make(path, err);
        *slash = '/';
    }
    return ok &&
           wb_file_put(path, file->data.data ? file->data.data : "", file->data.len, 0644, err);
}

char *gr_handed_write(const gr_handed *h, const char *folder, wb_error *err) {
    char *path = wb_format("%s/%s", folder, h->name);
    bool ok = path ? !h->folder || wb_dir_make(path, err) : wb_fail(err, 1, _("out of memory"));
    for (size_t i = 0; ok && i < h->n; i++)
        ok = write_one(h->folder ? path : folder, &h->files[i], err);
    if (ok)
        return path;
    free(path);
    return NULL;
}
