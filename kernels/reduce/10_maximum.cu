/* The greatest element of an array.
 *
 * The idea: a reduction is a loop and a tree around any associative operation. Only the operation
 * and its initial value change. A maximum is easier than a sum: it does not round, so any order
 * gives the same bits.
 *
 * NaN follows fmax and IEEE 754's maximumNumber: NaN elements are ignored. If no element counts (n
 * = 0, all NaN), the result is -infinity. +0 is greater than -0.
 *
 * Loop and launches are those of 9_overlap. Predicted: as fast as the sum. Measured on an H200
 * (GB/s, CUB in brackets): 2^20 679 (577), 2^24 3427 (3173), 2^30 4666 (4641).
 *
 * Sectors/request: load 16 (512 bytes a warp, all used). */
#include <math.h>
#include <stdint.h>

#include "overlap.h"
#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int THREADS = 512, WARPS = THREADS / 32, AT_ONCE = 8;
constexpr size_t LARGEST_SLICE = 32768; /* vectors of 16 bytes */

static __device__ float greater(float a, float b) {
    return fmaxf(a, b);
}

static __device__ double greater(double a, double b) {
    return fmax(a, b);
}

static __device__ float greatest_of(float4 v) {
    return greater(greater(v.x, v.y), greater(v.z, v.w));
}

static __device__ double greatest_of(double2 v) {
    return greater(v.x, v.y);
}

template <typename T> static __device__ T warp_maximum(T value) {
    for (int step = 16; step > 0; step /= 2)
        value = greater(value, __shfl_down_sync(0xffffffff, value, step));
    return value;
}

template <typename T> static __device__ void block_maximum(T value, T *out) {
    __shared__ T warps[WARPS];
    value = warp_maximum(value);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = warp_maximum(threadIdx.x < WARPS ? warps[threadIdx.x] : (T)-INFINITY);
        if (threadIdx.x == 0)
            *out = value;
    }
}

/* Block 0 also takes in[0..head) and the last elements. The n_vectors between them are aligned. */
template <typename T>
static __global__ void __launch_bounds__(THREADS, 2)
    maximum(const T *__restrict__ in, T *parts, size_t n, int head, size_t n_vectors,
            size_t slice) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T);
    const Vec *vectors = (const Vec *)(in + head);
    size_t i = blockIdx.x * slice + threadIdx.x, end = (blockIdx.x + 1) * slice;
    end = end < n_vectors ? end : n_vectors;
    T part[AT_ONCE];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        part[j] = -INFINITY;
    for (; i + (AT_ONCE - 1) * THREADS < end; i += AT_ONCE * THREADS) {
        Vec v[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            v[j] = vectors[i + j * THREADS];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            part[j] = greater(part[j], greatest_of(v[j]));
    }
    if (i < end) { /* the last turn also has its loads in flight together */
        Vec v[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) /* repeats the first element if there is none */
            v[j] = vectors[i + j * THREADS < end ? i + j * THREADS : i];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            part[j] = greater(part[j], greatest_of(v[j]));
    }
    size_t rest = head + n_vectors * V; /* fewer than V elements from here on */
    if (blockIdx.x == 0 && threadIdx.x < head)
        part[0] = greater(part[0], in[threadIdx.x]);
    if (blockIdx.x == 0 && rest + threadIdx.x < n)
        part[1] = greater(part[1], in[rest + threadIdx.x]);
#pragma unroll
    for (int step = 1; step < AT_ONCE; step *= 2)
#pragma unroll
        for (int j = 0; j < AT_ONCE; j += 2 * step)
            part[j] = greater(part[j], part[j + step]);

    overlap_next();
    block_maximum(part[0], parts + blockIdx.x);
}

/* Computes *out, the greatest of parts[0..n), in one block. */
template <typename T>
static __global__ void __launch_bounds__(THREADS) finish(const T *parts, T *out, unsigned n) {
    overlap_wait();
    T most = -INFINITY;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < n; i += THREADS)
        most = greater(most, parts[i]);
    block_maximum(most, out);
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
    maximum<<<(unsigned)blocks, THREADS, 0, stream>>>(in, blocks > 1 ? work : out, n, head,
                                                      n_vectors, slice);
    if (blocks > 1)
        launch_overlapped(finish<T>, 1, THREADS, stream, (const T *)work, out, (unsigned)blocks);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_reduce_maximum_f32(const float *in, float *out, float *work, size_t n,
                                              cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_maximum_f64(const double *in, double *out, double *work, size_t n,
                                              cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}
