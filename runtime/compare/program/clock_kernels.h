/* clock_kernels.h: what the clock runs on the device. Both are put on the stream and return the
 * error of that alone, not one that an earlier call left behind. */
#ifndef WARPBOOK_COMPARE_CLOCK_KERNELS_H
#define WARPBOOK_COMPARE_CLOCK_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads data[0..n); *out is where the sum would go. */
cudaError_t clock_read_all(const float *data, size_t n, float *out, cudaStream_t stream);

/* Holds the stream until gate[0] is set, in host memory that the device sees; after two
 * milliseconds it goes on by itself, so that a launcher that waits for the device (or allocates,
 * which waits too) only loses time. Leaves in gate[1] the cycles and in gate[2] the nanoseconds it
 * took. */
cudaError_t clock_hold(unsigned long long *gate, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
