/* occupancy.c: how many blocks fit on a multiprocessor of the device, by the model's rules
 * (runtime/model). Values missing in cudaDeviceProp are the same on all GPUs since 7.0. */
#include "runtime/model/occupancy.h"
#include "runtime/softgpu/cudart/rt.h"

enum { SHARED_UNIT = 128 };

int rt_blocks_per_sm(rt_kernel *kernel, int threads, size_t dynamic_shared) {
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    uint64_t resident = (uint64_t)prop->maxThreadsPerMultiProcessor;
    model_gpu gpu = {.max_threads = resident,
                     .max_warps = resident / 32,
                     .max_blocks = (uint64_t)prop->maxBlocksPerMultiProcessor,
                     .max_block_threads = (uint64_t)prop->maxThreadsPerBlock,
                     .registers = (uint64_t)prop->regsPerMultiprocessor,
                     .max_thread_registers = 255,
                     .register_unit = 256,
                     .schedulers = 4,
                     .shared_bytes = prop->sharedMemPerMultiprocessor,
                     .max_block_shared_bytes = prop->sharedMemPerBlockOptin,
                     .shared_reserved_bytes = prop->reservedSharedMemPerBlock,
                     .shared_unit_bytes = SHARED_UNIT};
    model_block block = {.threads = threads > 0 ? (uint64_t)threads : 0,
                         .registers = rt_registers(kernel),
                         .shared_bytes = kernel->info.static_shared + dynamic_shared};
    model_occupancy found;
    return model_occupancy_of(&gpu, &block, &found, NULL) ? (int)found.blocks : 0;
}

static cudaError_t max_active(const char *call, int *blocks, const void *function, int threads,
                              size_t shared) {
    sg_error err = {0};
    RT_ALLOWED(rt_sticky(call));
    if (blocks == NULL || threads <= 0)
        return rt_fail(cudaErrorInvalidValue, call, _("a block of %d threads is not possible"),
                       threads);
    rt_kernel *kernel = rt_kernel_find(function, &err);
    if (kernel == NULL)
        return rt_fail_as(call, &err);
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
        return RT_FAIL(cudaErrorInvalidValue, _("%d blocks of %d threads are not possible"), blocks,
                       threads);
    rt_kernel *kernel = rt_kernel_find(function, &err);
    if (kernel == NULL)
        return rt_fail_as(__func__, &err);
    size_t each = prop->sharedMemPerMultiprocessor / (size_t)blocks / SHARED_UNIT * SHARED_UNIT;
    size_t taken = prop->reservedSharedMemPerBlock + kernel->info.static_shared;
    *bytes = each > taken ? each - taken : 0;
    if (*bytes + kernel->info.static_shared > prop->sharedMemPerBlockOptin)
        *bytes = prop->sharedMemPerBlockOptin - kernel->info.static_shared;
    return cudaSuccess;
}
