/* occupancy.c: how many blocks share a multiprocessor, by the rules of the CUDA programming guide
 * for compute capability 9.0: registers are given out per warp in units of 256, shared memory per
 * block in units of 128 bytes with 1 KiB kept by the system. */
#include "runtime/softgpu/cudart/rt.h"

static size_t round_up(size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}

int rt_blocks_per_sm(const rt_kernel *kernel, int threads, size_t dynamic_shared) {
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    if (threads <= 0 || threads > prop->maxThreadsPerBlock)
        return 0;
    size_t warps = round_up((size_t)threads, 32) / 32;
    size_t limit = (size_t)prop->maxBlocksPerMultiProcessor;
    size_t by_warps = (size_t)prop->maxThreadsPerMultiProcessor / 32 / warps;
    if (by_warps < limit)
        limit = by_warps;
    size_t registers = round_up((size_t)kernel->info.registers * 32, 256) * warps;
    if (registers > 0 && (size_t)prop->regsPerMultiprocessor / registers < limit)
        limit = (size_t)prop->regsPerMultiprocessor / registers;
    size_t shared = kernel->info.static_shared + dynamic_shared;
    if (shared > prop->sharedMemPerBlockOptin)
        return 0;
    shared = round_up(shared + prop->reservedSharedMemPerBlock, 128);
    if (prop->sharedMemPerMultiprocessor / shared < limit)
        limit = prop->sharedMemPerMultiprocessor / shared;
    return (int)limit;
}

static cudaError_t max_active(const char *call, int *blocks, const void *function, int threads,
                              size_t shared) {
    sg_error err = {0};
    cudaError_t code = rt_sticky(call);
    if (code != cudaSuccess)
        return code;
    if (blocks == NULL || threads <= 0)
        return rt_fail(cudaErrorInvalidValue, call, "a block of %d threads is not possible",
                       threads);
    rt_kernel *kernel = rt_kernel_find(function, &err);
    if (kernel == NULL)
        return rt_fail((cudaError_t)err.code, call, "%s", err.text);
    *blocks = rt_blocks_per_sm(kernel, threads, shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared) {
    return max_active(__func__, blocks, function, threads, shared);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t shared,
                                                                   unsigned flags) {
    (void)flags;
    return max_active(__func__, blocks, function, threads, shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int threads) {
    sg_error err = {0};
    RT_ENTER();
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    if (bytes == NULL || blocks <= 0 || threads <= 0)
        return RT_FAIL(cudaErrorInvalidValue, "%d blocks of %d threads are not possible", blocks,
                       threads);
    rt_kernel *kernel = rt_kernel_find(function, &err);
    if (kernel == NULL)
        return RT_FAIL((cudaError_t)err.code, "%s", err.text);
    size_t each = prop->sharedMemPerMultiprocessor / (size_t)blocks / 128 * 128;
    size_t taken = prop->reservedSharedMemPerBlock + kernel->info.static_shared;
    *bytes = each > taken ? each - taken : 0;
    if (*bytes + kernel->info.static_shared > prop->sharedMemPerBlockOptin)
        *bytes = prop->sharedMemPerBlockOptin - kernel->info.static_shared;
    return cudaSuccess;
}
