/* clock.h: times device work that begins with a cold L2. */
#pragma once

#include "grader/replay/cuda.h"

typedef struct gr_clock {
    cudaEvent_t begin, end;
    cudaLibrary_t library;
    cudaKernel_t reader;
    void *flush; /* holds zeros, and nothing writes it again */
    size_t flush_bytes;
} gr_clock;

bool gr_clock_open(gr_clock *clock, wb_error *err);
/* Resets persisting L2 lines, fills the L2 with other data by reading, and records the begin event.
 * Work that is put onto the stream afterwards is timed. */
bool gr_clock_start(const gr_clock *clock, wb_error *err);
/* Waits for the timed work and returns its seconds. */
bool gr_clock_stop(const gr_clock *clock, double *seconds, wb_error *err);
void gr_clock_close(gr_clock *clock);
