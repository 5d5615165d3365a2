/* serve.c: see serve.h. */
#include "runtime/compile/standby/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compile/standby/room.h"
#include "runtime/compile/standby/shrink.h"

enum {
    MAX_COPIES = 16,
    TICK_MS = 2000,
    IDLE_SECONDS = 600,
    PUT_OFF_SECONDS = 3600,
    PATIENCE_S = 60
};

/* Somebody who has connected and not asked yet: a machine may be busy, and a disk may keep who
 * asks from it. Nobody else waits meanwhile. */
typedef struct caller {
    int fd;
    time_t since;
} caller;

/* A copy at work. Its end of the pipe closes when it has died; who asked is told then, and when he
 * is gone the copy is killed. The copy holds the connection too, so that its end means that
 * nothing of this request runs any more. */
typedef struct copy {
    pid_t pid;
    int asked, pipe;
} copy;

static struct {
    char key[STANDBY_KEY_TEXT];
    char folder[PATH_MAX];  /* where the program began */
    char program[PATH_MAX]; /* its file */
    struct stat as_it_was;
    int root;        /* the folder of all sockets */
    bool owns;       /* it is the one that `folder` was made for */
    off_t said;      /* bytes of words, by those it is a copy of */
    int socket;      /* listens */
    struct stat own; /* the socket's name */
    copy copies[MAX_COPIES];
    int n_copies;
    caller callers[MAX_COPIES];
    int n_callers;
    time_t used;
} self = {.root = -1, .socket = -1};

static time_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

