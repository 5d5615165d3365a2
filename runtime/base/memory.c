/* memory.c: how much memory the machine has, and how often it ran out. Formats: proc(5),
 * cgroups(7), the kernel's cgroup-v1/memory and cgroup-v2. */
#include "runtime/base/scoped.h"

#include <unistd.h>

/* Returns the number behind the first `name` in a file of lines "name number ...", or 0. */
static unsigned long long field(const char *path, const char *name) {
    WB_SCOPED_BUF wb_buf text = {0};
    unsigned long long value = 0;
    const char *line = wb_file_read(path, 1 << 20, &text, NULL) ? text.data : NULL;
    while (line && strncmp(line, name, strlen(name)) != 0)
        line = (line = strchr(line, '\n')) ? line + 1 : NULL;
    if (line)
        value = strtoull(line + strlen(name), NULL, 10);
    return value;
}

/* Returns the smaller known value. 0 means unknown. */
static size_t smaller(size_t a, unsigned long long b) {
    return b && (!a || b < a) ? (size_t)b : a;
}

/* Returns the smaller limit of our control group and of the container's root group. */
static size_t group_limit(void) {
    WB_SCOPED_BUF wb_buf groups = {0};
    size_t limit = smaller(smaller(0, field("/sys/fs/cgroup/memory.max", "")),
                           field("/sys/fs/cgroup/memory/memory.limit_in_bytes", ""));
    bool read = wb_file_read("/proc/self/cgroup", 1 << 16, &groups, NULL) && groups.data;
    char *rest = read ? groups.data : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n")) != NULL;) {
        char *v1 = strstr(line, ":memory:"), path[4096];
        if (strncmp(line, "0::", 3) == 0)
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
        else if (v1)
            snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/memory.limit_in_bytes", v1 + 8);
        else
            continue;
        limit = smaller(limit, field(path, ""));
    }
    return limit;
}

/* Takes the smallest of three: a sandbox may hide /proc, and a container may show its own. */
size_t wb_memory_machine(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    size_t known = pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
    return smaller(smaller(known, group_limit()), field("/proc/meminfo", "MemTotal:") * 1024);
}

unsigned long wb_memory_kills(void) {
    return (unsigned long)field("/proc/vmstat", "oom_kill ");
}
