/* nested.h: kernels that launch kernels (CUDA's dynamic parallelism, second version). */
#pragma once

#include "runtime/softgpu/exec/builtin.h"

/* The calls that nvcc makes of <<<>>> in device code. A launch only joins run->children: the caller
 * of sg_launch_run() starts it after the grid has ended, which CUDA allows, because a kernel cannot
 * wait for one that it launched. */
void sg_nested_buffer(sg_warp *w, const sg_op *ip, char *r);
void sg_nested_launch(sg_warp *w, const sg_op *ip, char *r);
void sg_nested_stream(sg_warp *w, const sg_op *ip, char *r);
void sg_nested_copy(sg_warp *w, const sg_op *ip, char *r);
void sg_nested_fill(sg_warp *w, const sg_op *ip, char *r);
void sg_nested_success(sg_warp *w, const sg_op *ip, char *r);
void sg_nested_text(sg_warp *w, const sg_op *ip, char *r);

/* Hands over the launches of a run that has ended, ordered by block, thread and time. */
void sg_nested_finish(sg_run *run, sg_launch *launch);
