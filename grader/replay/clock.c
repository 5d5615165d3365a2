/* clock.c: events around what is timed, and the L2 filled with something else before. */
#include "grader/replay/clock.h"
#include "grader/replay/exec.h"

/* Lines that a kernel marked "evict last" stay in the L2, whatever else passes through it, until
 * their marks are taken back. Every run before has ended here, or it would mark more. */
static bool unmark_lines(const gr_cuda *cuda, wb_error *err) {
    cudaError_t status = cuda->cudaCtxResetPersistingL2Cache();
    if (status != cudaErrorNotSupported)
        return gr_cuda_ok(cuda, status, "the L2 can't be reset", err);
    cuda->cudaGetLastError(); /* a device that keeps no lines has none to give up */
    return true;
}

bool gr_clock_open(const gr_cuda *cuda, gr_clock *clock, wb_error *err) {
    *clock = (gr_clock){.cuda = cuda};
    clock->flush_bytes = 4 * (size_t)(cuda->l2_bytes > 0 ? cuda->l2_bytes : 64 << 20);
    return gr_cuda_ok(cuda, cuda->cudaEventCreate(&clock->begin), "no event", err) &&
           gr_cuda_ok(cuda, cuda->cudaEventCreate(&clock->end), "no event", err) &&
           gr_cuda_ok(cuda, cuda->cudaMalloc(&clock->flush, clock->flush_bytes), "no device memory",
                      err);
}

/* The stream stays busy with it while the timed launches are put behind. */
bool gr_clock_start(const gr_clock *clock, int round, wb_error *err) {
    const gr_cuda *cuda = clock->cuda;
    return unmark_lines(cuda, err) &&
           gr_cuda_ok(
               cuda,
               cuda->cudaMemsetAsync(clock->flush, round & 0xff, clock->flush_bytes, cuda->stream),
               "the L2 can't be flushed", err) &&
           gr_cuda_ok(cuda, cuda->cudaEventRecord(clock->begin, cuda->stream), "no event", err);
}

bool gr_clock_stop(const gr_clock *clock, double *seconds, wb_error *err) {
    const gr_cuda *cuda = clock->cuda;
    float milliseconds = 0;
    if (!gr_cuda_ok(cuda, cuda->cudaEventRecord(clock->end, cuda->stream), "no event", err) ||
        !gr_program_wait(cuda, err) ||
        !gr_cuda_ok(cuda, cuda->cudaEventElapsedTime(&milliseconds, clock->begin, clock->end),
                    "no time", err))
        return false;
    *seconds = milliseconds * 1e-3;
    return true;
}

void gr_clock_close(gr_clock *clock) {
    if (clock->cuda)
        clock->cuda->cudaFree(clock->flush);
    *clock = (gr_clock){.cuda = NULL};
}
