/* parallel.c: one loop over several threads. */
#include "runtime/base/base.h"

#include <pthread.h>
#include <unistd.h>

enum { MAX_THREADS = 32 };

typedef struct part {
    void (*work)(void *ctx, int64_t from, int64_t to);
    void *ctx;
    int64_t from, to;
} part;

static void *run_part(void *arg) {
    part *p = arg;
    p->work(p->ctx, p->from, p->to);
    return NULL;
}

void wb_parallel(int64_t n, void (*work)(void *ctx, int64_t from, int64_t to), void *ctx) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
    if (threads > n)
        threads = n > 0 ? (int)n : 1;
    pthread_t ids[MAX_THREADS];
    part parts[MAX_THREADS];
    bool started[MAX_THREADS] = {false};
    for (int i = 0; i < threads; i++) {
        parts[i] = (part){work, ctx, n * i / threads, n * (i + 1) / threads};
        if (i > 0)
            started[i] = pthread_create(&ids[i], NULL, run_part, &parts[i]) == 0;
    }
    for (int i = 0; i < threads; i++)
        if (!started[i])
            run_part(&parts[i]);
    for (int i = 0; i < threads; i++)
        if (started[i])
            pthread_join(ids[i], NULL);
}
