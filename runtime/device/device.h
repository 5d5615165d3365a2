/* device.h: the device that runs CUDA code, and the libraries for it. This process never loads
 * CUDA: a short-lived child asks the GPU. */
#pragma once

#include "runtime/base/base.h"

typedef enum wb_device_kind { WB_DEVICE_SOFT, WB_DEVICE_GPU } wb_device_kind;

typedef struct wb_device {
    wb_device_kind kind;
    char name[128]; /* "NVIDIA H200", "softgpu" */
    int capability; /* 90 for 9.0 */
    size_t memory;  /* bytes */
    int multiprocessors;
    char driver[32];        /* "13.0", or "" */
    char library_dir[4096]; /* first on LD_LIBRARY_PATH; has libcudart.so.13 and libcublas.so.13 */
    /* softgpu only (runtime/model/choose.h): the GPU that it can model; "": none */
    char gpu_file[4096]; /* in runtime/model/gpus, or the user's */
    char gpu_title[64];  /* "NVIDIA H200" */
    bool gpu_measured;   /* by us; false: published figures */
    bool stands_in;      /* softgpu describes itself as that GPU */
} wb_device;

/* Selects a device. `wanted`: "auto" (a usable GPU, else soft; $WARPBOOK_DEVICE overrides it),
 * "gpu" or "soft". Returns false and sets err if "gpu" is wanted and none is usable. */
bool wb_device_select(const char *wanted, wb_device *device, wb_error *err);

/* Returns true if the kernel set has machine code for this GPU. Else *why says what that means and
 * what to do. Also true for softgpu, and if the set does not say what it was built for. */
bool wb_device_has_code(const wb_device *gpu, wb_error *why);

/* Returns "LD_LIBRARY_PATH=..." for a child process on the device. The caller frees it. */
char *wb_device_environment(const wb_device *device);

/* Returns the further entries of wb_proc_spec.env that a child needs to model its GPU's times. Free
 * them with wb_device_entries_free(). Returns an empty list if there is no GPU, or NULL without
 * memory. */
char **wb_device_gpu_entries(const wb_device *device);
/* Returns both: all that a child on the device needs. */
char **wb_device_entries(const wb_device *device);
void wb_device_entries_free(char **entries);
/* Returns WARPBOOK_SOFTGPU_PTXAS=PATH for the ptxas beside the toolkit's nvcc, or NULL. */
char *wb_device_ptxas_entry(void);

/* Returns the entries of wb_proc_spec.env with which a shell's nvcc makes programs for the device.
 * Free them with wb_device_entries_free(). Returns an empty list for a GPU, or NULL without memory.
 * On softgpu nvcc links the shared runtime and keeps PTX. The loader finds softgpu's libraries,
 * stderr reports faults, and NVIDIA's tools name a replacement. */
char **wb_device_shell(const wb_device *device);
