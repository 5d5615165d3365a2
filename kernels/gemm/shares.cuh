/* shares.cuh: stream-K on the host: the number of shared tiles, and the flags by which blocks
 * report a tile's progress (see 13_stream_k). */
#pragma once

#include <map>
#include <mutex>

#include "launch.h"

/* Returns how many of `tiles` tiles to share: 0, or more than half the number of multiprocessors.
 * These are the tiles after the last full wave, plus that wave if they are few. Sharing must save
 * more steps of k than it costs (C is written and read once more, the ring is filled again): `cost`
 * steps for each block that shares a tile, because they wait for one another. */
static inline int tiles_to_share(int tiles, int steps, int processors, int cost) {
    int rest = tiles % processors;
    long long idle = (long long)(processors - rest) * steps / processors;
    int shared = rest * 2 < processors && tiles > processors ? rest + processors : rest;
    if (rest == 0 || idle < (long long)cost * ((processors - 1) / shared + 1) || steps < 4 * cost)
        return 0;
    return shared;
}

/* Returns this file's memory pool of the current device, which keeps up to 2 GB, or NULL if it has
 * none. An allocation in stream order takes a microsecond and does not wait. */
static inline cudaMemPool_t pool_of_device(void) {
    int device = 0;
    cudaGetDevice(&device);
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
    unsigned long long keep = 2ull << 30; /* bytes; the rest goes back to the device */
    if (cudaMemPoolCreate(&pool, &properties) != cudaSuccess)
        pool = nullptr;
    else
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    cudaGetLastError(); /* clears an error that is not the caller's */
    return pools[device] = pool;
}

/* Allocates memory of the current device in stream order, for cudaFreeAsync(). Returns NULL on
 * failure; then share nothing. */
static inline void *pool_memory(size_t bytes, cudaStream_t stream) {
    cudaMemPool_t pool = pool_of_device();
    void *memory = nullptr;
    if (pool && cudaMallocFromPoolAsync(&memory, bytes, pool, stream) == cudaSuccess)
        return memory;
    cudaGetLastError();
    return nullptr;
}

/* Returns `count` zero flags in such memory. */
static inline int *zeroed_flags(int count, cudaStream_t stream) {
    int *flags = (int *)pool_memory(count * sizeof(int), stream);
    if (flags && cudaMemsetAsync(flags, 0, count * sizeof(int), stream) != cudaSuccess) {
        cudaGetLastError();
        cudaFreeAsync(flags, stream);
        return nullptr;
    }
    return flags;
}
