/* clusters.h: clusters of blocks (compute capability 9.0): whether the device supports them,
 * barriers of a cluster, and distributed shared memory. */
#pragma once

#include "launch.h"

/* Returns true if the running code has clusters. Code compiled at load time from PTX for an older
 * architecture does not. */
template <typename... P> static bool has_clusters(void (*kernel)(P...)) {
    cudaFuncAttributes attributes;
    return device_attribute(cudaDevAttrClusterLaunch, 0) &&
           cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
}

/* Every block of a cluster arrives, then waits. After the wait, all blocks of the cluster have
 * started, and their writes before they arrived are visible. */
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

/* Writes `value` to the address of `mine` in the shared memory of the cluster's block `rank`. */
static __device__ __forceinline__ void cluster_send(float *mine, unsigned rank, float value) {
#if __CUDA_ARCH__ >= 900
    unsigned address = (unsigned)__cvta_generic_to_shared(mine);
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
#else
    *mine = value;
#endif
}
