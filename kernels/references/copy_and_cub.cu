/* cudaMemcpy and CUB's reductions, prefix sums and histogram as references. */
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "references.h"
#include "warpbook.h"

template <typename T>
static cudaError_t copy(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    return cudaMemcpyAsync(out, in, (size_t)rows * cols * sizeof(T), cudaMemcpyDeviceToDevice,
                           stream);
}

WBK_REFERENCE_MATRIX(memcpy_f32, float) {
    return copy(in, out, rows, cols, stream);
}
WBK_REFERENCE_MATRIX(memcpy_f64, double) {
    return copy(in, out, rows, cols, stream);
}

/* Asks call(nullptr, bytes) how much memory it needs, then calls it with `work` of `room` bytes. */
template <typename F> static cudaError_t with_memory(void *work, size_t room, F call) {
    size_t bytes = 0;
    cudaError_t status = call(nullptr, bytes);
    if (status != cudaSuccess)
        return status;
    return bytes > room ? cudaErrorInvalidValue : call(work, bytes);
}

template <typename T>
static cudaError_t sum(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    return with_memory(work, WBK_REDUCE_WORK(n) * sizeof(T), [=](void *memory, size_t &bytes) {
        return cub::DeviceReduce::Sum(memory, bytes, in, out, n, stream);
    });
}

WBK_REFERENCE_ARRAY(cub_f32, float) {
    return sum(in, out, work, n, stream);
}
WBK_REFERENCE_ARRAY(cub_f64, double) {
    return sum(in, out, work, n, stream);
}

template <typename T>
static cudaError_t maximum(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    return with_memory(work, WBK_REDUCE_WORK(n) * sizeof(T), [=](void *memory, size_t &bytes) {
        return cub::DeviceReduce::Max(memory, bytes, in, out, n, stream);
    });
}

WBK_REFERENCE_ARRAY(cub_maximum_f32, float) {
    return maximum(in, out, work, n, stream);
}
WBK_REFERENCE_ARRAY(cub_maximum_f64, double) {
    return maximum(in, out, work, n, stream);
}

WBK_REFERENCE_ARRAY(cub_scan_f32, float) {
    return with_memory(work, WBK_SCAN_WORK(n) * sizeof(float), [=](void *memory, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, in, out, n, stream);
    });
}

cudaError_t wbk_reference_cub_histogram_u8(const unsigned char *in, int *bins, void *work, size_t n,
                                           cudaStream_t stream) {
    if (n > 0x7fffffff)
        return cudaErrorInvalidValue;
    return with_memory(work, (size_t)4 << 20, [=](void *memory, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(memory, bytes, in, bins, 257, 0, 256, (int)n,
                                                   stream);
    });
}
