/* occupancy.h: how many blocks of a launch fit on a multiprocessor at once. */
#pragma once

#include "runtime/model/gpu.h"

/* The resources that a block needs from a multiprocessor. */
typedef struct model_block {
    uint64_t threads;      /* in the block */
    uint64_t registers;    /* per thread, as ptxas counts; 0: unknown, and no limit */
    uint64_t shared_bytes; /* of the block, static and dynamic */
} model_block;

/* The limit on the number of blocks. Of two equal limits, the first counts. */
typedef enum model_limit {
    MODEL_LIMIT_BLOCKS,
    MODEL_LIMIT_THREADS, /* or warps */
    MODEL_LIMIT_REGISTERS,
    MODEL_LIMIT_SHARED,
    MODEL_LIMITS
} model_limit;

typedef struct model_occupancy {
    uint64_t blocks, warps; /* resident on a multiprocessor */
    double share;           /* of the warps that it can hold */
    model_limit limit;
    uint64_t allowed[MODEL_LIMITS]; /* blocks that each limit alone would allow */
    uint64_t registers;             /* allocated to a block */
    uint64_t shared_bytes;          /* allocated to a block */
} model_occupancy;

/* Computes the occupancy by the rules of CUDA's occupancy calculator (cuda_occupancy.h), with the
 * largest carveout for shared memory. Returns false and sets err if the GPU would refuse the
 * launch. */
bool model_occupancy_of(const model_gpu *gpu, const model_block *block, model_occupancy *out,
                        wb_error *err);

/* Returns "blocks", "threads", "registers" or "shared memory". */
const char *model_limit_name(model_limit limit);
