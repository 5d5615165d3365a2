/* clusters.h: whether the device runs blocks in clusters (compute capability 9.0). */
#ifndef WARPBOOK_CLUSTERS_H
#define WARPBOOK_CLUSTERS_H

#include <cuda_runtime.h>

/* The code that will run knows clusters: what is compiled at load from the PTX for an older
 * architecture does not. */
template <typename... P> static bool has_clusters(void (*kernel)(P...), int device) {
    int supported = 0;
    cudaFuncAttributes attributes;
    return cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, device) == cudaSuccess &&
           supported && cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess &&
           attributes.ptxVersion >= 90;
}

#endif
