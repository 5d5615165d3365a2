/* cuda.c: opens the first libcudart.so.13 on LD_LIBRARY_PATH. */
#include "grader/replay/cuda.h"

#include <dlfcn.h>

/* Stores dlsym's void * as a function pointer. */
static void set(void *slot, void *library, const char *name) {
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
}

bool gr_cuda_ok(cudaError_t status, const char *what, wb_error *err) {
    if (status == cudaSuccess)
        return true;
    return wb_fail(err, (int)status, "%s: %s (%s)", what, cuda.cudaGetErrorString(status),
                   cuda.cudaGetErrorName(status));
}

gr_cuda cuda;

bool gr_cuda_open(wb_error *err) {
    cuda = (gr_cuda){.stream = NULL};
    void *library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return wb_fail(err, 1, "%s", dlerror());
#define X(name)                                                                                    \
    set(&cuda.name, library, #name);                                                               \
    if (!cuda.name)                                                                                \
        return wb_fail(err, 1, _("libcudart.so.13 lacks %s; CUDA 13 is needed"), #name);
    GR_CUDA_CALLS(X)
#undef X
    if (!getenv("WARPBOOK_TEST_SOFT_AS_GPU")) {
        set(&cuda.set_options, library, "softgpu_set_options");
        set(&cuda.report, library, "softgpu_report");
        set(&cuda.poison, library, "softgpu_poison");
        set(&cuda.interrupt, library, "softgpu_interrupt");
        set(&cuda.heap_clear, library, "softgpu_heap_clear");
        set(&cuda.recover, library, "softgpu_recover");
    }
    if (!gr_cuda_ok(cuda.cudaStreamCreateWithFlags(&cuda.stream, cudaStreamNonBlocking),
                    "the device can't be used", err) ||
        !gr_cuda_ok(cuda.cudaDeviceGetAttribute(&cuda.l2_bytes, cudaDevAttrL2CacheSize, 0),
                    "the device can't be asked", err))
        return false;
    if (dlsym(library, "softgpu_report")) /* its reports do not depend on the L2 */
        cuda.l2_bytes = 1 << 20;
    return true;
}
