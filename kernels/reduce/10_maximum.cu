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

#include "overlapped.cuh"

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

extern "C" cudaError_t wbk_reduce_maximum_f32(const float *in, float *out, float *work, size_t n,
                                              cudaStream_t stream) {
    return launch_slices<Maximum>(maximum<float>, in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_maximum_f64(const double *in, double *out, double *work, size_t n,
                                              cudaStream_t stream) {
    return launch_slices<Maximum>(maximum<double>, in, out, work, n, stream);
}
