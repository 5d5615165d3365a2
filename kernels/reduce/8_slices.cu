/* Sum of an array, with eight loads in flight per thread and a slice of memory per block.
 *
 * The idea: the bytes in flight are loads per thread times threads, and few threads with many loads
 * are better. Two blocks of 512 threads per SM with eight 16-byte loads have as many bytes in
 * flight as 7_vector's four blocks with four, but half the threads to start and end. A block that
 * reads its own slice does not need to keep pace with others. From 512 KB per slice on there are
 * more slices than places, so a faster SM takes another.
 *
 * Predicted: no gain at 2^20, where the launches dominate; up to the read limit, 4.6 TB/s, at 2^30.
 * Measured on an H200 (GB/s, 7_vector before): 2^20 544 -> 575, 2^24 3144 -> 3221, 10^8 4296 ->
 * 4352, 2^30 4608 -> 4688; CUB 580, 3187, 4296, 4646.
 *
 * Sectors/request: load 16 (512 bytes a warp, all used). */
#include <stdint.h>

#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int THREADS = 512, WARPS = THREADS / 32, AT_ONCE = 8;
constexpr size_t LARGEST_SLICE = 32768; /* vectors of 16 bytes */

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

/* Block 0 also takes in[0..head) and the last elements. The n_vectors between them are aligned. */
template <typename T>
static __global__ void __launch_bounds__(THREADS, 2)
    slices(const T *__restrict__ in, T *sums, size_t n, int head, size_t n_vectors, size_t slice) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T);
    __shared__ T warps[WARPS];
    const Vec *vectors = (const Vec *)(in + head);
    size_t i = blockIdx.x * slice + threadIdx.x, end = (blockIdx.x + 1) * slice;
    end = end < n_vectors ? end : n_vectors;
    T part[AT_ONCE] = {};
    for (; i + (AT_ONCE - 1) * THREADS < end; i += AT_ONCE * THREADS) {
        Vec v[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            v[j] = vectors[i + j * THREADS];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            part[j] += sum_of(v[j]);
    }
    if (i < end) { /* the last turn also has its loads in flight together */
        Vec v[AT_ONCE] = {};
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (i + j * THREADS < end)
                v[j] = vectors[i + j * THREADS];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            part[j] += sum_of(v[j]);
    }
    size_t rest = head + n_vectors * V; /* fewer than V elements from here on */
    if (blockIdx.x == 0 && threadIdx.x < head)
        part[0] += in[threadIdx.x];
    if (blockIdx.x == 0 && rest + threadIdx.x < n)
        part[1] += in[rest + threadIdx.x];
#pragma unroll
    for (int step = 1; step < AT_ONCE; step *= 2)
#pragma unroll
        for (int j = 0; j < AT_ONCE; j += 2 * step)
            part[j] += part[j + step];

    T sum = warp_sum(part[0]);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < WARPS ? warps[threadIdx.x] : (T)0);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}

template <typename T> static int head_of(const T *in, size_t n) {
    size_t head = (16 - (uintptr_t)in % 16) % 16 / sizeof(T);
    return (int)(head < n ? head : n);
}

/* Returns the slice size: as many turns of two slices per SM as needed to stay below the largest
 * slice. All turns are full, and a slice has at least one vector per thread. */
static size_t slice_for(size_t n_vectors) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    size_t places = 2 * (size_t)processors, turns = n_vectors / (places * LARGEST_SLICE) + 1;
    size_t slice = (n_vectors + places * turns - 1) / (places * turns);
    slice = (slice + 31) / 32 * 32; /* so that each starts on a 128-byte line if the first does */
    return slice > THREADS ? slice : THREADS;
}

template <typename T>
static cudaError_t launch(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    constexpr int V = 16 / sizeof(T);
    int head = head_of(in, n);
    size_t n_vectors = (n - head) / V, slice = slice_for(n_vectors);
    size_t blocks = n_vectors ? (n_vectors + slice - 1) / slice : 1;
    slices<<<(unsigned)blocks, THREADS, 0, stream>>>(in, blocks > 1 ? work : out, n, head,
                                                     n_vectors, slice);
    if (blocks > 1) {
        head = head_of(work, blocks);
        slices<<<1, THREADS, 0, stream>>>(work, out, blocks, head, (blocks - head) / V, blocks);
    }
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_reduce_slices_f32(const float *in, float *out, float *work, size_t n,
                                             cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_slices_f64(const double *in, double *out, double *work, size_t n,
                                             cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}
