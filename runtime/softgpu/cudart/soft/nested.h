/* nested.h: the order of kernels that kernels launch. */
#ifndef SOFTGPU_CUDART_SOFT_NESTED_H
#define SOFTGPU_CUDART_SOFT_NESTED_H

#include "runtime/softgpu/cudart/rt.h"

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

#endif
