/* cublas.c: the libcublas.so.13 beside the recorder. Every entry point stops the plan with its
 * name, because a lab asks for a kernel, and a library's launches can't be recorded. */
#include "runtime/record/refuse.h"

#define EXPORT(name)                                                                               \
    int name(void);                                                                                \
    __attribute__((visibility("default"))) int name(void) {                                        \
        wb_record_refuse(#name,                                                                    \
                         "solve() calls cuBLAS, which can't be recorded; write the kernel");       \
    }
#include "runtime/softgpu/cublas/exports.inc"
