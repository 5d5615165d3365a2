/* cost.h: what a GPU would make of one PTX instruction. */
#ifndef SOFTGPU_COST_H
#define SOFTGPU_COST_H

#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/watch/trace/trace.h"

typedef struct lower_cost {
    uint32_t slots; /* instructions of the GPU's */
    float pipes[SG_PIPES];
    enum sg_latency latency; /* of the instruction, or of the slowest of its routine; */
    uint32_t more;           /* and so many of its other instructions that wait for each other, */
    enum sg_latency of;      /* each of which takes that long */
    enum sg_step_kind kind;
} lower_cost;

lower_cost lower_cost_of(const ptx_inst *inst);

/* The last modifier that is a type: an instruction's operands have that one. */
ptx_type lower_operand_type(const ptx_inst *inst);

#endif
