/* clock.h: how long a launch takes.
 *
 * On a GPU: the L2 cache is filled with something else, also where a kernel before marked its lines
 * to stay, so that a time does not depend on what ran before; a waiting kernel holds the stream
 * until everything is queued (so that the time between launches stays out), then event, launch,
 * event. A launcher that itself waits for the device is timed by the host's clock instead.
 * On softgpu: the host's clock, since a launch is the CPU's work. */
#ifndef WARPBOOK_COMPARE_CLOCK_H
#define WARPBOOK_COMPARE_CLOCK_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct launch_clock {
    bool soft;
    cudaStream_t stream; /* the default one: what a user's code launches without naming a stream */
    cudaEvent_t begin, end;
    float *flush; /* twice the L2, and where its sum goes */
    size_t flush_elements;
    unsigned long long *gate; /* host memory the waiting kernel looks at: go, cycles, ns */
    double sm_hz; /* of the multiprocessors while they waited, last measured; 0: unknown */
} launch_clock;

cudaError_t clock_open(launch_clock *clock, bool soft, size_t l2_bytes);
void clock_close(launch_clock *clock);

/* Times one call of launch(ctx, stream). waits: the launcher itself waits for the device. Returns
 * the error of launch, of what it ran, of earlier work, or of the clock's own calls. */
cudaError_t clock_time(launch_clock *clock, cudaError_t (*launch)(void *ctx, cudaStream_t stream),
                       void *ctx, bool waits, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
