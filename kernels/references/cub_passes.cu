/* CUB's prefix sums and histogram as references. */
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>

#include "references.h"
#include "warpbook.h"

cudaError_t wbk_reference_cub_scan_f32(const float *in, float *out, float *work, size_t n,
                                       cudaStream_t stream) {
    size_t bytes = 0;
    cudaError_t status = cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n, stream);
    if (status != cudaSuccess)
        return status;
    if (bytes > WBK_SCAN_WORK(n) * sizeof(float))
        return cudaErrorInvalidValue;
    return cub::DeviceScan::InclusiveSum(work, bytes, in, out, n, stream);
}

cudaError_t wbk_reference_cub_histogram_u8(const unsigned char *in, int *bins, void *work, size_t n,
                                           cudaStream_t stream) {
    size_t bytes = 0;
    if (n > 0x7fffffff)
        return cudaErrorInvalidValue;
    cudaError_t status =
        cub::DeviceHistogram::HistogramEven(nullptr, bytes, in, bins, 257, 0, 256, (int)n, stream);
    if (status != cudaSuccess)
        return status;
    if (bytes > (size_t)4 << 20)
        return cudaErrorInvalidValue;
    return cub::DeviceHistogram::HistogramEven(work, bytes, in, bins, 257, 0, 256, (int)n, stream);
}
