/* resources.h: the registers and memory that ptxas allocates for a kernel on a named GPU. Works
 * inside any process (assemble.h). */
#pragma once

#include "runtime/base/base.h"

typedef struct model_resources {
    uint64_t registers;         /* per thread */
    uint64_t spill_store_bytes; /* per thread: spill stores in the code, each counted once */
    uint64_t spill_load_bytes;  /* spill loads in the code, including called functions */
    uint64_t shared_bytes;      /* per block, static only */
    uint64_t local_bytes;       /* per thread: stack, including called functions */
} model_resources;

/* Finds the resources of the kernel (named as in the PTX) for compute capability 10 * major +
 * minor. Caches them under wb_path_cache("resources") if that is writable. Returns false and sets
 * err if ptxas cannot run or refuses the code. */
bool model_resources_of(const char *ptxas, const char *ptx, size_t len, const char *kernel,
                        unsigned capability, model_resources *out, wb_error *err);

/* Returns the path of ptxas: $WARPBOOK_SOFTGPU_PTXAS, or ptxas on $PATH, in $CUDA_HOME/bin or in
 * $CUDA_PATH/bin. Returns NULL and sets err if there is none. The caller frees the result. */
char *model_ptxas(wb_error *err);
