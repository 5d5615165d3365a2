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
#include "overlapped.cuh"

template <typename T>
static __global__ void __launch_bounds__(THREADS, 2)
    overlap(const T *__restrict__ in, T *sums, sliced of) {
    const T result = thread_result<Sum>(in, of);
    overlap_next();
    block_result<Sum>(result, sums + blockIdx.x);
}

extern "C" cudaError_t wbk_reduce_overlap_f32(const float *in, float *out, float *work, size_t n,
                                              cudaStream_t stream) {
    return launch_slices<Sum>(overlap<float>, in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_overlap_f64(const double *in, double *out, double *work, size_t n,
                                              cudaStream_t stream) {
    return launch_slices<Sum>(overlap<double>, in, out, work, n, stream);
}
