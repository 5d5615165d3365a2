/* Sum of an array, with the second launch hidden behind the first.
 *
 * The idea: a launch that follows another costs one or two microseconds, because the first grid
 * must end before the second starts. At 2^20 elements, 4 MB, that is a quarter of the time. From
 * compute capability 9.0 on, the second kernel may start early and wait on the device for the first
 * one's results (overlap.h). No memory must be zero before, and no counter remains from the last
 * call. So calls on several streams do not disturb each other. The order of additions, and so every
 * bit of the sum, is the same at each call.
 *
 * The loop is that of 8_slices. Predicted: a microsecond less at every size. Measured on an H200
 * (us, 8_slices before): 2^20 7.30 -> 5.95, 2^22 10.4 -> 9.0, 2^24 20.8 -> 19.6; GB/s beside CUB:
 * 2^20 705 (580), 2^24 3432 (3187), 10^8 4394 (4296), 2^30 4667 (4646).
 *
 * Up to 4096 vectors, 64 KB, one block has all of them in flight at once, and there is no second
 * launch. Predicted by the model of an H200 (us): 3000 floats 6.9 -> 4.5, 16384 6.9 -> 5.0.
 *
 * Sectors/request: load 16 (512 bytes a warp, all used). */
#include <stdint.h>

#include "overlap.h"
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

template <typename T> static __device__ void block_sum(T value, T *out) {
    __shared__ T warps[WARPS];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = warp_sum(threadIdx.x < WARPS ? warps[threadIdx.x] : (T)0);
        if (threadIdx.x == 0)
            *out = value;
    }
}

/* Block 0 also takes in[0..head) and the last elements. The n_vectors between them are aligned. */
template <typename T>
static __global__ void __launch_bounds__(THREADS, 2)
    overlap(const T *__restrict__ in, T *sums, size_t n, int head, size_t n_vectors, size_t slice) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T);
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

    overlap_next();
    block_sum(part[0], sums + blockIdx.x);
}

/* Computes *out = sums[0] + ... + sums[n - 1] in one block. */
template <typename T>
static __global__ void __launch_bounds__(THREADS) finish(const T *sums, T *out, unsigned n) {
    overlap_wait();
    T sum = 0;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < n; i += THREADS)
        sum += sums[i];
    block_sum(sum, out);
}

template <typename T> static int head_of(const T *in, size_t n) {
    size_t head = (16 - (uintptr_t)in % 16) % 16 / sizeof(T);
    return (int)(head < n ? head : n);
}

/* Returns the slice size: as many turns of two slices per SM as needed to stay below the largest
 * slice. All turns are full, and a slice has at least one vector per thread. Data that one block
 * can have in flight is one slice, because a second launch would take longer. */
static size_t slice_for(size_t n_vectors) {
    if (n_vectors <= AT_ONCE * THREADS)
        return AT_ONCE * THREADS;
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
    overlap<<<(unsigned)blocks, THREADS, 0, stream>>>(in, blocks > 1 ? work : out, n, head,
                                                      n_vectors, slice);
    if (blocks > 1)
        launch_overlapped(finish<T>, 1, THREADS, stream, (const T *)work, out, (unsigned)blocks);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_reduce_overlap_f32(const float *in, float *out, float *work, size_t n,
                                              cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_overlap_f64(const double *in, double *out, double *work, size_t n,
                                              cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}
