/* shares.cuh: stream-K's bookkeeping on the host: how many tiles are shared out, and the flags by
 * which blocks tell each other how far such a tile is (13_stream_k says what for). */
#ifndef WARPBOOK_GEMM_SHARES_CUH
#define WARPBOOK_GEMM_SHARES_CUH

#include <map>
#include <mutex>

#include <cuda_runtime.h>

/* How many of `tiles` tiles are shared out, 0 or more than half as many as there are
 * multiprocessors: what is behind the last full wave, and that wave too if it is little. Nothing
 * unless it saves more steps of k than adding up parts costs (C is written and read once more, the
 * ring of buffers filled again), which is `cost` steps for each block that has a part of the same
 * tile: they wait for one another. */
static inline int tiles_to_share(int tiles, int steps, int processors, int cost) {
    int rest = tiles % processors;
    long long idle = (long long)(processors - rest) * steps / processors;
    int shared = rest * 2 < processors && tiles > processors ? rest + processors : rest;
    if (rest == 0 || idle < (long long)cost * ((processors - 1) / shared + 1) || steps < 4 * cost)
        return 0;
    return shared;
}

/* Memory for flags comes from a pool of this file's own, one a device, which keeps what it once
 * had: an allocation in stream order costs a microsecond and waits for nobody. NULL: the device has
 * no pools. */
static inline cudaMemPool_t pool_of(int device) {
    static std::mutex lock;
    static std::map<int, cudaMemPool_t> pools;
    std::lock_guard<std::mutex> held(lock);
    auto known = pools.find(device);
    if (known != pools.end())
        return known->second;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t pool = nullptr;
    unsigned long long keep = ~0ull;
    if (cudaMemPoolCreate(&pool, &properties) != cudaSuccess)
        pool = nullptr;
    else
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    cudaGetLastError(); /* a failure here is not the caller's */
    return pools[device] = pool;
}

/* Memory in stream order, to be given back with cudaFreeAsync. NULL where there is none to be
 * had: share nothing, then. */
static inline void *pool_memory(size_t bytes, int device, cudaStream_t stream) {
    cudaMemPool_t pool = pool_of(device);
    void *memory = nullptr;
    if (pool && cudaMallocFromPoolAsync(&memory, bytes, pool, stream) == cudaSuccess)
        return memory;
    cudaGetLastError();
    return nullptr;
}

/* `count` flags in such memory, zero. */
static inline int *zeroed_flags(int count, int device, cudaStream_t stream) {
    int *flags = (int *)pool_memory(count * sizeof(int), device, stream);
    if (flags && cudaMemsetAsync(flags, 0, count * sizeof(int), stream) != cudaSuccess) {
        cudaGetLastError();
        cudaFreeAsync(flags, stream);
        return nullptr;
    }
    return flags;
}

#endif
