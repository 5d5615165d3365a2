/* choose.h: the device by its name, also where the name is that of a GPU that is not here. */
#ifndef WARPBOOK_MODEL_CHOOSE_H
#define WARPBOOK_MODEL_CHOOSE_H

#include "runtime/device/device.h"

/* The GPU whose times softgpu tells where nobody names one. */
#define MODEL_USUAL_GPU "h200"

/* As wb_device_select; "softgpu" and "none" are "soft", and the name of a GPU (runtime/model/gpus)
 * or a file is softgpu standing in for it: it describes itself as that one and programs are
 * compiled for it. So is plain softgpu where the environment has one already (a notebook's shell);
 * else it tells MODEL_USUAL_GPU's times and describes itself as it is. */
bool model_choose_device(const char *wanted, wb_device *device, wb_error *err);

/* Has a softgpu tell the times of the GPU of that name or file, and describe itself as it. */
bool model_stand_in(const char *gpu, wb_device *device, wb_error *err);

#endif
