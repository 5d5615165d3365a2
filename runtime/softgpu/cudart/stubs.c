/* stubs.c: defines every entry point of NVIDIA's libcudart.so.13 as a weak function that refuses. A
 * definition in another file replaces it at link time. module.mk takes the names from the toolkit's
 * library, so that library defines what programs may link against. NVIDIA's headers are not
 * included, because their prototypes differ. On x86-64 a function that ignores its arguments
 * accepts any. */
#include "runtime/softgpu/machine/refused.h"

#include <string.h>

int rt_refuse(sg_refused kind, const char *call);

/* The kind of a function whose name has this part. The first row that fits counts. */
static const struct {
    const char *part;
    sg_refused kind;
} families[] = {
    {"External", SG_REFUSED_EXTERNAL_MEMORY},
    {"EGL", SG_REFUSED_GRAPHICS},
    {"cudaGL", SG_REFUSED_GRAPHICS},
    {"Graphics", SG_REFUSED_GRAPHICS},
    {"VDPAU", SG_REFUSED_GRAPHICS},
    {"MemoryRequirements", SG_REFUSED_TEXTURE_FEATURES},
    {"ArrayGetPlane", SG_REFUSED_TEXTURE_FEATURES},
    {"Mipmapped", SG_REFUSED_TEXTURE_FEATURES},
    {"SparseProperties", SG_REFUSED_TEXTURE_FEATURES},
    {"ResourceView", SG_REFUSED_TEXTURE_FEATURES},
    {"Array", SG_REFUSED_TEXTURES},
    {"ChannelDesc", SG_REFUSED_TEXTURES},
    {"Surface", SG_REFUSED_TEXTURES},
    {"Texture", SG_REFUSED_TEXTURES},
    {"Batch", SG_REFUSED_BATCHES},
    {"Cluster", SG_REFUSED_CLUSTERS},
    {"Conditional", SG_REFUSED_CONDITIONAL_NODES},
    {"Ipc", SG_REFUSED_IPC},
    {"MemPoolExport", SG_REFUSED_IPC},
    {"MemPoolImport", SG_REFUSED_IPC},
    {"NvSci", SG_REFUSED_IPC},
    {"3DPeer", SG_REFUSED_PEERS},
    {"P2P", SG_REFUSED_PEERS},
    {"StreamCopyAttributes", SG_REFUSED_STREAM_ATTRIBUTES},
    {"StreamGetAttribute", SG_REFUSED_STREAM_ATTRIBUTES},
    {"StreamSetAttribute", SG_REFUSED_STREAM_ATTRIBUTES},
};

static int refuse(const char *call) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strstr(call, families[i].part))
            return rt_refuse(families[i].kind, call);
    return rt_refuse(SG_REFUSED_FUNCTION, call);
}

#define EXPORT(name)                                                                               \
    int name(void);                                                                                \
    __attribute__((weak, visibility("default"))) int name(void) {                                  \
        return refuse(#name);                                                                      \
    }
#include "runtime/softgpu/cudart/exports.inc"
