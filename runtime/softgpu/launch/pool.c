/* pool.c: the threads that work on a launch. Waking one costs tens of microseconds. So a launch
 * begins on its own thread and calls the others only if it lasts (launch.c). */
#include <unistd.h>

#include "runtime/base/scoped.h"
#include "runtime/softgpu/launch/launch.h"

#define MAX_THREADS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static unsigned started;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sg_run *offered; /* the launch that needs help */
static void (*offered_work)(sg_run *run);
static unsigned openings; /* threads that it still needs */

/* Returns how many threads work on a launch, including its own. */
static unsigned threads(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t n = wb_setting_number("WARPBOOK_SOFTGPU_THREADS", 1, cores < 1 ? 1 : (uint64_t)cores);
    return n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

static void *thread_main(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!openings)
            pthread_cond_wait(&wake, &lock);
        sg_run *run = offered;
        void (*work)(sg_run *) = offered_work;
        openings--;
        run->helpers++;
        pthread_mutex_unlock(&lock);
        work(run);
        pthread_mutex_lock(&lock);
        if (--run->helpers == 0)
            pthread_cond_broadcast(&run->idle);
    }
    return NULL;
}

static void before_fork(void) {
    pthread_mutex_lock(&lock);
}

static void after_fork(void) {
    pthread_mutex_unlock(&lock);
}

/* Resets the pool in a forked child, which has no threads. `wake` still counts waiting threads, so
 * waking them would block. */
static void in_child(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&wake, NULL);
    started = openings = 0;
    offered = NULL;
}

static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, in_child);
}

void sg_pool_wake(sg_run *run, void (*work)(sg_run *run)) {
    unsigned n = threads() - 1;
    pthread_once(&once, watch_forks);
    WB_LOCKED(&lock);
    if (n && !openings) { /* if another launch needs help now, this one continues alone */
        while (started < n) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, thread_main, NULL))
                break;
            pthread_detach(thread);
            started++;
        }
        offered = run;
        offered_work = work;
        openings = n < started ? n : started;
        pthread_cond_broadcast(&wake);
    }
}

void sg_pool_leave(sg_run *run) {
    WB_LOCKED(&lock);
    if (offered == run) {
        openings = 0;
        offered = NULL;
    }
    while (run->helpers)
        pthread_cond_wait(&run->idle, &lock);
}
