/* occupancy.h: how many blocks of a launch a multiprocessor holds at once. */
#ifndef WARPBOOK_MODEL_OCCUPANCY_H
#define WARPBOOK_MODEL_OCCUPANCY_H

#include "runtime/model/gpu.h"

/* What a launch asks of a multiprocessor. */
typedef struct model_block {
    uint64_t threads;      /* of a block */
    uint64_t registers;    /* of a thread, as ptxas counts them; 0: unknown, and no limit */
    uint64_t shared_bytes; /* of a block, static and dynamic together */
} model_block;

/* What limits the number of blocks; of two that do so alike, the first. */
typedef enum model_limit {
    MODEL_LIMIT_BLOCKS,
    MODEL_LIMIT_THREADS, /* or warps */
    MODEL_LIMIT_REGISTERS,
    MODEL_LIMIT_SHARED,
    MODEL_LIMITS
} model_limit;

typedef struct model_occupancy {
    uint64_t blocks, warps; /* resident on a multiprocessor */
    double share;           /* of the warps it can hold */
    model_limit limit;
    uint64_t allowed[MODEL_LIMITS]; /* blocks that each limit alone would allow */
    uint64_t registers;             /* of a block, as they are allotted */
    uint64_t shared_bytes;          /* of a block, as they are allotted */
} model_occupancy;

/* By the rules of CUDA's occupancy calculator (cuda_occupancy.h), with shared memory as large as it
 * can be had. False with a sentence in *err where that GPU would refuse the launch. */
bool model_occupancy_of(const model_gpu *gpu, const model_block *block, model_occupancy *out,
                        wb_error *err);

/* "blocks", "threads", "registers", "shared memory" */
const char *model_limit_name(model_limit limit);

#endif
