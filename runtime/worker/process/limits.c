/* limits.c: resource limits (setrlimit). A limit that a cell lowers ends with the cell, or the
 * worker could not load the next one. Only a privileged process can raise a hard limit again. So a
 * cell lowers only the soft limit, and reads back the hard limit that it set. */
#include "runtime/worker/process/process.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct rlimit rlimits;

static rlimits first[RLIM_NLIMITS]; /* at the start of the process */
static rlim_t hard[RLIM_NLIMITS];   /* the hard limits that the cell sees */
static rlim_t files;                /* the soft limit of open files for the next cell */

static int set_and_get(pid_t pid, int which, const rlimits *wanted, rlimits *before) {
    return (int)syscall(SYS_prlimit64, pid, which, wanted, before);
}

void limits_set(int which, unsigned long soft) {
    rlimits now;
    if (set_and_get(0, which, NULL, &now) != 0)
        return;
    now.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
    set_and_get(0, which, &now, NULL);
}

void limits_open(void) {
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        set_and_get(0, i, NULL, &first[i]);
        hard[i] = first[i].rlim_max;
    }
    files = first[RLIMIT_NOFILE].rlim_cur;
    limits_restore();
}

void limits_begin(void) {
    rlim_t most = first[RLIMIT_NOFILE].rlim_max, kept = most / 8 < 64 ? most / 8 : 64;
    limits_set(RLIMIT_NOFILE, files < most - kept ? files : most - kept);
}

void limits_restore(void) {
    rlimits now;
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (set_and_get(0, i, NULL, &now) == 0) {
            hard[i] = now.rlim_max;
            if (now.rlim_cur < first[i].rlim_cur)
                limits_set(i, first[i].rlim_cur);
        }
    /* The worker can open files even if a cell used up its limit. */
    limits_set(RLIMIT_NOFILE, RLIM_INFINITY);
}

/* ---- cells call these instead of the C library's functions ---- */

#define FOR_CELLS __attribute__((visibility("default")))

FOR_CELLS int prlimit(pid_t pid, enum __rlimit_resource which, const rlimits *wanted,
                      rlimits *before) {
    rlimits now, asked = wanted ? *wanted : (rlimits){0, 0}, soft = asked;
    bool own = talk_ours() && (pid == 0 || pid == getpid()) && (unsigned)which < RLIM_NLIMITS;
    if (!own || set_and_get(0, which, NULL, &now) != 0)
        return set_and_get(pid, which, wanted, before);
    if (wanted) {
        if (asked.rlim_max > hard[which] && hard[which] < now.rlim_max) {
            errno = EPERM;
            return -1;
        }
        if (asked.rlim_cur <= asked.rlim_max && asked.rlim_max < now.rlim_max)
            soft.rlim_max = now.rlim_max;
        if (set_and_get(0, which, &soft, NULL) != 0)
            return -1;
    }
    if (before)
        *before = (rlimits){now.rlim_cur, hard[which]};
    if (wanted)
        hard[which] = asked.rlim_max;
    if (wanted && which == RLIMIT_NOFILE) /* later cells keep a raised limit */
        files = asked.rlim_cur > first[which].rlim_cur ? asked.rlim_cur : first[which].rlim_cur;
    return 0;
}

FOR_CELLS int setrlimit(__rlimit_resource_t which, const rlimits *wanted) {
    return prlimit(0, (enum __rlimit_resource)which, wanted, NULL);
}

FOR_CELLS int getrlimit(__rlimit_resource_t which, rlimits *now) {
    return prlimit(0, (enum __rlimit_resource)which, NULL, now);
}

/* On 64-bit machines both structures are the same. */
FOR_CELLS int prlimit64(pid_t, enum __rlimit_resource, const struct rlimit64 *, struct rlimit64 *)
    __attribute__((alias("prlimit")));
FOR_CELLS int setrlimit64(__rlimit_resource_t, const struct rlimit64 *)
    __attribute__((alias("setrlimit")));
FOR_CELLS int getrlimit64(__rlimit_resource_t, struct rlimit64 *)
    __attribute__((alias("getrlimit")));
