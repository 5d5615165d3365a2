/* stubs.c: every entry point NVIDIA's libcudart.so.13 exports, as a weak function that refuses by
 * name. What another file defines takes its place at link time, so one list, taken from the
 * toolkit's library, is the whole truth about what programs may link against. NVIDIA's headers
 * are not included here: their prototypes differ, and on x86-64 a function that ignores its
 * arguments may be called with any. */
#define STUB(name)                                                                                 \
    __attribute__((weak, visibility("default"))) int name(void) {                                  \
        return rt_unsupported(#name);                                                              \
    }

int rt_unsupported(const char *call);

#define EXPORT(name)                                                                               \
    int name(void);                                                                                \
    STUB(name)
#include "runtime/softgpu/cudart/exports.inc"
