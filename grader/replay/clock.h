/* clock.h: the device's clock, beginning with a cold L2. */
#ifndef GRADER_REPLAY_CLOCK_H
#define GRADER_REPLAY_CLOCK_H

#include "grader/replay/cuda.h"

typedef struct gr_clock {
    const gr_cuda *cuda;
    cudaEvent_t begin, end;
    cudaLibrary_t library;
    cudaKernel_t reader;
    void *flush; /* holds zeros, which nothing writes again */
    size_t flush_bytes;
} gr_clock;

bool gr_clock_open(const gr_cuda *cuda, gr_clock *clock, wb_error *err);
/* Takes the marks of lines that a kernel had stay in the L2 back, fills it with something else,
 * which is only read, and begins; what is put onto the stream then is timed. */
bool gr_clock_start(const gr_clock *clock, wb_error *err);
/* Waits for it. */
bool gr_clock_stop(const gr_clock *clock, double *seconds, wb_error *err);
void gr_clock_close(gr_clock *clock);

#endif
