/* soft.h: shared by the files that only softgpu's libcudart.so.13 has. rt.h is for the recorder's
 * too. */
#ifndef SOFTGPU_CUDART_SOFT_H
#define SOFTGPU_CUDART_SOFT_H

#include <jansson.h>

#include "runtime/softgpu/cudart/rt.h"
#include "runtime/softgpu/cudart/soft/extension.h"

/* ---- settings (settings.c) ---------------------------------------------------------------- */

unsigned
soft_options(void); /* bits of enum sg_option, from the environment or softgpu_set_options() */

bool soft_early(void); /* report shared memory that ended threads did not write */
uint64_t soft_seed(void);

/* ---- the report (report.c) ---------------------------------------------------------------- */

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

/* ---- memory (memory.c) -------------------------------------------------------------------- */

/* Checks `bytes` bytes at a device pointer that a call will access. Returns false and writes the
 * error to text. `role` is the parameter's name. */
bool soft_device_side(const char *role, const void *pointer, size_t bytes, char text[1000]);
/* Does the same for any memory. Checks bounds only if they are known. */
bool soft_any_side(const char *role, const void *pointer, size_t bytes, char text[1000]);

/* ---- device memory that host code cannot access (guard.c) --------------------------------- */

bool soft_guard_wanted(size_t bytes);                   /* for an allocation of this size */
void *soft_guard_alloc(size_t bytes, const char *name); /* NULL: does not fit */
bool soft_guard_free(void *base);                       /* false: not from soft_guard_alloc() */
/* Enclose work on device memory. They nest, and cost nothing without guarded memory. */
void soft_guard_open(void);
void soft_guard_close(void);

/* Frees all of the program's allocations (cudaDeviceReset). */
void soft_memory_reset(void);
void soft_arrays_reset(void); /* the same for arrays and the objects on them (array.c) */

#endif
