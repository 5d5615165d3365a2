/* code.c: the GPUs for which the kernel set has machine code. The build writes KERNEL_ARCHS
 * (kernels/module.mk), such as "75 80 90a", into kernel_code beside the set. */
#include "runtime/device/device.h"

/* Returns true if code for `arch` runs on the GPU. Code for X.Y runs on X.Y and later minor
 * versions. Code for X.Ya runs on X.Y only (NVIDIA, "CUDA C++ Programming Guide", binary
 * compatibility and feature sets). */
static bool runs_on(const char *arch, int capability) {
    char *end;
    long made_for = strtol(arch, &end, 10);
    if (*end == 'a')
        return made_for == capability;
    return made_for / 10 == capability / 10 && made_for <= capability;
}

bool wb_device_has_code(const wb_device *gpu, wb_error *why) {
    wb_error err = {0};
    wb_buf text = {0};
    char *path = wb_path_lib("kernel_code"), *rest = NULL;
    bool known = path && wb_file_read(path, 4096, &text, &err);
    bool has = gpu->kind != WB_DEVICE_GPU || !known;
    for (char *arch = known ? strtok_r(text.data, " \n", &rest) : NULL; arch && !has;
         arch = strtok_r(NULL, " \n", &rest))
        has = runs_on(arch, gpu->capability);
    wb_buf_free(&text);
    free(path);
    return has ||
           wb_fail(why, 3,
                   _("the kernel set was built without machine code for the %s (compute "
                     "capability %d.%d): its driver makes do with PTX, kernels are slower and "
                     "those for tensor cores are left out; `make KERNEL_ARCHS=all` in "
                     "Warpbook's folder builds it for every GPU"),
                   gpu->name, gpu->capability / 10, gpu->capability % 10);
}
