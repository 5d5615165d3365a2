/* begin.c: see begin.h. A beginning is noted in a file `seen-KEY`: empty when it was met once, 'b'
 * since a standby was begun. One that was begun and is not there has gone as unused, or is still
 * reading, or has said something: it is begun again no sooner than a minute later. */
#include "runtime/compile/standby/begin.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compile/standby/room.h"
#include "runtime/compile/standby/standby.h"

enum { AGAIN_SECONDS = 60, FORGOTTEN_SECONDS = 24 * 3600, STALE_SECONDS = 3600, FREE_MB = 1024 };

/* ---- when ----------------------------------------------------------------------------------- */

/* Memory that programs could have now, MB. */
static long free_memory(void) {
    wb_buf text = {0};
    const char *at = wb_file_read("/proc/meminfo", 1 << 16, &text, NULL) && text.data
                         ? strstr(text.data, "MemAvailable:")
                         : NULL;
    long mb = at ? atol(at + strlen("MemAvailable:")) / 1024 : 0;
    wb_buf_free(&text);
    return mb;
}

bool standby_is_due(int root, const char *key, bool expected) {
    char name[WB_SHA256_TEXT + 8], state = 0;
    struct stat st;
    snprintf(name, sizeof name, "seen-%s", key);
    int fd = openat(root, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool first = fd >= 0;
    if (!first)
        fd = openat(root, name, O_RDWR | O_CLOEXEC);
    bool mine =
        (!first || expected) && fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0;
    bool begun = mine && pread(fd, &state, 1, 0) == 1;
    bool due = mine && !(begun && time(NULL) < st.st_mtim.tv_sec + AGAIN_SECONDS) &&
               free_memory() >= FREE_MB && pwrite(fd, "b", 1, 0) == 1;
    if (fd >= 0)
        close(fd);
    return due;
}

/* What the dead left, and notes of what nobody meets any more. */
static void tidy(int root) {
    int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    time_t now = time(NULL);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        struct stat st;
        if (e->d_name[0] == '.' || fstatat(root, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(st.st_mode) && st.st_mtim.tv_sec < now - FORGOTTEN_SECONDS)
            unlinkat(root, e->d_name, 0);
        if (S_ISDIR(st.st_mode) && st.st_mtim.tv_sec < now - STALE_SECONDS)
            room_remove(root, e->d_name);
        if (S_ISSOCK(st.st_mode) && st.st_mtim.tv_sec < now - STALE_SECONDS &&
            room_answerer(root, e->d_name) < 0)
            unlinkat(root, e->d_name, 0);
    }
    if (d)
        closedir(d);
}

/* ---- how ------------------------------------------------------------------------------------ */

/* A file in the folder where we are. */
static bool write_file(const char *name, const char *text, size_t len) {
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && wb_write_all(fd, text, len);
    if (fd >= 0)
        close(fd);
    return ok;
}

static void put_score(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "1000", 4) < 0)
        perror("oom_score_adj");
    if (fd >= 0)
        close(fd);
}

/* In a process of its own: becomes the program. */
static void become(const standby_start *s) {
    const standby_cuts *c = s->cuts;
    char *folder = wb_format("%s/new-XXXXXX", s->path);
    char *library = wb_path_lib("libwarpbook_standby.so");
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(077);
    if (!folder || !library || !mkdtemp(folder) || chdir(folder) != 0)
        return;
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int words = open("words", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (nothing >= 0 && words >= 0 && dup2(nothing, 0) == 0 && dup2(words, 1) == 1 &&
        dup2(words, 2) == 2 && write_file(s->input, c->text.data, c->text.len) &&
        (!s->module_file ||
         write_file(s->module_file, s->names->module, strlen(s->names->module)))) {
        close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
        put_score();
        setenv("LD_PRELOAD", library, 1);
        setenv(STANDBY_INPUT, s->input, 1);
        setenv(STANDBY_KEY, c->v[c->n - 1].key, 1);
        setenv("TMPDIR", ".", 1);
        execv(s->program, s->argv);
    }
    room_remove(s->root, strrchr(folder, '/') + 1);
}

static void begin_anew(const standby_start *s) {
    tidy(s->root);
    pid_t pid = fork();
    if (pid == 0) {
        setsid(); /* not of the group that ends with the compilation */
        if (fork() == 0)
            become(s);
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

/* One that waits has read a part: a copy of it reads on, which takes less time and, as long as it
 * lives, less memory. */
static bool grow(const standby_start *s) {
    const standby_cuts *c = s->cuts;
    standby_request r = {.kind = STANDBY_GROW};
    memcpy(r.key, c->v[c->n - 1].key, sizeof r.key);
    int fd = memfd_create("standby", MFD_CLOEXEC);
    bool ok = fd >= 0 && wb_write_all(fd, c->text.data, c->text.len) &&
              room_send(s->shorter, &r, sizeof r, &fd, 1);
    if (fd >= 0)
        close(fd);
    return ok;
}

void standby_begin(const standby_start *s) {
    if (s->shorter < 0 || !grow(s))
        begin_anew(s);
}
