/* out[i] = in[i * stride]: the cost of gaps between lanes.
 *
 * The idea: a warp's loads cover 128 * stride bytes. The sectors grow with the stride up to 8
 * floats (32 bytes). From there on each lane has its own sector, and the number stays.
 *
 * Predicted for 2^26 floats on an H200, by sectors: 0.67 of the aligned rate (2,692 GB/s wanted) at
 * stride 2, 0.22 at 8 and more. Measured: 0.90, 0.37 at 8, 0.17 at 32. The aligned kernel has too
 * few bytes in flight, so stride 2 costs little. At 8, 36 bytes moved per element are 4.4 TB/s, the
 * memory's limit. At 32 the same sectors take twice as long, as if memory moved 64 bytes at a time.
 *
 * Sectors/request: load min(4 * stride, 32), store 4. Bytes wanted over bytes moved: stride 2: 256
 * / 384 = 67 %; 8 and more: 256 / 1152 = 22 %. */
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
