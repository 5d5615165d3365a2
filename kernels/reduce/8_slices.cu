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
#include "slices.cuh"

template <typename T>
static __global__ void __launch_bounds__(THREADS, 2)
    slices(const T *__restrict__ in, T *sums, sliced of) {
    block_result<Sum>(thread_result<Sum>(in, of), sums + blockIdx.x);
}

template <typename T>
static cudaError_t launch(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    const sliced of = cut(in, n, THREADS);
    slices<<<(unsigned)of.blocks, THREADS, 0, stream>>>(in, of.blocks > 1 ? work : out, of);
    if (of.blocks > 1)
        slices<<<1, THREADS, 0, stream>>>(work, out, cut(work, of.blocks, of.blocks));
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
