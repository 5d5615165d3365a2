/* choose.h: chooses the device by its name, or by the name of a GPU that is not here. */
#pragma once

#include "runtime/device/device.h"

/* The GPU that softgpu models by default. */
#define MODEL_USUAL_GPU "h200"

/* Selects a device like wb_device_select(). "softgpu" and "none" mean "soft". With the name of a
 * GPU (runtime/model/gpus) or a file, softgpu stands in for it: it describes itself as that GPU,
 * and programs are compiled for it. The same holds for plain softgpu if the environment names a GPU
 * (a notebook's shell). Otherwise softgpu models the times of MODEL_USUAL_GPU and describes itself
 * as it is. */
bool model_choose_device(const char *wanted, wb_device *device, wb_error *err);

/* Makes softgpu model the times of that GPU (name or file) and describe itself as it. */
bool model_stand_in(const char *gpu, wb_device *device, wb_error *err);
