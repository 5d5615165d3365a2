/* out[i] = in[i + offset]: what a few bytes of misalignment cost.
 *
 * What it teaches: memory moves in sectors of 32 aligned bytes, in lines of 128. A warp that starts
 * one float into a sector straddles its 128 bytes over 5 sectors in place of 4. An offset of 8
 * floats (32 bytes) starts at a sector again: 4 sectors, though in two lines; an offset of 32
 * floats (128 bytes) is as good as none.
 *
 * Predicted for 2^26 floats on an H200: nine sectors for eight, 0.89 of the aligned pace.
 * Measured: 2,692 GB/s aligned, 2,613 one float on (0.97), 2,615 and 2,645 with offsets of 8 and
 * 32. The fifth sector is the first of the neighbouring warp, so the cache has it and memory moves
 * no more than before: what counts as sectors of a request does not always cost time.
 *
 * Sectors/request: load 4 for offsets that are multiples of 8, else 5; store 4.
 * Bytes wanted over bytes moved: 256 / 256 = 100 %; misaligned 256 / 288 = 89 %. */
#include "warpbook.h"

static __global__ void access_offset(const float *in, float *out, size_t n, int offset) {
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (i < n)
        out[i] = in[i + offset];
}

extern "C" cudaError_t wbk_access_offset_f32(const float *in, float *out, size_t n, int offset,
                                             cudaStream_t stream) {
    const unsigned threads = 256;
    size_t blocks = (n + threads - 1) / threads;
    if (offset < 0 || blocks > 0x7fffffff)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    access_offset<<<(unsigned)blocks, threads, 0, stream>>>(in, out, n, offset);
    return cudaGetLastError();
}
