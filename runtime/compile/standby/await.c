/* await.c: see await.h. Limits are of time in which a process could have run and did not: on a busy
 * machine it is runnable, and one that computes uses processor time; neither is stuck. */
#include "runtime/compile/standby/await.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { LOOK_MS = 500, STOPPED_LOOKS = 2, ASLEEP_LOOKS = 20 };

typedef struct watched {
    pid_t pid;
    unsigned long long cpu;
    int stopped, asleep; /* for how many looks */
} watched;

/* The process's state, processor time and parent; ' ': it is not there, or not to be seen. */
static char look(pid_t pid, unsigned long long *cpu, pid_t *parent) {
    char path[64], text[1024], state = ' ';
    unsigned long long user = 0, system = 0;
    int ppid = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *f = pid > 0 ? fopen(path, "re") : NULL;
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *at = strrchr(text, ')'); /* behind the name, which may hold anything */
    if (!at || sscanf(at, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &state, &ppid,
                      &user, &system) != 4)
        return ' ';
    *cpu = user + system;
    *parent = ppid;
    return state;
}

/* Whether it does not go on. The standby itself sleeps while its copies work. */
static bool is_stuck(watched *w, pid_t parent, bool may_sleep) {
    unsigned long long cpu = 0;
    pid_t its_parent = 0;
    char state = look(w->pid, &cpu, &its_parent);
    if (state == ' ' || (parent && its_parent != parent))
        return false; /* another namespace, or gone: the connection will tell */
    w->stopped = state == 'T' || state == 't' ? w->stopped + 1 : 0;
    w->asleep = state == 'S' && cpu == w->cpu && !may_sleep ? w->asleep + 1 : 0;
    w->cpu = cpu;
    return w->stopped >= STOPPED_LOOKS || w->asleep >= ASLEEP_LOOKS;
}

/* One that has as many copies as it may sleeps, too. */
static bool has_copies(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    FILE *f = fopen(path, "re");
    bool has = !f || fgetc(f) != EOF;
    if (f)
        fclose(f);
    return has;
}

static pid_t peer_of(int fd) {
    struct ucred who = {.pid = -1};
    socklen_t size = sizeof who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : -1;
}

bool standby_await(int fd, standby_reply *reply, bool *stuck) {
    watched standby = {.pid = peer_of(fd)}, copy = {.pid = -1};
    *stuck = false;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, LOOK_MS);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            ssize_t got = recv(fd, reply, sizeof *reply, MSG_DONTWAIT);
            if (got == (ssize_t)sizeof *reply)
                return true;
            if (got != (ssize_t)sizeof copy.pid)
                return false;
            memcpy(&copy.pid, reply, sizeof copy.pid); /* it has begun */
        } else if (is_stuck(&standby, 0, copy.pid > 0)) {
            *stuck = standby.stopped > 0 || !has_copies(standby.pid);
            return false;
        } else if (copy.pid > 0 && is_stuck(&copy, standby.pid, false)) {
            return false;
        }
    }
}

void standby_drop(int fd) {
    pid_t pid = peer_of(fd);
    if (pid > 0)
        kill(pid, SIGKILL); /* which its copies do not outlive */
}