bool serve_begin(const char *key) {
    ssize_t n = readlink("/proc/self/exe", self.program, sizeof self.program - 1);
    self.root = open("..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    self.owns = true;
    return strlen(key) == STANDBY_KEY_TEXT - 1 && strcpy(self.key, key) && n > 0 &&
           stat(self.program, &self.as_it_was) == 0 && getcwd(self.folder, sizeof self.folder) &&
           self.root >= 0;
}

/* ---- coming and going ----------------------------------------------------------------------- */

static bool is_published(void) {
    struct stat st;
    return self.socket >= 0 && fstatat(self.root, self.key, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           st.st_ino == self.own.st_ino && st.st_dev == self.own.st_dev;
}

_Noreturn void serve_leave(int status) {
    if (is_published())
        unlinkat(self.root, self.key, 0);
    if (self.owns)
        room_remove(self.root, strrchr(self.folder, '/') + 1);
    _exit(status);
}

/* Whether the program has said anything since it began, or became a copy. */
static bool has_spoken(void) {
    struct stat st;
    fflush(stdout);
    fflush(stderr);
    bool spoken = fstat(1, &st) != 0 || st.st_size > self.said;
    self.said = st.st_size;
    return spoken;
}

/* Not again for an hour: it would speak again. */
static void put_off(void) {
    char name[STANDBY_KEY_TEXT + 8];
    struct timespec late = {.tv_sec = time(NULL) + PUT_OFF_SECONDS};
    snprintf(name, sizeof name, "seen-%s", self.key);
    utimensat(self.root, name, (struct timespec[]){late, late}, 0);
}

/* Takes the key's name, unless somebody answers to it. */
static bool publish(void) {
    char name[32];
    snprintf(name, sizeof name, "new-%ld", (long)getpid());
    self.socket = room_listen(self.root, name);
    bool ok = self.socket >= 0 && fstatat(self.root, name, &self.own, AT_SYMLINK_NOFOLLOW) == 0;
    if (ok && linkat(self.root, name, self.root, self.key, 0) != 0)
        ok = errno == EEXIST && room_answerer(self.root, self.key) < 0 &&
             renameat(self.root, name, self.root, self.key) == 0;
    unlinkat(self.root, name, 0);
    self.used = now();
    return ok;
}

static bool program_changed(void) {
    struct stat st;
    return stat(self.program, &st) != 0 || st.st_size != self.as_it_was.st_size ||
           st.st_ino != self.as_it_was.st_ino ||
           st.st_mtim.tv_sec != self.as_it_was.st_mtim.tv_sec ||
           st.st_mtim.tv_nsec != self.as_it_was.st_mtim.tv_nsec;
}

static time_t patience(void) {
    const char *text = getenv(STANDBY_IDLE);
    return text && *text ? atol(text) : IDLE_SECONDS;
}

static bool is_done(void) {
    return self.n_copies == 0 && self.n_callers == 0 &&
           (!is_published() || now() - self.used >= patience() || program_changed());
}

/* ---- copies --------------------------------------------------------------------------------- */

static void forget_copies(void) {
    for (int i = 0; i < self.n_copies; i++) {
        close(self.copies[i].asked);
        close(self.copies[i].pipe);
    }
    for (int i = 0; i < self.n_callers; i++)
        close(self.callers[i].fd);
    self.n_copies = self.n_callers = 0;
    close(self.socket);
    self.socket = -1;
}

/* Everything that it would have from who asks, had he started it. */
static bool become(const standby_request *r, const int fds[STANDBY_FDS]) {
    for (int i = 0; i < (int)RLIM_NLIMITS; i++)
        if (i != RLIMIT_STACK && setrlimit((__rlimit_resource_t)i, &r->limits[i]) != 0)
            return false;
    umask(r->umask);
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && fchdir(fds[STANDBY_FOLDER]) == 0 &&
           setenv("TMPDIR", ".", 1) == 0 && dup2(fds[STANDBY_STDIN], 0) == 0 &&
           dup2(fds[STANDBY_WORDS], 1) == 1 && dup2(fds[STANDBY_WORDS], 2) == 2;
}

/* A copy for a cell. True: this is it. */
static bool copy_for(const standby_request *r, int fds[STANDBY_FDS], int asked) {
    int ends[2];
    pid_t parent = getpid();
    if (self.n_copies == MAX_COPIES || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]); /* the other end, and `asked`, stay open to its end */
        forget_copies();
        if (!become(r, fds) || getppid() != parent)
            _exit(255);
        for (int i = 0; i < STANDBY_TEXT; i++)
            close(fds[i]);
        return true;
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    send(asked, &pid, sizeof pid, MSG_NOSIGNAL | MSG_DONTWAIT);
    self.copies[self.n_copies++] = (copy){pid, asked, ends[0]};
    return false;
}

/* A copy that is to wait for itself. True: this is it. */
static bool copy_to_grow(const standby_request *r) {
    if (fork() != 0)
        return false;
    forget_copies();
    setsid();
    self.owns = false;
    memcpy(self.key, r->key, sizeof self.key);
    self.key[sizeof self.key - 1] = '\0';
    return true;
}

static void welcome(void) {
    int fd = accept4(self.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0)
        self.callers[self.n_callers++] = (caller){fd, now()};
}

/* One that asks now, or is gone. True: this is a copy, with its order. */
static bool attend(int asked, serve_order *order) {
    standby_request r;
    int fds[STANDBY_FDS], n = 0;
    bool good = room_same_user(asked) && room_receive(asked, &r, sizeof r, fds, STANDBY_FDS, &n);
    bool is_copy = false, kept = false;
    int before = self.n_copies;
    if (good && r.kind == STANDBY_COMPILE && n == STANDBY_FDS) {
        is_copy = copy_for(&r, fds, asked);
        kept = is_copy || self.n_copies > before;
        *order = (serve_order){STANDBY_COMPILE, fds[STANDBY_TEXT], r.from};
    } else if (good && r.kind == STANDBY_GROW && n == 1) {
        is_copy = copy_to_grow(&r);
        *order = (serve_order){STANDBY_GROW, fds[0], 0};
    }
    if (good) {
        self.used = now();
        utimensat(self.root, self.key, NULL, 0);
    }
    for (int i = 0; i < n && !is_copy; i++)
        close(fds[i]);
    if (!kept)
        close(asked);
    return is_copy;
}

/* Those who have something to say, and those who had time enough. True: this is a copy. */
static bool attend_all(const struct pollfd *fds, int n, serve_order *order) {
    for (int i = n - 1; i >= 0; i--) { /* the last takes the place of one that goes */
        caller c = self.callers[i];
        bool late = now() - c.since >= PATIENCE_S;
        if (!fds[i].revents && !late)
            continue;
        self.callers[i] = self.callers[--self.n_callers];
        if (fds[i].revents && attend(c.fd, order))
            return true;
        if (!fds[i].revents)
            close(c.fd);
    }
    return false;
}

/* A copy that has ended, or whose asker is gone. */
static void look_after(copy *c, bool ended) {
    if (!ended) {
        kill(c->pid, SIGKILL); /* its end of the pipe tells the rest */
        return;
    }
    standby_reply reply;
    memset(&reply, 0, sizeof reply);
    memcpy(reply.folder, self.folder, sizeof reply.folder);
    pid_t waited;
    while ((waited = waitpid(c->pid, &reply.status, 0)) < 0 && errno == EINTR)
        ;
    if (waited < 0)
        reply.status = SIGKILL; /* nobody knows how it ended: it is as if it had not been */
    send(c->asked, &reply, sizeof reply, MSG_NOSIGNAL);
    close(c->asked);
    close(c->pipe);
    *c = self.copies[--self.n_copies];
}

static void look_after_all(const struct pollfd *fds, int n) {
    for (int i = n - 1; i >= 0; i--) { /* the last takes the place of one that goes */
        if (fds[2 * i].revents)
            look_after(&self.copies[i], true);
        else if (fds[2 * i + 1].revents)
            look_after(&self.copies[i], false);
    }
}

serve_order serve_wait(void) {
    serve_order order = {.text = -1};
    bool spoken = has_spoken();
    if (spoken)
        put_off();
    if (spoken || !shrink_memory() || !publish())
        serve_leave(1);
    room_make(self.root, self.key);
    while (!is_done()) {
        struct pollfd fds[3 * MAX_COPIES + 1];
        int n = self.n_copies, m = self.n_callers;
        struct pollfd *callers = fds + 2 * n, *door = callers + m;
        for (int i = 0; i < n; i++) {
            fds[2 * i] = (struct pollfd){.fd = self.copies[i].pipe, .events = POLLIN};
            fds[2 * i + 1] = (struct pollfd){.fd = self.copies[i].asked, .events = POLLIN};
        }
        for (int i = 0; i < m; i++)
            callers[i] = (struct pollfd){.fd = self.callers[i].fd, .events = POLLIN};
        *door = (struct pollfd){.fd = n + m < MAX_COPIES ? self.socket : -1, .events = POLLIN};
        if (poll(fds, (nfds_t)(2 * n + m + 1), TICK_MS) < 0)
            continue;
        look_after_all(fds, n);
        if (attend_all(callers, m, &order))
            return order;
        if (door->revents)
            welcome();
        /* those that grew; a copy that began just now and is gone already is look_after()'s */
        while (self.n_copies == 0 && waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    serve_leave(0);
}
