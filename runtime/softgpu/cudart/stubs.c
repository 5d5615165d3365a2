/* stubs.c: every entry point that NVIDIA's libcudart.so.13 exports, as a weak function that
 * refuses. A function that another file defines takes its place at link time, so one list, taken
 * from the toolkit's library, says what programs may link against. NVIDIA's headers are not
 * included here: their prototypes differ, and on x86-64 a function that ignores its arguments may
 * be called with any. softgpu has all of EXPORT; the recorder lacks some. */
#include "runtime/softgpu/machine/refused.h"

#define REFUSE(name, kind)                                                                         \
    int name(void);                                                                                \
    __attribute__((weak, visibility("default"))) int name(void) {                                  \
        return rt_refuse(SG_REFUSED_##kind, #name);                                                \
    }

int rt_refuse(sg_refused kind, const char *call);

#define EXPORT(name) REFUSE(name, FUNCTION)
#include "runtime/softgpu/cudart/exports.inc"
