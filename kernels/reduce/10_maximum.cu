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

#include "overlap.h"
#include "slices.cuh"

struct Maximum {
    static __device__ float none() {
        return -INFINITY;
    }
    static __device__ float of(float a, float b) {
        return fmaxf(a, b);
    }
    static __device__ double of(double a, double b) {
        return fmax(a, b);
    }
};

template <typename T>
static __global__ void __launch_bounds__(THREADS, 2)
    maximum(const T *__restrict__ in, T *parts, sliced of) {
    const T result = thread_result<Maximum>(in, of);
    overlap_next();
    block_result<Maximum>(result, parts + blockIdx.x);
}

/* Computes *out from parts[0..n) in one block. */
template <typename T>
static __global__ void __launch_bounds__(THREADS) finish(const T *parts, T *out, unsigned n) {
    overlap_wait();
    T result = Maximum::none();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < n; i += THREADS)
        result = Maximum::of(result, parts[i]);
    block_result<Maximum>(result, out);
}

template <typename T>
static cudaError_t launch(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    /* data that one block can have in flight is one slice: a second launch would take longer */
    const sliced of = cut(in, n, AT_ONCE * THREADS);
    maximum<<<(unsigned)of.blocks, THREADS, 0, stream>>>(in, of.blocks > 1 ? work : out, of);
    if (of.blocks > 1)
        launch_overlapped(finish<T>, 1, THREADS, stream, (const T *)work, out, (unsigned)of.blocks);
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
