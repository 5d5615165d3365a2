/* stubs.c: every entry point NVIDIA's libcudart.so.13 exports, as a weak function that refuses by
 * name. What another file defines takes its place at link time, so one list, taken from the
 * toolkit's library, is the whole truth about what programs may link against. NVIDIA's headers
 * are not included here: their prototypes differ, and on x86-64 a function that ignores its
 * arguments may be called with any. */
#define STUB(name, feature)                                                                        \
    int name(void);                                                                                \
    __attribute__((weak, visibility("default"))) int name(void) {                                  \
        return rt_unsupported(#name, feature);                                                     \
    }

int rt_unsupported(const char *call, int feature);

#define EXPORT(name) STUB(name, 0)
#define TEXTURE(name) STUB(name, 'T')
#include "runtime/softgpu/cudart/exports.inc"
