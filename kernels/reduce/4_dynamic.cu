/* Sum of an array with shared memory sized at launch.
 *
 * The idea: extern __shared__ takes its size from the third launch argument, so one kernel supports
 * every block size. Each thread loads two elements and adds them at once, so that no thread only
 * loads.
 *
 * Predicted for 2^30 floats on an H200: twice the bytes in flight, and one more barrier for four
 * times as many elements: up to twice 2_shared. Measured: 947 -> 1,444 GB/s; 2^24 841 -> 1,188,
 * 2^20 333 -> 421.
 *
 * Sectors/request: load 4. Shared wavefronts/request: 1. */
#include "warpbook.h"

template <typename T> static __global__ void dynamic(const T *in, T *sums, size_t n) {
    extern __shared__ __align__(8) unsigned char bytes[]; /* one name for float and double */
    T *part = (T *)bytes;
    size_t i = (size_t)blockIdx.x * 2 * blockDim.x + threadIdx.x;
    part[threadIdx.x] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

template <typename T>
static cudaError_t launch(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    size_t threads = 512, blocks = n ? (n - 1) / (2 * threads) + 1 : 1;
    if (blocks > 0x7fffffff)
        return cudaErrorInvalidValue;
    while (blocks > 1) {
        dynamic<<<(unsigned)blocks, (unsigned)threads, threads * sizeof(T), stream>>>(in, work, n);
        in = work;
        work += blocks;
        n = blocks;
        blocks = (n - 1) / (2 * threads) + 1;
    }
    while (threads > 32 && threads >= n) /* the last block needs at most half of n */
        threads /= 2;
    dynamic<<<1, (unsigned)threads, threads * sizeof(T), stream>>>(in, out, n);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_reduce_dynamic_f32(const float *in, float *out, float *work, size_t n,
                                              cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_dynamic_f64(const double *in, double *out, double *work, size_t n,
                                              cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}
