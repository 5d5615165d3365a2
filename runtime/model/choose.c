/* choose.c: accepts a GPU's name as the name of a device. */
#include "runtime/model/choose.h"

#include <limits.h>

#include "runtime/model/gpu.h"
#include "runtime/base/words.h"

/* Makes the device model the times of GPU `name`. If there is no such GPU, leaves it unchanged. */
static bool read_gpu(const char *name, wb_device *device, model_gpu *gpu, wb_error *err) {
    char *file = model_gpu_file(name, err), full[PATH_MAX];
    bool ok = file && model_gpu_load(name, gpu, err);
    if (ok && !realpath(file, full)) /* a child may have another working folder */
        ok = wb_fail(err, 1, _("%.200s can't be found any more"), file);
    if (ok) {
        snprintf(device->gpu_file, sizeof device->gpu_file, "%s", full);
        snprintf(device->gpu_title, sizeof device->gpu_title, "%s", gpu->title);
        device->gpu_measured = gpu->measured;
    }
    free(file);
    return ok;
}

bool model_stand_in(const char *name, wb_device *device, wb_error *err) {
    model_gpu gpu;
    if (!read_gpu(name, device, &gpu, err))
        return false;
    device->stands_in = true;
    device->capability = (int)gpu.capability;
    device->multiprocessors = (int)gpu.multiprocessors;
    snprintf(device->name, sizeof device->name, "%.100s (softgpu)", gpu.title);
    return true;
}

bool model_choose_device(const char *wanted, wb_device *device, wb_error *err) {
    const char *override = wb_setting("WARPBOOK_DEVICE");
    if (!wanted || !*wanted)
        wanted = "auto";
    if (strcmp(wanted, "auto") == 0 && override)
        wanted = override;
    if (wb_word_among(wanted, strlen(wanted), "softgpu none"))
        wanted = "soft";
    bool here = wb_word_among(wanted, strlen(wanted), "auto gpu soft");
    if (!wb_device_select(here ? wanted : "soft", device, err))
        return false;
    if (!here)
        return model_stand_in(wanted, device, err);
    model_gpu gpu;
    if (device->kind != WB_DEVICE_SOFT)
        return true;
    const char *given = wb_setting("WARPBOOK_SOFTGPU_MODEL");
    if (given && wb_setting_on("WARPBOOK_SOFTGPU_DESCRIBE", true))
        return model_stand_in(given, device, err);
    read_gpu(MODEL_USUAL_GPU, device, &gpu, NULL); /* without it only times are missing */
    return true;
}
