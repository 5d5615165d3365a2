/* spill.c: caps a cell's printed output and writes the rest to a file in the cache. */
#include "jupyter_kernel/execution/spill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Files are kept for a week, and a limit protects the disk. */
static const time_t keep_s = 7 * 24 * 3600;
static const size_t max_file = (size_t)4 << 30;

void spill_open(spill *s, int number) {
    *s = (spill){.limit = wb_setting_number("WARPBOOK_OUTPUT_LIMIT", 1, SPILL_DEFAULT_LIMIT),
                 .number = number,
                 .fd = -1};
}

void spill_close(spill *s) {
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    *s = (spill){.fd = -1};
}

static void remove_old(const char *folder) {
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st;
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
            st.st_mtime < time(NULL) - keep_s)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}

static void open_file(spill *s) {
    WB_SCOPED char *folder = wb_path_cache("output");
    wb_error err = {.code = ENOMEM};
    if (folder && wb_dir_make(folder, &err)) {
        remove_old(folder);
        s->path =
            wb_format("%s/cell-%d-%d-%ld.txt", folder, s->number, (int)getpid(), (long)time(NULL));
        if (s->path)
            s->fd = open(s->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        err.code = errno;
    }
    if (s->fd < 0) {
        s->error = err.code;
        free(s->path);
        s->path = NULL;
    }
}

static void write_file(spill *s, const char *text, size_t len) {
    s->spilt += len;
    while (s->fd >= 0 && len > 0) {
        errno = EFBIG;
        ssize_t n = s->spilt <= max_file ? write(s->fd, text, len) : -1;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) { /* a full disk or a limit */
            s->error = errno;
            close(s->fd);
            s->fd = -1;
            return;
        }
        text += n;
        len -= (size_t)n;
    }
}

size_t spill_admit(spill *s, const char *text, size_t len, char **notice) {
    *notice = NULL;
    size_t room = s->spilt ? 0 : s->limit - s->shown;
    size_t show = len <= room ? len : room;
    while (show < len && show > 0 && ((unsigned char)text[show] & 0xC0) == 0x80)
        show--;
    s->shown += show;
    if (show < len) {
        bool first = s->spilt == 0;
        if (first)
            open_file(s);
        write_file(s, text + show, len - show);
        if (first)
            *notice = wb_format(
                _("\n[warpbook] A cell shows its first %zu bytes; the rest %s%s.\n"), s->shown,
                s->path ? _("goes to ") : _("is dropped"), s->path ? s->path : "");
    }
    return show;
}

char *spill_summary(const spill *s) {
    if (!s->spilt)
        return NULL;
    if (s->fd >= 0)
        return wb_format(_("[warpbook] %zu more bytes were printed; they are in %s.\n"), s->spilt,
                         s->path);
    return wb_format(_("[warpbook] %zu more bytes were printed; %s%s (%s).\n"), s->spilt,
                     s->path ? _("as far as they fitted they are in ") : _("they are dropped"),
                     s->path ? s->path : "", strerror(s->error));
}
