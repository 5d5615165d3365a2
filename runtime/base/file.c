/* file.c: whole files. */
#include "runtime/base/scoped.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool wb_fd_read(int fd, const char *path, size_t max, wb_buf *out, wb_error *err) {
    size_t start = out->len;
    bool ok = true;
    for (;;) {
        if (!wb_buf_reserve(out, 65536)) {
            ok = wb_fail(err, ENOMEM, _("out of memory while reading %s"), path);
            break;
        }
        ssize_t n = read(fd, out->data + out->len, 65536);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            ok = wb_fail(err, errno, _("can't read %s: %s"), path, strerror(errno));
            break;
        }
        if (n == 0)
            break;
        out->len += (size_t)n;
        if (max && out->len - start > max) {
            ok = wb_fail(err, EFBIG, _("%s is larger than the %zu bytes allowed"), path, max);
            break;
        }
    }
    if (!ok)
        out->len = start;
    if (out->data)
        out->data[out->len] = '\0';
    return ok;
}

bool wb_file_read(const char *path, size_t max, wb_buf *out, wb_error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return wb_fail(err, errno, _("can't open %s: %s"), path, strerror(errno));
    bool ok = wb_fd_read(fd, path, max, out, err);
    close(fd);
    return ok;
}

bool wb_write_all(int fd, const void *data, size_t len) {
    for (const char *at = data; len;) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static bool write_file(const char *path, const void *data, size_t len, mode_t mode, bool sync,
                       wb_error *err) {
    WB_SCOPED char *temporary = wb_format("%s.XXXXXX", path);
    if (!temporary)
        return wb_fail(err, ENOMEM, _("out of memory while writing %s"), path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    bool ok = fd >= 0;
    if (ok) {
        mode_t mask = umask(0);
        umask(mask);
        ok = wb_write_all(fd, data, len) && fchmod(fd, mode & ~mask) == 0 &&
             (!sync || fsync(fd) == 0);
        ok = close(fd) == 0 && ok;
        ok = ok && rename(temporary, path) == 0;
        int saved = errno;
        if (!ok)
            unlink(temporary);
        errno = saved;
    }
    if (!ok)
        wb_fail(err, errno, _("can't write %s: %s"), path, strerror(errno));
    return ok;
}

bool wb_file_write(const char *path, const void *data, size_t len, wb_error *err) {
    return write_file(path, data, len, 0666, true, err);
}

bool wb_file_write_unsynced(const char *path, const void *data, size_t len, wb_error *err) {
    return write_file(path, data, len, 0666, false, err);
}

bool wb_file_put(const char *path, const void *data, size_t len, mode_t mode, wb_error *err) {
    return write_file(path, data, len, mode, false, err);
}

bool wb_file_copy(const char *from, const char *to, wb_error *err) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (in < 0 || fstat(in, &st) < 0) {
        wb_fail(err, errno, _("can't read %s: %s"), from, strerror(errno));
        if (in >= 0)
            close(in);
        return false;
    }
    unlink(to); /* a running program may have it mapped */
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
    bool ok = out >= 0;
    char chunk[65536];
    for (ssize_t n; ok && (n = read(in, chunk, sizeof chunk)) != 0;)
        ok = n > 0 && wb_write_all(out, chunk, (size_t)n);
    int why = errno;
    close(in);
    if (out >= 0 && close(out) < 0)
        ok = false;
    if (!ok && out >= 0)
        unlink(to);
    return ok || wb_fail(err, why, _("can't copy %s to %s: %s"), from, to, strerror(why));
}

bool wb_file_exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}
