/* resources.h: what the compiler's own code for a named GPU takes: ptxas assembles the kernel for
 * it, and says. Callable from inside any process (assemble.h). */
#ifndef WARPBOOK_MODEL_RESOURCES_H
#define WARPBOOK_MODEL_RESOURCES_H

#include "runtime/base/base.h"

typedef struct model_resources {
    uint64_t registers; /* of a thread */
    uint64_t
        spill_store_bytes; /* of a thread: what it stores for want of registers, in each place */
    uint64_t spill_load_bytes; /* that does so once; with the functions that the kernel calls */
    uint64_t shared_bytes;     /* of a block, static: dynamic shared memory comes on top */
    uint64_t local_bytes;      /* of a thread: stack, with the functions that it calls */
} model_resources;

/* Of the kernel of that name (as the PTX spells it) for compute capability 10 * major + minor. What
 * was found once is kept under wb_path_cache("resources"); where that can't be written it is found
 * each time. False with one sentence where ptxas can't be run or refuses the code. */
bool model_resources_of(const char *ptxas, const char *ptx, size_t len, const char *kernel,
                        unsigned capability, model_resources *out, wb_error *err);

/* The ptxas to ask: $WARPBOOK_SOFTGPU_PTXAS where it is set, or ptxas on $PATH, or in
 * $CUDA_HOME/bin or $CUDA_PATH/bin. malloc'd; NULL with a sentence where there is none. */
char *model_ptxas(wb_error *err);

#endif
