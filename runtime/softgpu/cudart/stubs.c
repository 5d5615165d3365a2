/* stubs.c: defines every entry point of NVIDIA's libcudart.so.13 as a weak function that refuses. A
 * definition in another file replaces it at link time. So one list from the toolkit's library
 * defines what programs may link against. NVIDIA's headers are not included, because their
 * prototypes differ. On x86-64 a function that ignores its arguments accepts any. softgpu has all
 * of EXPORT; the recorder lacks some. */
#include "runtime/softgpu/machine/refused.h"

#define REFUSE(name, kind)                                                                         \
    int name(void);                                                                                \
    __attribute__((weak, visibility("default"))) int name(void) {                                  \
        return rt_refuse(SG_REFUSED_##kind, #name);                                                \
    }

int rt_refuse(sg_refused kind, const char *call);

#define EXPORT(name) REFUSE(name, FUNCTION)
#include "runtime/softgpu/cudart/exports.inc"
