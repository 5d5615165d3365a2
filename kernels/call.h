/* call.h: calls a launcher as its row's shape requires. For programs that load the set's libraries
 * themselves. They need CUDA's headers, but none of its symbols. */
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/registry.h"

/* The arguments of one call: device pointers (their type is `type`), sizes and scalars. */
typedef struct wbk_arguments {
    wbk_type type;
    wbk_size size;
    double alpha, beta;
    const void *a, *b;
    void *c, *work;
} wbk_arguments;

/* Returns the library of the launcher: "libwarpbook_references.so" or "libwarpbook_kernels.so". */
const char *wbk_library_of(const char *symbol);
/* Returns the launcher's result. work: the launcher takes the work buffer. */
cudaError_t wbk_call(const wbk_kernel *kernel, bool work, void *function, const wbk_arguments *args,
                     cudaStream_t stream);
