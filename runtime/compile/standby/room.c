/* room.c: see room.h. */
#include "runtime/compile/standby/room.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compile/standby/standby.h"

enum { BACKLOG = 16, MOST_MB = 400, MAX_KNOWN = 64 };

/* ---- sockets -------------------------------------------------------------------------------- */

/* By the folder's descriptor, since a socket's name may have 108 bytes at most. */
static bool address(int root, const char *name, struct sockaddr_un *a) {
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    return snprintf(a->sun_path, sizeof a->sun_path, "/proc/self/fd/%d/%s", root, name) <
           (int)sizeof a->sun_path;
}

int room_listen(int root, const char *name) {
    struct sockaddr_un a;
    int fd = address(root, name, &a) ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    unlinkat(root, name, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, BACKLOG) != 0 ||
                    fcntl(fd, F_SETFL, O_NONBLOCK) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int room_connect(int root, const char *name) {
    struct sockaddr_un a;
    int fd = address(root, name, &a) ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool peer_of(int fd, struct ucred *who) {
    socklen_t size = sizeof *who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, who, &size) == 0;
}

bool room_same_user(int fd) {
    struct ucred who;
    return peer_of(fd, &who) && who.uid == geteuid();
}

pid_t room_answerer(int root, const char *name) {
    struct ucred who = {.pid = -1};
    int fd = room_connect(root, name);
    bool there = fd >= 0 && peer_of(fd, &who);
    if (fd >= 0)
        close(fd);
    return there ? who.pid : -1;
}

/* ---- messages ------------------------------------------------------------------------------- */

typedef union control {
    struct cmsghdr head; /* for its alignment */
    char bytes[CMSG_SPACE(STANDBY_FDS * sizeof(int))];
} control;

bool room_send(int fd, const void *message, size_t size, const int *fds, int n) {
    control c;
    struct iovec part = {(void *)message, size};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    memset(&c, 0, sizeof c);
    if (n) {
        m.msg_control = c.bytes;
        m.msg_controllen = CMSG_SPACE((size_t)n * sizeof *fds);
        struct cmsghdr *h = CMSG_FIRSTHDR(&m);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN((size_t)n * sizeof *fds);
        memcpy(CMSG_DATA(h), fds, (size_t)n * sizeof *fds);
    }
    return sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)size;
}

bool room_receive(int fd, void *message, size_t size, int *fds, int max, int *n) {
    control c;
    struct iovec part = {message, size};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = c.bytes,
                       .msg_controllen = CMSG_SPACE((size_t)max * sizeof *fds)};
    *n = 0;
    ssize_t got = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
    struct cmsghdr *h = got >= 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (h && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS) {
        *n = (int)((h->cmsg_len - CMSG_LEN(0)) / sizeof *fds);
        memcpy(fds, CMSG_DATA(h), (size_t)*n * sizeof *fds);
    }
    return got == (ssize_t)size && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
}

/* ---- memory --------------------------------------------------------------------------------- */

/* What a process has, KB, its part of what it shares: what copies have in common counts once. */
static long memory_of(pid_t pid) {
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)pid);
    FILE *f = pid > 0 ? fopen(path, "re") : NULL;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

typedef struct known {
    char name[STANDBY_KEY_TEXT];
    struct timespec used;
    long kb;
} known;

static int by_use(const void *a, const void *b) {
    const struct timespec *x = &((const known *)a)->used, *y = &((const known *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* The standbys there are, that used least lately first. */
static int look(int root, known *all) {
    int n = 0, fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && n < MAX_KNOWN && (e = readdir(d)) != NULL;) {
        struct stat st;
        if (strlen(e->d_name) != STANDBY_KEY_TEXT - 1 ||
            fstatat(root, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(st.st_mode))
            continue;
        pid_t pid = room_answerer(root, e->d_name);
        memcpy(all[n].name, e->d_name, sizeof all[n].name);
        all[n].used = st.st_mtim;
        all[n++].kb = memory_of(pid);
    }
    if (d)
        closedir(d);
    qsort(all, (size_t)n, sizeof *all, by_use);
    return n;
}

int room_count(int root, long *kb) {
    known all[MAX_KNOWN];
    int n = look(root, all), there = 0;
    *kb = 0;
    for (int i = 0; i < n; i++) {
        *kb += all[i].kb;
        there += all[i].kb > 0; /* somebody answers */
    }
    return there;
}

void room_make(int root, const char *own) {
    static known all[MAX_KNOWN];
    const char *text = getenv(STANDBY_MB);
    long most = (text && *text ? atol(text) : MOST_MB) * 1024, kb = 0;
    int n = look(root, all);
    for (int i = 0; i < n; i++)
        kb += all[i].kb;
    for (int i = 0; i < n && kb > most; i++)
        if (strcmp(all[i].name, own) != 0) {
            unlinkat(root, all[i].name, 0);
            kb -= all[i].kb;
        }
}

void room_remove(int root, const char *name) {
    int fd = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        unlinkat(dirfd(d), e->d_name, 0); /* "." and ".." stay */
    if (d)
        closedir(d);
    unlinkat(root, name, AT_REMOVEDIR);
}
