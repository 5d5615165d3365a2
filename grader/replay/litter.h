/* litter.h: sets the content of shared memory before a kernel runs. */
#pragma once

#include "grader/replay/cuda.h"

/* The kernel that fills shared memory. All zero: not needed. */
typedef struct gr_litter {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned blocks, bytes; /* a block for each multiprocessor, with all its shared memory */
} gr_litter;

/* Loads the kernel. Does nothing on softgpu, which detects uninitialised reads. */
bool gr_litter_open(gr_litter *litter, wb_error *err);
/* Fills all shared memory of the device with poison, on the stream. Otherwise a kernel that reads
 * before it writes may be right by chance, because a GPU often leaves zeros there. */
bool gr_litter_start(const gr_litter *litter, wb_error *err);
