/* cgroup.c: see cgroup.h. Files: cgroups(7), the kernel's cgroup-v2 and cgroup-v1/memory. */
#include "runtime/base/cgroup.h"
#include "runtime/base/scoped.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT "/sys/fs/cgroup"
#define PREFIX "warpbook-"

/* Writes the group's file. Returns false if it is missing or refuses the value. */
static bool put(const char *group, const char *name, const char *value) {
    WB_SCOPED char *path = wb_format("%s/%s", group, name);
    int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    bool ok = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool has(const char *group, const char *name) {
    WB_SCOPED char *path = wb_format("%s/%s", group, name);
    return path && access(path, W_OK) == 0;
}

/* Returns true if the group can limit memory. */
static bool limits(const char *group) {
    return has(group, "memory.max") || has(group, "memory.limit_in_bytes");
}

/* Removes empty groups whose process has ended. */
static void sweep(const char *parent) {
    DIR *d = opendir(parent);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        long pid = strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) == 0
                       ? strtol(e->d_name + sizeof PREFIX - 1, NULL, 10)
                       : 0;
        if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    }
    if (d)
        closedir(d);
}

/* Makes a group below this one. Returns NULL if it would not limit memory. */
static char *make_below(const char *parent) {
    static atomic_uint count;
    char *group =
        wb_format("%s/" PREFIX "%ld-%u", parent, (long)getpid(), atomic_fetch_add(&count, 1));
    sweep(parent);
    if (!group || mkdir(group, 0755) != 0) {
        free(group);
        return NULL;
    }
    /* In v2 the parent must hand the controller on, which works only if it has no processes. */
    if (limits(group) || (put(parent, "cgroup.subtree_control", "+memory") && limits(group)))
        return group;
    rmdir(group);
    free(group);
    return NULL;
}

/* Makes a group below our own, or beside it: in v2 a group with processes hands nothing on. */
static char *make_near(const char *root, const char *own) {
    WB_SCOPED char *parent = wb_format("%s%s", root, strcmp(own, "/") == 0 ? "" : own);
    char *group = parent ? make_below(parent) : NULL;
    char *slash = parent && !group && *own && own[1] ? strrchr(parent, '/') : NULL;
    if (slash) {
        *slash = '\0';
        group = make_below(parent);
    }
    return group;
}

char *wb_cgroup_new(void) {
    WB_SCOPED_BUF wb_buf groups = {0};
    char *group = NULL, *rest = NULL;
    if (wb_file_read("/proc/self/cgroup", 1 << 16, &groups, NULL))
        rest = groups.data;
    for (char *line; !group && rest && (line = strsep(&rest, "\n")) != NULL;) {
        const char *v1 = strstr(line, ":memory:");
        if (v1)
            group = make_near(ROOT "/memory", v1 + 8);
        else if (strncmp(line, "0::", 3) == 0)
            group = make_near(ROOT, line + 3);
    }
    return group;
}

bool wb_cgroup_limit(const char *group, size_t bytes) {
    char text[32];
    snprintf(text, sizeof text, "%zu", bytes);
    if (has(group, "memory.max")) {
        put(group, "memory.swap.max", "0");
        return put(group, "memory.max", text);
    }
    /* memory + swap may not be below memory, so one of the two writes takes effect */
    put(group, "memory.memsw.limit_in_bytes", text);
    bool ok = put(group, "memory.limit_in_bytes", text);
    put(group, "memory.memsw.limit_in_bytes", text);
    return ok;
}

bool wb_cgroup_killed(const char *group) {
    static const char *const files[] = {"memory.events", "memory.oom_control"};
    bool killed = false;
    for (size_t i = 0; i < WB_COUNT(files); i++) {
        wb_buf text = {0};
        char *path = wb_format("%s/%s", group, files[i]);
        const char *line = path && wb_file_read(path, 1 << 16, &text, NULL) && text.data
                               ? strstr(text.data, "oom_kill ")
                               : NULL;
        killed |= line && strtoul(line + strlen("oom_kill "), NULL, 10) > 0;
        wb_buf_free(&text);
        free(path);
    }
    return killed;
}

static void end_all(const char *group) {
    WB_SCOPED_BUF wb_buf text = {0};
    WB_SCOPED char *path = wb_format("%s/cgroup.procs", group);
    char *rest = path && wb_file_read(path, 1 << 20, &text, NULL) ? text.data : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n")) != NULL;)
        if (strtol(line, NULL, 10) > 1)
            kill((pid_t)strtol(line, NULL, 10), SIGKILL);
}

void wb_cgroup_free(char *group) {
    for (int i = 0; group && rmdir(group) != 0 && errno == EBUSY && i < 1000; i++) {
        end_all(group);
        usleep(1000); /* until the system has removed the processes */
    }
    free(group);
}
