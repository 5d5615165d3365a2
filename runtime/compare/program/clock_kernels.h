/* clock_kernels.h: the clock's device code. Both functions enqueue on the stream and return only
 * their own error, not that of an earlier call. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads data[0..n). The compiler can't remove the sum to *out. */
cudaError_t clock_read_all(const float *data, size_t n, float *out, cudaStream_t stream);

/* Holds the stream until gate[0] in mapped host memory is set, at most two milliseconds, so that a
 * launcher that waits for the device only loses time. Leaves in gate[1] the cycles and in gate[2]
 * the nanoseconds that it took. */
cudaError_t clock_hold(unsigned long long *gate, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
