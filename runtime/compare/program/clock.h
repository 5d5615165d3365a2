/* clock.h: times a launch.
 *
 * On a GPU it first fills the L2 cache with other data, even if an earlier kernel marked lines to
 * stay, so that a time does not depend on earlier work. A waiting kernel holds the stream until
 * event, launch, event are queued, so that launch gaps do not count. A launcher that waits for the
 * device is timed by the host's clock. So is softgpu, where a launch is CPU work. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct launch_clock {
    bool soft;
    cudaStream_t stream; /* the default stream, which a user's code uses */
    cudaEvent_t begin, end;
    float *flush; /* twice the L2 size, and the place of its sum */
    size_t flush_elements;
    unsigned long long *gate; /* host memory for the waiting kernel: go, cycles, ns */
    double sm_hz;             /* multiprocessor clock while waiting, last measured; 0: unknown */
} launch_clock;

cudaError_t clock_open(launch_clock *clock, bool soft, size_t l2_bytes);
void clock_close(launch_clock *clock);

/* Times one call of launch(ctx, stream). waits: the launcher waits for the device. Returns the
 * error of the launch, of earlier work, or of the clock's own calls. */
cudaError_t clock_time(launch_clock *clock, cudaError_t (*launch)(void *ctx, cudaStream_t stream),
                       void *ctx, bool waits, double *seconds);

#ifdef __cplusplus
}
#endif
