/* call.h: a launcher called as its row's shape says. For programs that load the set's libraries
 * themselves; they need CUDA's headers, and no symbol of it. */
#ifndef WARPBOOK_CALL_H
#define WARPBOOK_CALL_H

#include <cuda_runtime_api.h>

#include "kernels/registry.h"

/* One call's arguments: device pointers (typed by `type`), sizes, scalars. */
typedef struct wbk_arguments {
    wbk_type type;
    wbk_size size;
    double alpha, beta;
    const void *a, *b;
    void *c, *work;
} wbk_arguments;

/* "libwarpbook_references.so" or "libwarpbook_kernels.so": where a launcher of that name is. */
const char *wbk_library_of(const char *symbol);
/* What the launcher returns. work: it takes the work buffer. */
cudaError_t wbk_call(const wbk_kernel *kernel, bool work, void *function, const wbk_arguments *args,
                     cudaStream_t stream);

#endif
