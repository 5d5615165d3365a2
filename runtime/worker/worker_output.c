/* worker_output.c: stdout of cells. It is a pipe, so C would hold output back until a buffer is
 * full; a student wants to see it at once, and a loop of a million printf calls must not write a
 * million times. So: a large buffer that a thread empties twenty times a second, and that a crash
 * rescues. */
#include "runtime/worker/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static char buffer[1 << 16];
static FILE *owner;
static int kept = -1, nowhere = -1; /* the pipe, and /dev/null */
static volatile sig_atomic_t muted;

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
    kept = fcntl(1, F_DUPFD_CLOEXEC, 10);
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

/* Waits for whoever is writing the buffer just now, at most a fifth of a second, and keeps the
 * lock: nobody writes what we write, before us or after. */
static void lock_out_the_others(void) {
    for (int i = 0; i < 200 && ftrylockfile(owner) != 0; i++)
        nanosleep(&(struct timespec){0, 1000 * 1000}, NULL);
}

void output_rescue(void) {
    lock_out_the_others();
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
