/* litter.c: fills shared memory with poison. */
#include "grader/replay/litter.h"
#include "grader/job/input.h"

/* Stores `word` into `bytes` of dynamic shared memory; volatile, because nothing reads it. */
static const char filler[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                             ".extern .shared .align 16 .b8 room[];\n"
                             ".visible .entry litter(.param .u32 bytes, .param .u32 word) {\n"
                             ".reg .pred %p; .reg .b32 %n, %word, %at, %step, %to;\n"
                             "ld.param.u32 %n, [bytes]; ld.param.u32 %word, [word];\n"
                             "mov.u32 %at, %tid.x; shl.b32 %at, %at, 2;\n"
                             "mov.u32 %step, %ntid.x; shl.b32 %step, %step, 2;\n"
                             "next: setp.ge.u32 %p, %at, %n; @%p bra done;\n"
                             "mov.u32 %to, room; add.u32 %to, %to, %at;\n"
                             "st.volatile.shared.u32 [%to], %word;\n"
                             "add.u32 %at, %at, %step; bra next;\n"
                             "done: ret;\n}\n";

bool gr_litter_open(gr_litter *litter, wb_error *err) {
    int bytes = 0, multiprocessors = 0;
    *litter = (gr_litter){.blocks = 0};
    if (cuda.report)
        return true;
    bool ok =
        gr_cuda_ok(cuda.cudaLibraryLoadData(&litter->library, filler, NULL, NULL, 0, NULL, NULL, 0),
                   "what fills shared memory can't be loaded", err) &&
        gr_cuda_ok(cuda.cudaLibraryGetKernel(&litter->kernel, litter->library, "litter"),
                   "what fills shared memory can't be loaded", err) &&
        gr_cuda_ok(cuda.cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
                   "the device can't be asked", err) &&
        gr_cuda_ok(cuda.cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
                   "the device can't be asked", err) &&
        gr_cuda_ok(cuda.cudaFuncSetAttribute((const void *)litter->kernel,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                   "dynamic shared memory can't be set", err);
    litter->bytes = (unsigned)bytes;
    litter->blocks = (unsigned)multiprocessors;
    return ok;
}

bool gr_litter_start(const gr_litter *litter, wb_error *err) {
    enum { THREADS = 256 };
    if (!litter->kernel)
        return true;
    unsigned bytes = litter->bytes, word = GR_POISON;
    cudaLaunchConfig_t config = {.gridDim = {litter->blocks, 1, 1},
                                 .blockDim = {THREADS, 1, 1},
                                 .dynamicSmemBytes = bytes,
                                 .stream = cuda.stream};
    return gr_cuda_ok(
        cuda.cudaLaunchKernelExC(&config, (const void *)litter->kernel, (void *[]){&bytes, &word}),
        "shared memory can't be filled", err);
}
