/* litter.h: what a multiprocessor's shared memory holds before a kernel runs. */
#ifndef GRADER_REPLAY_LITTER_H
#define GRADER_REPLAY_LITTER_H

#include "grader/replay/cuda.h"

/* The kernel that does it; all zero: none is needed. */
typedef struct gr_litter {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned blocks, bytes; /* one block for each multiprocessor, of all the shared memory it has */
} gr_litter;

/* Looks up what it needs; nothing on softgpu, which sees reads of what nobody wrote. */
bool gr_litter_open(const gr_cuda *cuda, gr_litter *litter, wb_error *err);
/* Puts onto the stream: all shared memory of the device holds poison, so that a kernel which reads
 * what it never wrote is not right by luck (a GPU often leaves zeros there). */
bool gr_litter_start(const gr_cuda *cuda, const gr_litter *litter, wb_error *err);

#endif
