/* clock.c: events around the timed work, and a flush of the L2 before it. */
#include "grader/replay/clock.h"
#include "grader/replay/program.h"

/* Resets lines that a kernel marked "evict last", which stay in the L2 whatever else passes through
 * it. All earlier runs have ended, so they mark no more. */
static bool unmark_lines(wb_error *err) {
    cudaError_t status = cuda.cudaCtxResetPersistingL2Cache();
    if (status != cudaErrorNotSupported)
        return gr_cuda_ok(status, "the L2 can't be reset", err);
    cuda.cudaGetLastError(); /* a device without such lines has none to reset */
    return true;
}

/* Reads `n` times 16 bytes. A fill would leave dirty lines, which the timed run would have to write
 * back. On an H100 that made copies of 4 to 34 MB 1 to 6 us slower. */
static const char reader[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                             ".visible .entry read_all(.param .u64 data, .param .u64 n) {\n"
                             ".reg .pred %p; .reg .b32 %i<3>; .reg .b32 %x<5>;\n"
                             ".reg .b64 %base, %n, %at, %step, %to;\n"
                             "ld.param.u64 %base, [data]; ld.param.u64 %n, [n];\n"
                             "cvta.to.global.u64 %base, %base;\n"
                             "mov.u32 %i0, %ntid.x; mov.u32 %i1, %ctaid.x; mov.u32 %i2, %tid.x;\n"
                             "cvt.u64.u32 %at, %i2; mad.wide.u32 %at, %i0, %i1, %at;\n"
                             "mov.u32 %i1, %nctaid.x; mul.wide.u32 %step, %i0, %i1;\n"
                             "mov.u32 %x4, 0;\n"
                             "next: setp.ge.u64 %p, %at, %n; @%p bra done;\n"
                             "shl.b64 %to, %at, 4; add.u64 %to, %base, %to;\n"
                             "ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%to];\n"
                             "or.b32 %x0, %x0, %x1; or.b32 %x2, %x2, %x3;\n"
                             "or.b32 %x0, %x0, %x2; or.b32 %x4, %x4, %x0;\n"
                             "add.u64 %at, %at, %step; bra next;\n"
                             /* all data is 0, so nothing is written, but the compiler can't know */
                             "done: setp.eq.u32 %p, %x4, 0; @%p bra end;\n"
                             "st.global.u32 [%base], %x4;\n"
                             "end: ret;\n}\n";

bool gr_clock_open(gr_clock *clock, wb_error *err) {
    *clock = (gr_clock){.flush = NULL};
    clock->flush_bytes = 4 * (size_t)(cuda.l2_bytes > 0 ? cuda.l2_bytes : 64 << 20);
    return gr_cuda_ok(cuda.cudaEventCreate(&clock->begin), "no event", err) &&
           gr_cuda_ok(cuda.cudaEventCreate(&clock->end), "no event", err) &&
           gr_cuda_ok(
               cuda.cudaLibraryLoadData(&clock->library, reader, NULL, NULL, 0, NULL, NULL, 0),
               "what fills the L2 can't be loaded", err) &&
           gr_cuda_ok(cuda.cudaLibraryGetKernel(&clock->reader, clock->library, "read_all"),
                      "what fills the L2 can't be loaded", err) &&
           gr_cuda_ok(cuda.cudaMalloc(&clock->flush, clock->flush_bytes), "no device memory",
                      err) &&
           gr_cuda_ok(cuda.cudaMemset(clock->flush, 0, clock->flush_bytes), "no device memory",
                      err);
}

/* While the flush runs, the timed launches queue up behind it. */
bool gr_clock_start(const gr_clock *clock, wb_error *err) {
    enum { BLOCKS = 1024, THREADS = 256, VECTOR = 16 };
    void *data = clock->flush;
    unsigned long long n = clock->flush_bytes / VECTOR;
    cudaLaunchConfig_t config = {
        .gridDim = {BLOCKS, 1, 1}, .blockDim = {THREADS, 1, 1}, .stream = cuda.stream};
    return unmark_lines(err) &&
           gr_cuda_ok(cuda.cudaLaunchKernelExC(&config, (const void *)clock->reader,
                                               (void *[]){&data, &n}),
                      "the L2 can't be flushed", err) &&
           gr_cuda_ok(cuda.cudaEventRecord(clock->begin, cuda.stream), "no event", err);
}

bool gr_clock_stop(const gr_clock *clock, double *seconds, wb_error *err) {
    float milliseconds = 0;
    if (!gr_cuda_ok(cuda.cudaEventRecord(clock->end, cuda.stream), "no event", err) ||
        !gr_program_wait(err) ||
        !gr_cuda_ok(cuda.cudaEventElapsedTime(&milliseconds, clock->begin, clock->end), "no time",
                    err))
        return false;
    *seconds = milliseconds * 1e-3;
    return true;
}

void gr_clock_close(gr_clock *clock) {
    if (clock->flush)
        cuda.cudaFree(clock->flush);
    if (clock->library)
        cuda.cudaLibraryUnload(clock->library);
    *clock = (gr_clock){.flush = NULL};
}
