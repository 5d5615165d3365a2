/* out[i] = in[i * stride]: what gaps between the lanes cost.
 *
 * What it teaches: a warp's loads spread over 128 * stride bytes. The sectors grow with the stride
 * until, from 8 floats (32 bytes) on, each lane has a sector of its own; then their
 * number grows no further.
 *
 * Predicted for 2^26 floats on an H200 by sectors: 0.67 of the aligned pace (2,692 GB/s wanted)
 * with stride 2, 0.22 with 8 and more. Measured: 0.90, 0.37 with 8, 0.17 with 32. Aligned, the
 * kernel waits for too few bytes in flight, so stride 2 has some to spare; with 8, 36 bytes moved
 * an element are 4.4 TB/s, all there is; and with 32 as many sectors take
 * twice as long, as if memory handed out 64 bytes at a time, of which nobody wants the other half.
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
