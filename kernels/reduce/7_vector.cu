/* Sum of an array at the read limit.
 *
 * The idea: a load takes long, so many must be in flight: 4.8 TB/s times 0.7 us is 3.4 MB. Each
 * thread loads 16 bytes at a time, four times before it adds any, into four separate sums. So
 * neither loads nor additions wait for each other. Elements before the first 16-byte boundary and
 * after the last whole vector are loaded one by one.
 *
 * Predicted for 2^30 floats on an H200: the read limit. Measured: 2,627 -> 4,510 GB/s (CUB 4,545);
 * 2^24 1,995 -> 3,135, 2^20 463 -> 500.
 *
 * Sectors/request: load 16 (512 bytes a warp, all used). */
#include <stdint.h>

#include "launch.h"
#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int THREADS = 512, WARPS = THREADS / 32, AT_ONCE = 4, MOST_BLOCKS = 4096;

static __device__ float sum_of(float4 v) {
    return (v.x + v.y) + (v.z + v.w);
}

static __device__ double sum_of(double2 v) {
    return v.x + v.y;
}

template <typename T> static __device__ T warp_sum(T value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

/* in[0..head) and the last elements are loaded one by one. The n_vectors between them are
 * aligned. */
template <typename T>
static __global__ void __launch_bounds__(THREADS)
    vector(const T *__restrict__ in, T *sums, size_t n, int head, size_t n_vectors) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T);
    __shared__ T warps[WARPS];
    const Vec *vectors = (const Vec *)(in + head);
    size_t thread = (size_t)blockIdx.x * THREADS + threadIdx.x;
    size_t threads = (size_t)gridDim.x * THREADS, i = thread;
    T part[AT_ONCE] = {};
    for (; i + (AT_ONCE - 1) * threads < n_vectors; i += AT_ONCE * threads) {
        Vec v[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            v[j] = vectors[i + j * threads];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            part[j] += sum_of(v[j]);
    }
    for (; i < n_vectors; i += threads)
        part[0] += sum_of(vectors[i]);
    size_t rest = head + n_vectors * V; /* fewer than V elements from here on */
    if (thread < (size_t)head)
        part[1] += in[thread];
    if (rest + thread < n)
        part[2] += in[rest + thread];

    T sum = warp_sum((part[0] + part[1]) + (part[2] + part[3]));
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < WARPS ? warps[threadIdx.x] : (T)0);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}

template <typename T>
static void launch_pass(const T *in, T *sums, size_t n, size_t blocks, cudaStream_t stream) {
    size_t head = (16 - (uintptr_t)in % 16) % 16 / sizeof(T);
    if (head > n)
        head = n;
    vector<<<(unsigned)blocks, THREADS, 0, stream>>>(in, sums, n, (int)head,
                                                     (n - head) / (16 / sizeof(T)));
}

template <typename T>
static cudaError_t launch(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    size_t vectors = n / (16 / sizeof(T));
    size_t blocks = vectors / (THREADS * AT_ONCE) + 1, fit = blocks_at_once(vector<T>, THREADS);
    if (fit < 1 || fit > MOST_BLOCKS)
        fit = MOST_BLOCKS;
    if (blocks > fit)
        blocks = fit;
    if (blocks > 1) {
        launch_pass(in, work, n, blocks, stream);
        in = work;
        n = blocks;
    }
    launch_pass(in, out, n, 1, stream);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_reduce_vector_f32(const float *in, float *out, float *work, size_t n,
                                             cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_vector_f64(const double *in, double *out, double *work, size_t n,
                                             cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}
