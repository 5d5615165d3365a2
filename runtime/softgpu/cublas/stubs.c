/* stubs.c: every entry point NVIDIA's libcublas.so.13 exports, as a weak function that refuses by
 * name; what another file defines takes its place at link time. See ../cudart/stubs.c. */
int blas_unsupported(const char *function);

#define EXPORT(name)                                                                               \
    int name(void);                                                                                \
    __attribute__((weak, visibility("default"))) int name(void) {                                  \
        return blas_unsupported(#name);                                                            \
    }
#include "runtime/softgpu/cublas/exports.inc"
