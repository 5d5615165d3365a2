/* soft.h: what the files of softgpu's own half of libcudart.so.13 share (the other half, rt.h, is
 * the recorder's too), and the helpers that our libcublas.so.13 finds in it. */
#ifndef SOFTGPU_CUDART_SOFT_H
#define SOFTGPU_CUDART_SOFT_H

#include "runtime/softgpu/cudart/rt.h"
#include "runtime/softgpu/cudart/soft/extension.h"

/* ---- settings (settings.c) ---------------------------------------------------------------- */

unsigned
soft_options(void); /* bits of enum sg_option, from the environment or softgpu_set_options */

/* Chooses the blocks that are looked at closely. */
bool soft_early(void); /* say where threads that had ended are missed */
uint64_t soft_seed(void);

/* ---- the report (report.c) ---------------------------------------------------------------- */

/* Takes over launch->lines; keeps a copy of everything else. */
struct soft_prediction;
void soft_report_launch(const sg_launch *launch, const char *symbol,
                        const struct soft_prediction *prediction);
/* Writes the report after a failed call, in case the program crashes over it: for the first few, or
 * `always`. */
void soft_report_error(bool always);
/* softgpu_set_hooks()'s `fault`; or NULL. */
extern void (*soft_report_fault)(const char *json);

/* ---- memory (memory.c) -------------------------------------------------------------------- */

/* A pointer that a call is about to read or write `bytes` bytes at, on the device's side. On false
 * *text is the sentence; `role` is the parameter's name. */
bool soft_device_side(const char *role, const void *pointer, size_t bytes, char text[1000]);
/* Either side: ordinary memory is taken on trust, bounds are checked where they are known. */
bool soft_any_side(const char *role, const void *pointer, size_t bytes, char text[1000]);

/* ---- device memory that host code can't touch (guard.c) ----------------------------------- */

bool soft_guard_wanted(size_t bytes);                   /* for an allocation of this size */
void *soft_guard_alloc(size_t bytes, const char *name); /* NULL: does not fit */
bool soft_guard_free(void *base);                       /* false: not of soft_guard_alloc */
/* Around work on device memory; they nest, and cost nothing where nothing is guarded. */
void soft_guard_open(void);
void soft_guard_close(void);

/* Releases everything the program allocated (cudaDeviceReset). */
void soft_memory_reset(void);

#endif
