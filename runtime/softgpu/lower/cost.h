/* cost.h: the cost of one PTX instruction on a GPU. */
#pragma once

#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/watch/trace/trace.h"

typedef struct lower_cost {
    uint32_t slots; /* GPU instructions */
    float pipes[SG_PIPES];
    enum sg_latency latency; /* of the instruction, or of the slowest in its routine */
    uint32_t more;           /* further instructions that wait for each other */
    enum sg_latency of;      /* the latency of each of those */
    enum sg_step_kind kind;
} lower_cost;

lower_cost lower_cost_of(const ptx_inst *inst);
