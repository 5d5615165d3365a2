/* memory.c: applies the session's limit (memory.h) while a cell runs. Between cells the limit is
 * higher, so that the next cell can load and can free what an earlier one allocated. */
#include "runtime/worker/process/process.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static rlim_t wanted = RLIM_INFINITY;
static const rlim_t headroom = (rlim_t)64 << 20;

void memory_open(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) == 0)
        wanted = limit.rlim_cur;
    memory_loosen();
}

size_t memory_held(void) {
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;
    if (file && fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

void memory_tighten(void) {
    if (wanted == RLIM_INFINITY)
        return;
    rlim_t least = memory_held() + headroom;
    limits_set(RLIMIT_DATA, wanted > least ? wanted : least);
}

void memory_loosen(void) {
    limits_set(RLIMIT_DATA, RLIM_INFINITY);
}

size_t memory_limit(void) {
    return wanted == RLIM_INFINITY ? 0 : (size_t)wanted;
}
