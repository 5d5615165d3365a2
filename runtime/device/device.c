/* device.c: chooses the device and the libraries for it. */
#include "runtime/device/device.h"

#include <unistd.h>

#include "runtime/device/toolkit.h"

/* Programs see softgpu as a device of capability 9.0 (its PTX is compute_90). */
enum { SOFT_CAPABILITY = 90 };

static void describe_soft(wb_device *d) {
    *d = (wb_device){.kind = WB_DEVICE_SOFT, .capability = SOFT_CAPABILITY, .name = "softgpu"};
    d->memory = wb_setting_number("WARPBOOK_SOFTGPU_MEMORY", 1, wb_memory_machine() / 2);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    d->multiprocessors = cores > 0 ? (int)cores : 1;
    char *dir = wb_path_lib("softgpu");
    snprintf(d->library_dir, sizeof d->library_dir, "%s", dir ? dir : "");
    free(dir);
}

/* Returns false if the driver's device nodes (WSL: /dev/dxg) are missing. Then no child needs to
 * ask. */
static bool may_have_gpu(void) {
    return wb_file_exists("/dev/nvidiactl") || wb_file_exists("/dev/nvidia0") ||
           wb_file_exists("/dev/dxg");
}

/* Copies the value of a line "key=value" in text to out. Returns false if there is none. */
static bool answer(const char *text, const char *key, char *out, size_t size) {
    size_t n = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0 && line[n] == '=') {
            snprintf(out, size, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
            return true;
        }
    }
    return false;
}

static void read_answer(const char *text, wb_device *d) {
    char value[4096];
    *d = (wb_device){.kind = WB_DEVICE_GPU};
    answer(text, "name", d->name, sizeof d->name);
    answer(text, "driver", d->driver, sizeof d->driver);
    answer(text, "library_dir", d->library_dir, sizeof d->library_dir);
    if (answer(text, "capability", value, sizeof value))
        d->capability = atoi(value);
    if (answer(text, "memory", value, sizeof value))
        d->memory = strtoull(value, NULL, 10);
    if (answer(text, "multiprocessors", value, sizeof value))
        d->multiprocessors = atoi(value);
}

/* Asks warpbook-probe, which loads the driver and NVIDIA's runtime and prints what it found. */
static bool ask_gpu(wb_device *d, wb_error *err) {
    if (!may_have_gpu())
        return wb_fail(err, 1,
                       _("This machine has no NVIDIA GPU that a driver answers for (there is "
                         "no /dev/nvidiactl); use the device \"soft\""));
    wb_toolkit toolkit;
    char *libraries = wb_toolkit_find(&toolkit, NULL)
                          ? wb_format("LD_LIBRARY_PATH=%s", toolkit.library_dir)
                          : NULL;
    char *probe = wb_path_lib("warpbook-probe");
    wb_proc_spec spec = {.argv = (const char *const[]){probe, NULL},
                         .env = (const char *const[]){libraries, NULL},
                         .timeout_s = 60,
                         .max_output = 65536};
    wb_proc_result result;
    bool ok = wb_proc_run(&spec, &result, err);
    if (ok && result.exit_code == 0) {
        read_answer(result.out.data ? result.out.data : "", d);
    } else if (ok) {
        char how[200], reason[600];
        if (!answer(result.out.data ? result.out.data : "", "error", reason, sizeof reason))
            snprintf(reason, sizeof reason, _("asking the GPU %s"),
                     wb_proc_describe(&result, how, sizeof how));
        ok = wb_fail(err, 1, _("The GPU can't be used: %s"), reason);
    }
    wb_proc_result_free(&result);
    WB_FREE(probe, libraries);
    return ok;
}

bool wb_device_select(const char *wanted, wb_device *device, wb_error *err) {
    if (!wanted || !*wanted)
        wanted = "auto";
    const char *override = wb_setting("WARPBOOK_DEVICE");
    if (strcmp(wanted, "auto") == 0 && override)
        wanted = override;
    if (strcmp(wanted, "soft") == 0) {
        describe_soft(device);
        return true;
    }
    if (strcmp(wanted, "gpu") == 0)
        return ask_gpu(device, err);
    if (strcmp(wanted, "auto") != 0)
        return wb_fail(err, 2, _("\"%s\" is no device: use \"gpu\", \"soft\" or \"auto\""), wanted);
    if (!ask_gpu(device, NULL))
        describe_soft(device);
    return true;
}

/* Returns the folders of `path` without softgpu's, whose libcuda.so.1 would hide a real driver. */
static char *without_soft(const char *path) {
    char *soft = wb_path_lib("softgpu");
    wb_buf kept = {0};
    while (soft && *path) {
        size_t n = strcspn(path, ":");
        if (n && !(strlen(soft) == n && strncmp(path, soft, n) == 0))
            wb_buf_printf(&kept, ":%.*s", (int)n, path);
        path += n + (path[n] == ':');
    }
    free(soft);
    return wb_buf_steal(&kept);
}

void wb_device_entries_free(char **entries) {
    for (char **e = entries; e && *e; e++)
        free(*e);
    free(entries);
}

char *wb_device_ptxas_entry(void) {
    wb_toolkit toolkit;
    const char *slash = wb_toolkit_find(&toolkit, NULL) ? strrchr(toolkit.nvcc, '/') : NULL;
    char *entry = slash ? wb_format("WARPBOOK_SOFTGPU_PTXAS=%.*s/ptxas",
                                    (int)(slash - toolkit.nvcc), toolkit.nvcc)
                        : NULL;
    if (entry && access(strchr(entry, '=') + 1, X_OK) != 0) {
        free(entry);
        return NULL;
    }
    return entry;
}

char **wb_device_gpu_entries(const wb_device *device) {
    enum { MOST = 4 };
    char **e = calloc(MOST + 1, sizeof *e);
    size_t n = 0;
    if (!e || !device->gpu_file[0])
        return e;
    e[n++] = wb_format("WARPBOOK_SOFTGPU_MODEL=%s", device->gpu_file);
    e[n++] = strdup("WARPBOOK_SOFTGPU_TRACE=0");
    e[n++] = wb_format("WARPBOOK_SOFTGPU_DESCRIBE=%d", device->stands_in);
    bool whole = e[0] && e[1] && e[2];
    if (whole && !wb_setting("WARPBOOK_SOFTGPU_PTXAS"))
        e[n] = wb_device_ptxas_entry();
    if (whole)
        return e;
    for (size_t i = 0; i < n; i++)
        free(e[i]);
    free(e);
    return NULL;
}

char *wb_device_environment(const wb_device *device) {
    const char *before = getenv("LD_LIBRARY_PATH");
    char *rest = without_soft(before ? before : "");
    char *entry = rest ? wb_format("LD_LIBRARY_PATH=%s%s", device->library_dir, rest) : NULL;
    free(rest);
    return entry;
}

char **wb_device_entries(const wb_device *device) {
    char **gpu = wb_device_gpu_entries(device), *libraries = wb_device_environment(device);
    size_t n = 0;
    while (gpu && gpu[n])
        n++;
    char **all = gpu && libraries ? realloc(gpu, (n + 2) * sizeof *gpu) : NULL;
    if (!all) {
        wb_device_entries_free(gpu);
        free(libraries);
        return NULL;
    }
    all[n] = libraries;
    all[n + 1] = NULL;
    return all;
}
