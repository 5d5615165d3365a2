/* stubs.c: defines every entry point of NVIDIA's libcublas.so.13 as a weak function that refuses by
 * name. A definition in another file replaces it at link time. See ../cudart/stubs.c. */
int blas_unsupported(const char *function);

#define EXPORT(name)                                                                               \
    int name(void);                                                                                \
    __attribute__((weak, visibility("default"))) int name(void) {                                  \
        return blas_unsupported(#name);                                                            \
    }
#include "runtime/softgpu/cublas/exports.inc"
