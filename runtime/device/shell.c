/* shell.c: the environment in which CUDA programs built by a shell run on softgpu. */
#include "runtime/device/toolkit.h"
#include "runtime/device/device.h"

enum { MAX_ENTRIES = 12 };

static const char *value_of(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

/* Makes PATH. Our stand-ins come first, except those for which the real tool is better. Our own
 * command is on it too. */
static char *path_entry(bool toolkit) {
    char *first = wb_path_lib("shell/first"), *last = wb_path_lib("shell/last");
    char *bin = wb_path_bin(), *slash = bin ? strrchr(bin, '/') : NULL;
    char *entry = first && last && slash
                      ? wb_format("PATH=%s%s%s:%s:%.*s", toolkit ? first : "", toolkit ? ":" : "",
                                  value_of("PATH"), last, (int)(slash - bin), bin)
                      : NULL;
    WB_FREE(first, last, bin);
    return entry;
}

char **wb_device_shell(const wb_device *device) {
    char **e = calloc(MAX_ENTRIES, sizeof *e);
    wb_toolkit toolkit;
    if (!e || device->kind != WB_DEVICE_SOFT)
        return e;
    bool found = wb_toolkit_find(&toolkit, NULL);
    size_t n = 0;
    e[n++] = wb_device_environment(device);
    e[n++] = path_entry(found);
    e[n++] = wb_format("NVCC_APPEND_FLAGS=%s%s-cudart shared", value_of("NVCC_APPEND_FLAGS"),
                       *value_of("NVCC_APPEND_FLAGS") ? " " : "");
    e[n++] = wb_format("WARPBOOK_DEVICE=soft");
    e[n++] = wb_format("WARPBOOK_SOFTGPU_REPORT=-");
    if (found)
        e[n++] = wb_format("WARPBOOK_NVCC=%s", toolkit.nvcc);
    char **gpu = device->stands_in ? wb_device_gpu_entries(device) : NULL;
    for (size_t i = 0; gpu && gpu[i]; i++)
        e[n++] = gpu[i];
    free(gpu);
    for (size_t i = 0; i < n; i++)
        if (!e[i]) { /* out of memory */
            while (n > i)
                free(e[--n]);
            wb_device_entries_free(e);
            return NULL;
        }
    return e;
}
