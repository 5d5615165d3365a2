/* clusters.h: blocks in clusters (compute capability 9.0): whether the device runs them, barriers
 * of a cluster, and its distributed shared memory. */
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

/* Every block of a cluster arrives, then waits. A block that has waited knows that all blocks of
 * the cluster have started, and sees what they wrote before they arrived. */
static __device__ __forceinline__ void cluster_arrive(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

static __device__ __forceinline__ void cluster_wait(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* Writes `value` to where `mine` is, in the shared memory of the cluster's block `rank`. */
static __device__ __forceinline__ void cluster_send(float *mine, unsigned rank, float value) {
#if __CUDA_ARCH__ >= 900
    unsigned address = (unsigned)__cvta_generic_to_shared(mine);
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
#else
    *mine = value;
#endif
}

#endif
