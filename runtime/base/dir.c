/* dir.c: makes and removes folders. Temporary ones do not outlive their process.
 *
 * A killed process can't tidy up. So a process locks each of its temporary folders (flock, on the
 * folder itself) while it lives. Whoever makes one removes those of the same name that no process
 * locks. The system releases the lock however the process ends. */
#include "runtime/base/scoped.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SUFFIX = 6,     /* mkdtemp's random letters */
    SETTLED_S = 60, /* a younger one may not be locked yet */
};

/* A temporary folder of this process. The open descriptor holds the lock. */
typedef struct held {
    char *path;
    int fd;
    struct held *next;
} held;

static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;
static held *all_held;

static bool make_one(const char *path) {
    struct stat st;
    return mkdir(path, 0777) == 0 ||
           (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

bool wb_dir_make(const char *path, wb_error *err) {
    char *copy = strdup(path);
    if (!copy)
        return wb_fail(err, ENOMEM, _("out of memory"));
    bool ok = true;
    for (char *p = copy + 1; ok && *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        ok = make_one(copy);
        *p = '/';
    }
    ok = ok && make_one(copy);
    if (!ok)
        wb_fail(err, errno, _("can't make the folder %s: %s"), path, strerror(errno));
    free(copy);
    return ok;
}

/* Opens a folder, but no link to one. */
static int open_folder(int parent, const char *name) {
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes what the folder behind fd holds. Closes fd. */
static bool empty_folder(int fd) {
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return false;
    }
    bool ok = true;
    struct dirent *entry;
    while ((entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(dir), entry->d_name, 0) == 0)
            continue;
        int sub = open_folder(dirfd(dir), entry->d_name);
        ok = sub >= 0 && empty_folder(sub) &&
             unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR) == 0 && ok;
    }
    closedir(dir);
    return ok;
}

wb_strings wb_dir_names(const char *path, const char *end) {
    wb_strings names = {0};
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.' && wb_ends(e->d_name, end))
            wb_strings_add(&names, e->d_name);
    if (dir)
        closedir(dir);
    if (names.n)
        qsort(names.v, names.n, sizeof *names.v, wb_by_text);
    return names;
}

/* ---- temporary ones ------------------------------------------------------------------------- */

static void hold(const char *path) {
    held *h = calloc(1, sizeof *h);
    int fd = h ? open_folder(AT_FDCWD, path) : -1;
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0 || !(h->path = strdup(path))) {
        if (fd >= 0)
            close(fd);
        free(h);
        /* without the lock, nobody removes the folder after a kill; that is no reason to fail */
        return;
    }
    h->fd = fd;
    WB_LOCKED(&held_lock);
    h->next = all_held;
    all_held = h;
}

static void release(const char *path) {
    WB_LOCKED(&held_lock);
    held **at = &all_held;
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    held *h = *at;
    if (h)
        *at = h->next;
    if (!h)
        return;
    close(h->fd);
    WB_FREE(h->path, h);
}

/* Returns true if the folder is this user's and no living process holds it. Locks it then. */
static bool is_left_behind(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           difftime(time(NULL), st.st_mtime) > SETTLED_S && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Removes the folders NAME-XXXXXX in `parent` that killed processes left there. */
static void sweep(const char *parent, const char *name) {
    DIR *dir = opendir(parent);
    size_t len = strlen(name);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        const char *rest = entry->d_name + len;
        if (strncmp(entry->d_name, name, len) != 0 || *rest != '-' || strlen(rest + 1) != SUFFIX)
            continue;
        int fd = open_folder(dirfd(dir), entry->d_name);
        if (fd < 0)
            continue;
        int lock = is_left_behind(fd) ? dup(fd) : -1; /* held until the folder is removed */
        if (lock < 0)
            close(fd);
        else if (empty_folder(fd))
            unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
        if (lock >= 0)
            close(lock);
    }
    if (dir)
        closedir(dir);
}

char *wb_dir_temp(const char *name, wb_error *err) {
    const char *parent = getenv("TMPDIR");
    parent = parent && *parent ? parent : "/tmp";
    char *start = wb_format("warpbook-%s", name), *path = NULL;
    if (start) {
        sweep(parent, start);
        path = wb_format("%s/%s-XXXXXX", parent, start);
    }
    free(start);
    if (path && mkdtemp(path)) {
        hold(path);
        return path;
    }
    wb_fail(err, errno, _("can't make a temporary folder for %s: %s"), name, strerror(errno));
    free(path);
    return NULL;
}

bool wb_dir_remove(const char *path, wb_error *err) {
    int fd = open_folder(AT_FDCWD, path);
    if (fd < 0 && errno == ENOENT)
        return true;
    bool ok = fd >= 0 && empty_folder(fd) && rmdir(path) == 0;
    int why = errno;
    release(path);
    return ok || wb_fail(err, why, _("can't remove the folder %s: %s"), path, strerror(why));
}
