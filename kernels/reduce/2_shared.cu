/* Sum of an array, the tree in shared memory; the blocks' sums are summed on the device too.
 *
 * What it teaches: only the first access needs global memory. A block brings its 256 elements into
 * shared memory, 30 times nearer, and halves them there. The half that adds is always threads
 * 0..half-1, so whole warps fall idle rather than every second lane of each.
 *
 * Predicted for 2^30 floats on an H200: the traffic is gone, the steps are not. An SM holds 2048
 * threads, 8 KB on their way from DRAM, and a block lives for the load and eight barriers, 1 us:
 * 132 SMs read 1.1 TB/s at most. Measured: 875 -> 947 GB/s; 2^24 801 -> 841. (1_global's tree was
 * never far either: a block's 1 KB stays in the L1 cache.)
 *
 * Sectors/request: load 4.  Shared wavefronts/request: 1. */
#include "warpbook.h"

constexpr int THREADS = 256;

template <typename T> static __global__ void shared(const T *in, T *sums, size_t n) {
    __shared__ T part[THREADS];
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

template <typename T>
static cudaError_t launch(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    if (n / THREADS >= 0x7fffffff)
        return cudaErrorInvalidValue;
    while (n > THREADS) { /* each pass leaves a 256th */
        size_t blocks = (n - 1) / THREADS + 1;
        shared<<<(unsigned)blocks, THREADS, 0, stream>>>(in, work, n);
        in = work;
        work += blocks;
        n = blocks;
    }
    shared<<<1, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_reduce_shared_f32(const float *in, float *out, float *work, size_t n,
                                             cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_shared_f64(const double *in, double *out, double *work, size_t n,
                                             cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}
