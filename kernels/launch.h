/* launch.h: facts about the current device by which launchers choose, and launches with an
 * attribute. */
#pragma once

#include <cuda_runtime.h>

/* Returns an attribute of the current device, or `unknown` if it cannot be read. */
static inline int device_attribute(cudaDeviceAttr attribute, int unknown) {
    int device = 0, value = unknown;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, attribute, device);
    return value;
}

static inline int multiprocessors(void) {
    return device_attribute(cudaDevAttrMultiProcessorCount, 1);
}

static inline int l2_bytes(void) {
    return device_attribute(cudaDevAttrL2CacheSize, 0);
}

/* Returns how many blocks of the kernel the device holds at once, 0 if it holds none. */
template <typename F> static size_t blocks_at_once(F *kernel, int threads, size_t shared = 0) {
    int each = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared);
    return (size_t)multiprocessors() * each;
}

/* Returns the attribute of a launch in clusters of so many blocks along x. */
static inline cudaLaunchAttribute cluster_of(unsigned blocks) {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    return cluster;
}

/* Returns the attribute of a launch that may start before the previous kernel has ended. */
static inline cudaLaunchAttribute early_start(void) {
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    return early;
}

/* `attribute` may be NULL, and must outlive the result. `shared` is bytes of dynamic shared memory.
 */
static inline cudaLaunchConfig_t launch_config(cudaLaunchAttribute *attribute, dim3 grid,
                                               dim3 block, size_t shared, cudaStream_t stream) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = attribute ? 1 : 0;
    return config;
}
