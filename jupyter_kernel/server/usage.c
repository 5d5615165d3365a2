/* usage.c: usage_request, a convention of ipykernel that JupyterLab's kernel usage panel polls. It
 * also reports the device's memory.
 * https://github.com/ipython/ipykernel/blob/main/ipykernel/kernelbase.py (usage_request) */
#include "jupyter_kernel/server/usage.h"

#include <unistd.h>

/* CPU seconds and resident bytes of a process, summed. */
typedef struct load {
    double cpu_s;
    double resident;
} load;

/* /proc/PID/stat: fields 14 and 15 are user and system ticks, 24 resident pages (proc(5)). */
static bool process_load(pid_t pid, load *sum) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = '\0';
    const char *after_name = strrchr(line, ')');
    unsigned long user = 0, system = 0;
    long pages = 0;
    if (!after_name || sscanf(after_name + 1,
                              " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d "
                              "%*d %*d %*d %*u %*u %ld",
                              &user, &system, &pages) != 3)
        return false;
    sum->cpu_s += (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    sum->resident += (double)pages * (double)sysconf(_SC_PAGESIZE);
    return true;
}

/* Reads the busy ticks and all ticks of the host from the first line of /proc/stat. */
static bool host_ticks(double *busy, double *all) {
    FILE *f = fopen("/proc/stat", "re");
    if (!f)
        return false;
    unsigned long long t[8] = {0};
    int n = fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
                   &t[4], &t[5], &t[6], &t[7]);
    fclose(f);
    *all = 0;
    for (int i = 0; i < n; i++)
        *all += (double)t[i];
    *busy = *all - (double)(t[3] + t[4]);
    return n >= 4;
}

static double meminfo(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at ? strtod(at + strlen(name), NULL) * 1024 : 0;
}

static json_t *host_memory(void) {
    char text[4096];
    FILE *f = fopen("/proc/meminfo", "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    double total = meminfo(text, "MemTotal:"), available = meminfo(text, "MemAvailable:");
    double unused = meminfo(text, "MemFree:");
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "total", total, "available", available, "percent",
                     total > 0 ? 100 * (total - available) / total : 0, "used", total - available,
                     "free", unused);
}

/* Adds percentages since the last request, as psutil does. Only for the control thread. */
static void add_cpu(json_t *content, const load *now) {
    static double last_time, last_cpu, last_busy, last_all;
    double time = wb_now(), busy = 0, all = 0;
    double percent = last_time > 0 && now->cpu_s >= last_cpu
                         ? 100 * (now->cpu_s - last_cpu) / (time - last_time)
                         : 0;
    json_object_set_new(content, "kernel_cpu", json_real(percent));
    if (host_ticks(&busy, &all) && last_all > 0 && all > last_all)
        json_object_set_new(content, "host_cpu_percent",
                            json_real(100 * (busy - last_busy) / (all - last_all)));
    last_time = time;
    last_cpu = now->cpu_s;
    last_busy = busy;
    last_all = all;
}

void handle_usage(request *r) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    load sum = {0};
    process_load(getpid(), &sum);
    const kernel_parts *parts = r->kernel->parts;
    wb_session *session = parts->session(parts->cells);
    json_t *device = session ? wb_session_usage(session) : NULL;
    pid_t worker = (pid_t)json_integer_value(json_object_get(device, "worker_pid"));
    if (worker > 0)
        process_load(worker, &sum);
    json_t *content =
        json_pack("{s:s, s:i, s:f, s:i, s:o}", "hostname", host, "pid", (int)getpid(),
                  "kernel_memory", sum.resident, "cpu_count", (int)sysconf(_SC_NPROCESSORS_ONLN),
                  "host_virtual_memory", host_memory());
    add_cpu(content, &sum);
    if (device)
        json_object_set_new(content, "gpu", device);
    reply(r, content, NULL);
}
