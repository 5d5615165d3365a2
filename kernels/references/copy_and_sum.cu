/* cudaMemcpy and CUB's reductions as references. */
#include <cub/device/device_reduce.cuh>

#include "references.h"
#include "warpbook.h"

template <typename T>
static cudaError_t copy(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    return cudaMemcpyAsync(out, in, (size_t)rows * cols * sizeof(T), cudaMemcpyDeviceToDevice,
                           stream);
}

cudaError_t wbk_reference_memcpy_f32(const float *in, float *out, int rows, int cols,
                                     cudaStream_t stream) {
    return copy(in, out, rows, cols, stream);
}

cudaError_t wbk_reference_memcpy_f64(const double *in, double *out, int rows, int cols,
                                     cudaStream_t stream) {
    return copy(in, out, rows, cols, stream);
}

template <typename T>
static cudaError_t sum(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    size_t bytes = 0;
    cudaError_t status = cub::DeviceReduce::Sum(nullptr, bytes, in, out, n, stream);
    if (status != cudaSuccess)
        return status;
    if (bytes > WBK_REDUCE_WORK(n) * sizeof(T))
        return cudaErrorInvalidValue;
    return cub::DeviceReduce::Sum(work, bytes, in, out, n, stream);
}

cudaError_t wbk_reference_cub_f32(const float *in, float *out, float *work, size_t n,
                                  cudaStream_t stream) {
    return sum(in, out, work, n, stream);
}

cudaError_t wbk_reference_cub_f64(const double *in, double *out, double *work, size_t n,
                                  cudaStream_t stream) {
    return sum(in, out, work, n, stream);
}

template <typename T>
static cudaError_t maximum(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    size_t bytes = 0;
    cudaError_t status = cub::DeviceReduce::Max(nullptr, bytes, in, out, n, stream);
    if (status != cudaSuccess)
        return status;
    if (bytes > WBK_REDUCE_WORK(n) * sizeof(T))
        return cudaErrorInvalidValue;
    return cub::DeviceReduce::Max(work, bytes, in, out, n, stream);
}

cudaError_t wbk_reference_cub_maximum_f32(const float *in, float *out, float *work, size_t n,
                                          cudaStream_t stream) {
    return maximum(in, out, work, n, stream);
}

cudaError_t wbk_reference_cub_maximum_f64(const double *in, double *out, double *work, size_t n,
                                          cudaStream_t stream) {
    return maximum(in, out, work, n, stream);
}
