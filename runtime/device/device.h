/* device.h: which device CUDA code runs on, and the libraries that stand for it. Finding out never
 * loads CUDA into this process: a GPU is asked by a short-lived child. */
#ifndef WARPBOOK_DEVICE_H
#define WARPBOOK_DEVICE_H

#include "runtime/base/base.h"

typedef enum wb_device_kind { WB_DEVICE_SOFT, WB_DEVICE_GPU } wb_device_kind;

typedef struct wb_device {
    wb_device_kind kind;
    char name[128]; /* "NVIDIA H200", "softgpu" */
    int capability; /* 90 for 9.0 */
    size_t memory;  /* bytes */
    int multiprocessors;
    char driver[32];        /* "13.0", or "" */
    char library_dir[4096]; /* put first on LD_LIBRARY_PATH: libcudart.so.13 and libcublas.so.13 are
                               there */
    /* softgpu alone (runtime/model/choose.h): the GPU whose times it can tell; "": none */
    char gpu_file[4096]; /* of runtime/model/gpus, or one's own */
    char gpu_title[64];  /* "NVIDIA H200" */
    bool gpu_measured;   /* by us; false: published figures */
    bool stands_in;      /* and it describes itself as that GPU */
} wb_device;

/* wanted: "auto" (a GPU if there is a usable one, else soft; $WARPBOOK_DEVICE overrides auto),
 * "gpu" or "soft". False when "gpu" is wanted and none is usable: err says why and what to do. */
bool wb_device_select(const char *wanted, wb_device *device, wb_error *err);

/* Has the kernel set machine code for this GPU? Else *why is a sentence that says what that means
 * and what to do. True for softgpu, and where the set does not say what it was built for. */
bool wb_device_has_code(const wb_device *gpu, wb_error *why);

/* "LD_LIBRARY_PATH=..." for a child process that shall run on the device; the caller frees. */
char *wb_device_environment(const wb_device *device);

/* Beside that, what a child needs to tell the times of that GPU when it is asked to: entries for
 * wb_proc_spec.env, freed with wb_device_entries_free. Empty where there is none, NULL when memory
 * runs out. */
char **wb_device_gpu_entries(const wb_device *device);
void wb_device_entries_free(char **entries);

/* What else the environment of a shell needs, that nvcc's programs may run on the device as they
 * are: entries for wb_proc_spec.env, freed with wb_device_entries_free. Empty for a GPU, NULL when
 * memory runs out. On softgpu nvcc links the shared runtime and keeps PTX, the loader finds
 * softgpu's libraries, faults are told on stderr, and NVIDIA's tools say what to use instead. */
char **wb_device_shell(const wb_device *device);

#endif
