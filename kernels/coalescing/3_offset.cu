/* out[i] = in[i + offset]: the cost of misalignment.
 *
 * The idea: memory moves in sectors of 32 aligned bytes, in lines of 128. A warp that starts one
 * float into a sector touches 5 sectors instead of 4. An offset of 8 floats (32 bytes) starts at a
 * sector again: 4 sectors, but in two lines. An offset of 32 floats (128 bytes) costs nothing.
 *
 * Predicted for 2^26 floats on an H200: nine sectors for eight, 0.89 of the aligned rate. Measured:
 * 2,692 GB/s aligned, 2,613 at offset 1 (0.97), 2,615 and 2,645 at offsets 8 and 32. The fifth
 * sector is also the neighbouring warp's first, so the cache has it, and memory moves no more than
 * before. Additional sectors in a request do not always cost time.
 *
 * Sectors/request: load 4 for offsets that are multiples of 8, else 5; store 4. Bytes wanted over
 * bytes moved: 256 / 256 = 100 %; misaligned 256 / 288 = 89 %. */
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
