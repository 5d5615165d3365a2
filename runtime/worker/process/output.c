/* output.c: stdout of cells. It is a pipe, so C would hold output back until a buffer is
 * full; a student wants to see it at once, and a loop of a million printf calls must not write a
 * million times. So: a large buffer that a thread empties twenty times a second, and that a crash
 * rescues. */
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
static FILE *owner, *errors;                          /* what stdout and stderr are at first */
static int kept = -1, kept_errors = -1, nowhere = -1; /* their pipes, and /dev/null */
static volatile sig_atomic_t muted;

/* std::ios_base::sync_with_stdio. Apart from stdio C++ would have buffers of its own, which nobody
 * flushes, and read descriptor 0, which nobody answers: together they stay. That false allows to
 * be apart, and asks for nothing, is ISO C++ 17, [ios.members.static]. */
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
    /* The thread takes no signals: interrupts are the main thread's. */
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

/* The descriptor is the pipe again. */
static void lead_back(int fd, int pipe) {
    struct stat now, own;
    if (fstat(pipe, &own) == 0 &&
        (fstat(fd, &now) != 0 || now.st_ino != own.st_ino || now.st_dev != own.st_dev))
        dup2(pipe, fd);
}

/* The stream is one of bytes on that descriptor again. False: it was so all the time. */
static bool reopen(FILE *stream, int fd, int pipe) {
    char path[32];
    clearerr(stream);
    if (__fwritable(stream) && fileno(stream) == fd && fwide(stream, 0) <= 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", pipe);
    if (!freopen(path, "w", stream))
        return false;
    int at = fileno(stream);
    if (at != fd) { /* glibc's FILE; the descriptor that was led back is the same pipe */
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
    if (fcntl(1, F_GETFD) < 0) /* what was printed before close(1) */
        dup2(kept, 1);
    output_flush();
    lead_back(1, kept);
    lead_back(2, kept_errors);
    if (reopen(stdout, 1, kept))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    if (reopen(stderr, 2, kept_errors))
        setvbuf(stderr, NULL, _IOLBF, 0);
}

/* Waits at most two seconds for a thread that writes the buffer just now, and keeps the lock:
 * no other thread writes what we write, before us or after. False: it still writes, and how far it
 * has come is not known. */
static bool lock_out_the_others(void) {
    int tries = 2000;
    while (ftrylockfile(owner) != 0 && --tries > 0)
        nanosleep(&(struct timespec){0, 1000 * 1000}, NULL);
    return tries > 0;
}

void output_rescue(void) {
    if (!lock_out_the_others())
        return;
    /* glibc's FILE: what lies between base and ptr was printed but not written. */
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
