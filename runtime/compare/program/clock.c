/* clock.c: flushes, holds, times. */
#include "runtime/compare/program/clock.h"

#include "runtime/base/base.h"
#include "runtime/compare/program/clock_kernels.h"

cudaError_t clock_open(launch_clock *clock, bool soft, size_t l2_bytes) {
    *clock = (launch_clock){0};
    clock->soft = soft;
    cudaError_t status = cudaFree(0); /* creates the context, so that it is not timed */
    if (status != cudaSuccess || soft)
        return status;
    clock->flush_elements = l2_bytes * 2 / sizeof(float);
    if ((status = cudaEventCreate(&clock->begin)) != cudaSuccess ||
        (status = cudaEventCreate(&clock->end)) != cudaSuccess ||
        (status = cudaMalloc((void **)&clock->flush,
                             (clock->flush_elements + 1) * sizeof(float))) != cudaSuccess ||
        (status = cudaMemset(clock->flush, 0, (clock->flush_elements + 1) * sizeof(float))) !=
            cudaSuccess)
        return status;
    return cudaHostAlloc((void **)&clock->gate, 3 * sizeof *clock->gate, cudaHostAllocMapped);
}

void clock_close(launch_clock *clock) {
    if (clock->begin)
        cudaEventDestroy(clock->begin);
    if (clock->end)
        cudaEventDestroy(clock->end);
    cudaFree(clock->flush);
    cudaFreeHost(clock->gate);
}

/* Fills the L2 and releases lines that a kernel marked "evict last": they survive the kernel, and
 * reads of twice the cache's size. First waits for all work, which might mark more. */
static cudaError_t cool(launch_clock *clock) {
    cudaError_t status = cudaDeviceSynchronize();
    if (status == cudaSuccess)
        status = cudaCtxResetPersistingL2Cache();
    if (status == cudaErrorNotSupported) { /* such a device keeps no lines */
        cudaGetLastError();                /* so that the timed code does not see this error */
        status = cudaSuccess;
    }
    if (status != cudaSuccess)
        return status;
    return clock_read_all(clock->flush, clock->flush_elements, clock->flush + clock->flush_elements,
                          clock->stream);
}

static cudaError_t time_by_host(launch_clock *clock, cudaError_t (*launch)(void *, cudaStream_t),
                                void *ctx, double *seconds) {
    cudaError_t status = cudaStreamSynchronize(clock->stream);
    if (status != cudaSuccess)
        return status;
    double start = wb_now();
    status = launch(ctx, clock->stream);
    cudaError_t ended = cudaDeviceSynchronize();
    *seconds = wb_now() - start;
    return status != cudaSuccess ? status : ended;
}

static cudaError_t time_by_events(launch_clock *clock, cudaError_t (*launch)(void *, cudaStream_t),
                                  void *ctx, double *seconds) {
    volatile unsigned long long *gate = clock->gate;
    gate[0] = 0;
    cudaError_t held = clock_hold(clock->gate, clock->stream);
    if (held != cudaSuccess)
        return held;
    cudaEventRecord(clock->begin, clock->stream);
    cudaError_t launched = launch(ctx, clock->stream);
    cudaEventRecord(clock->end, clock->stream);
    gate[0] = 1;
    cudaError_t status =
        cudaDeviceSynchronize(); /* all streams, so that nothing runs after the clock stops */
    float ms = 0;
    if (launched != cudaSuccess || status != cudaSuccess)
        return launched != cudaSuccess ? launched : status;
    if ((status = cudaEventElapsedTime(&ms, clock->begin, clock->end)) != cudaSuccess)
        return status;
    *seconds = ms * 1e-3;
    if (gate[2] > 5000)
        clock->sm_hz = (double)gate[1] / (double)gate[2] * 1e9;
    return cudaSuccess;
}

cudaError_t clock_time(launch_clock *clock, cudaError_t (*launch)(void *, cudaStream_t), void *ctx,
                       bool waits, double *seconds) {
    cudaError_t status = clock->soft ? cudaSuccess : cool(clock);
    if (status != cudaSuccess)
        return status;
    return clock->soft || waits ? time_by_host(clock, launch, ctx, seconds)
                                : time_by_events(clock, launch, ctx, seconds);
}
