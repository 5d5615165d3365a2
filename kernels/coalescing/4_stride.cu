/* out[i] = in[i * stride]: what gaps between the lanes cost.
 *
 * What it teaches: a warp's loads spread over 128 * stride bytes. The sectors grow with the stride
 * until, from 8 floats (32 bytes) on, each lane has a sector of its own; then it gets no worse.
 *
 * Sectors/request: load min(4 * stride, 32), store 4.
 * Bytes wanted over bytes moved: stride 2: 256 / 384 = 67 %; 8 and more: 256 / 1152 = 22 %. */
#include "warpbook.h"

static __global__ void access_strided(const float *in, float *out, size_t n, int stride) {
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (i < n)
        out[i] = in[i * stride];
}

extern "C" cudaError_t wbk_access_strided_f32(const float *in, float *out, size_t n, int stride,
                                              cudaStream_t stream) {
    const unsigned threads = 256;
    size_t blocks = (n + threads - 1) / threads;
    if (stride < 1 || blocks > 0x7fffffff)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    access_strided<<<(unsigned)blocks, threads, 0, stream>>>(in, out, n, stride);
    return cudaGetLastError();
}
