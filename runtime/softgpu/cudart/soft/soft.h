/* soft.h: shared by the files that only softgpu's libcudart.so.13 has. rt.h is for the recorder's
 * too. */
#pragma once

#include <jansson.h>

#include "runtime/softgpu/cudart/soft/extension.h"
#include "runtime/softgpu/cudart/work.h"
#include "runtime/softgpu/texture/texture.h"

/* ---- settings (settings.c) --------------------------------------------------------------- */

unsigned
soft_options(void); /* bits of enum sg_option, from the environment or softgpu_set_options() */

bool soft_early(void); /* report shared memory that ended threads did not write */
uint64_t soft_seed(void);

/* ---- the report (report.c) --------------------------------------------------------------- */

/* Takes ownership of launch->lines and of `record` (record.h; NULL: none), and copies everything
 * else. */
struct soft_prediction;
void soft_report_launch(const sg_launch *launch, const char *symbol,
                        const struct soft_prediction *prediction, json_t *record);
/* Writes the report after a failed call, in case the program crashes: for the first few, or
 * `always`. */
void soft_report_error(bool always);
/* The `fault` of softgpu_set_hooks(), or NULL. */
extern void (*soft_report_fault)(const char *json);

/* ---- memory (linear.c) ------------------------------------------------------------------- */

/* Checks `bytes` bytes at a device pointer that a call will access. Returns false and writes the
 * error to text. `role` is the parameter's name. */
bool soft_device_side(const char *role, const void *pointer, size_t bytes, char text[1000]);
/* Does the same for any memory. Checks bounds only if they are known. */
bool soft_any_side(const char *role, const void *pointer, size_t bytes, char text[1000]);

/* ---- device memory that host code cannot access (guard.c) -------------------------------- */

bool soft_guard_wanted(size_t bytes);                   /* for an allocation of this size */
void *soft_guard_alloc(size_t bytes, const char *name); /* NULL: does not fit */
bool soft_guard_free(void *base);                       /* false: not from soft_guard_alloc() */
/* Enclose work on device memory. They nest, and cost nothing without guarded memory. */
void soft_guard_open(void);
void soft_guard_close(void);

/* Frees all of the program's allocations (cudaDeviceReset). */
void soft_memory_reset(void);
void soft_arrays_reset(void); /* the same for arrays and the objects on them (array.c) */

/* ---- arrays (array.c) -------------------------------------------------------------------- */

/* softgpu keeps arrays row by row without gaps, so one side of a copy is a box (work.h) as in any
 * other memory. */
struct cudaArray { /* NVIDIA's header declares it */
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as asked for, 0 where it has no such dimension */
    unsigned flags;
    size_t texel_bytes;
    sg_image image;
};

/* Sets *texel_bytes. Returns an error unless it is 1, 2 or 4 channels of one size and kind. */
cudaError_t soft_format_check(const char *call, const struct cudaChannelFormatDesc *format,
                              size_t *texel_bytes);
/* Returns an error for an array that does not exist. */
cudaError_t soft_array_check(const char *call, cudaArray_const_t array);
/* Makes the box of an array from the byte `x` in row `y` of slice `z`. Returns an error if `size`
 * bytes, rows and slices do not fit, or if `kind` does not copy to (or from) device memory. */
cudaError_t soft_array_box(const char *call, cudaArray_const_t array, size_t x, size_t y, size_t z,
                           const rt_extent *size, enum cudaMemcpyKind kind, bool to, rt_box *box);

/* ---- how much was moved, and its time on a GPU (moved.c) --------------------------------- */

/* Counts a copy or a fill that has run. */
void soft_moved_copy(const rt_copy *c);
void soft_moved_fill(const rt_fill *f);

/* Returns [{"way":"to the device"|"to the host"|"on the device"|"fill"|"on the host",
 * "pinned":true,"times":3,"bytes":4096}], one for each direction in use; "pinned" for host copies.
 * If a GPU is modelled, "model":{"seconds":..,"low":..,"high":..} is the time of all in
 * sequence. */
json_t *soft_moved_json(void);
void soft_moved_clear(void);

/* ---- the order of kernels that kernels launch (nested.c) --------------------------------- */

/* The end of a grid. */
typedef struct soft_ended {
    sg_child *children; /* what it launched; for sg_children_free() */
    uint32_t n;
    bool fault; /* it faulted, which the program has been told */
} soft_ended;

/* Runs one grid at a depth. *ended begins as all zero. */
typedef cudaError_t soft_run_fn(rt_launch *l, uint32_t depth, soft_ended *ended, sg_error *err);

/* Runs a grid and what it launches: first its launches in order, each with what it launches in
 * turn, then its tail launches. Stops at the first error or fault. */
cudaError_t soft_nested_run(rt_launch *l, soft_run_fn *run, sg_error *err);
