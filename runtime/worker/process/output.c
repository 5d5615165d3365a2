/* output.c: buffers the stdout of cells. It is a pipe, so C would hold output until a buffer is
 * full, but a student wants to see it at once. A loop of a million printf calls must not cause a
 * million writes. So a thread empties a large buffer twenty times a second, and a crash handler
 * rescues the rest. */
#include "runtime/worker/process/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static char buffer[1 << 16];
static FILE *owner, *errors;                          /* the initial stdout and stderr */
static int kept = -1, kept_errors = -1, nowhere = -1; /* their pipes, and /dev/null */
static volatile sig_atomic_t muted;

/* Replaces std::ios_base::sync_with_stdio and ignores `together`. Without stdio, C++ would have
 * buffers of its own that nobody flushes, and would read descriptor 0. ISO C++17,
 * [ios.members.static] allows this. */
__attribute__((visibility("default"))) bool _ZNSt8ios_base15sync_with_stdioEb(bool together) {
    static bool last = true;
    bool before = last;
    last = together;
    return before;
}

static void *flush_often(void *unused) {
    (void)unused;
    for (;;) {
        nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
        fflush(stdout);
    }
    return NULL;
}

void output_open(void) {
    owner = stdout;
    errors = stderr;
    kept = fcntl(1, F_DUPFD_CLOEXEC, 10);
    kept_errors = fcntl(2, F_DUPFD_CLOEXEC, 10);
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    setvbuf(stderr, NULL, _IOLBF, 0);
    /* The thread takes no signals, because the main thread handles interrupts. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, NULL, flush_often, NULL) == 0)
        pthread_detach(thread);
    else
        setvbuf(stdout, NULL, _IOLBF, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void output_mute(void) {
    if (kept >= 0 && nowhere >= 0 && !muted) {
        dup2(nowhere, 1);
        muted = 1;
    }
}

void output_unmute(void) {
    if (muted) {
        dup2(kept, 1);
        muted = 0;
    }
}

/* Points the descriptor to the pipe again. */
static void lead_back(int fd, int pipe) {
    struct stat now, own;
    if (fstat(pipe, &own) == 0 &&
        (fstat(fd, &now) != 0 || now.st_ino != own.st_ino || now.st_dev != own.st_dev))
        dup2(pipe, fd);
}

/* Makes the stream one of bytes on that descriptor again. Returns false if it was. */
static bool reopen(FILE *stream, int fd, int pipe) {
    char path[32];
    clearerr(stream);
    if (__fwritable(stream) && fileno(stream) == fd && fwide(stream, 0) <= 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", pipe);
    if (!freopen(path, "w", stream))
        return false;
    int at = fileno(stream);
    if (at != fd) { /* glibc's FILE; the restored descriptor is the same pipe */
        close(at);
        stream->_fileno = fd;
    }
    return true;
}

void output_flush(void) {
    fflush(NULL);
}

void output_restore(void) {
    if (kept < 0 || kept_errors < 0)
        return;
    stdout = owner;
    stderr = errors;
    if (fcntl(1, F_GETFD) < 0) /* for output printed before close(1) */
        dup2(kept, 1);
    output_flush();
    lead_back(1, kept);
    lead_back(2, kept_errors);
    if (reopen(stdout, 1, kept))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    if (reopen(stderr, 2, kept_errors))
        setvbuf(stderr, NULL, _IOLBF, 0);
}

/* Takes the buffer's lock and keeps it, so that no other thread writes the same text. Waits at most
 * two seconds for a writing thread. Returns false if it still writes, at an unknown place. */
static bool lock_out_the_others(void) {
    int tries = 2000;
    while (ftrylockfile(owner) != 0 && --tries > 0)
        nanosleep(&(struct timespec){0, 1000 * 1000}, NULL);
    return tries > 0;
}

void output_rescue(void) {
    if (!lock_out_the_others())
        return;
    /* glibc's FILE: the text between base and ptr was printed but not written. */
    const char *from = owner->_IO_write_base, *to = owner->_IO_write_ptr;
    if (from < buffer || to > buffer + sizeof buffer)
        return;
    while (from < to) {
        ssize_t n = write(1, from, (size_t)(to - from));
        if (n <= 0)
            return;
        from += n;
    }
}
