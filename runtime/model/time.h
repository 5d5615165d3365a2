/* time.h: from what a launch does to the time that it takes on a GPU. */
#ifndef WARPBOOK_MODEL_TIME_H
#define WARPBOOK_MODEL_TIME_H

#include "runtime/model/occupancy.h"

/* What a launch does, all of its blocks together; from softgpu's trace (runtime/softgpu/engine.h,
 * sg_traits, says how each is counted). */
typedef struct model_traits {
    double blocks, warps; /* of the grid; of a block */
    double issued;        /* instructions of warps, as a GPU has them */
    double fp32, half, integer, multiply, special, fp64; /* of those, by pipe */
    double memory;                                       /* ... loads, stores, shuffles, atomics */
    double tensor;              /* operations of tensor cores, at the rate of half precision */
    double l1_clocks;           /* of requests to memory in L1, one after the other, but for */
    double l1_requests;         /* ... those that need a single look-up and a single pass */
    double shared_wavefronts;   /* passes over shared memory's banks */
    double l2_reads, l2_writes; /* sectors of 32 bytes */
    double l2_partial_writes;   /* of l2_writes: one for each line that a request writes in parts */
    double dram_sectors;        /* read from memory and written to it */
    double dirty_sectors;       /* left in L2 to be written */
    double busiest_address; /* atomic operations on one address: as many of floats take that long */
    double busiest_queue;   /* passes of atomic operations through one of L2's queues, */
    double atomic_passes;   /* and through all */
    double atomic_meets;    /* operations that wait for another of their warp, as busiest_address */
    double atomic_words;    /* ... one for each lane */
    double answered_passes, answered_words; /* of those: their old values go back */
    double atomic_fills;   /* sectors that come from memory for atomic operations */
    double constant_words; /* of constant memory that lanes want beside another lane's */
    double chain;          /* clocks of a block that is alone: of its dependent instructions */
    double longest_chain;  /* of the block that takes the most of them */
    double last_end; /* where blocks wait for one another: the clock at which the last one ends;
                        else 0 */
    double longest_share;   /* of all instructions: those of the block with the most */
    double prints, printed; /* calls of printf() by warps, and by their lanes */
    double longest_prints;  /* ... by the warp that has the most */
} model_traits;

/* What may bound a launch. */
typedef enum model_bound {
    MODEL_ISSUE,   /* instructions: the schedulers, or a pipe of arithmetic */
    MODEL_TENSOR,  /* tensor cores */
    MODEL_L1,      /* L1 and shared memory */
    MODEL_L2,      /* L2's bandwidth */
    MODEL_DRAM,    /* the memory's */
    MODEL_ATOMICS, /* one address that all wait for */
    MODEL_PRINT,   /* printf(): one buffer that all who print wait for */
    MODEL_BLOCKS,  /* other blocks: locks, flags, barriers of the grid */
    MODEL_LATENCY, /* chains of dependent instructions, and blocks that start */
    MODEL_LAUNCH,  /* what any launch costs */
    MODEL_BOUNDS
} model_bound;

typedef struct model_time {
    double seconds, low, high;   /* as events around it would tell */
    double limits[MODEL_BOUNDS]; /* seconds that each would take if it were all */
    model_bound bound;           /* the greatest of them */
    bool shared;                 /* most of MODEL_L1 is shared memory's */
} model_time;

/* A part of a launch's work (a source line's, say) and what the time has to do with it. */
typedef struct model_share {
    double all;                  /* of the time: this much */
    double limits[MODEL_BOUNDS]; /* ... because of each limit; `all` is their sum */
} model_share;

/* What no data sheet and no measurement by itself says, fitted on ladders of kernels. */
typedef struct model_fit {
    double norm; /* how limits are put together: 1 would be their sum, much the greatest alone */
    /* A block begins and ends: it is placed, its threads' registers are set, its stores leave. */
    double block_clocks, warp_clocks; /* ... and for each of its warps */
    double request_clocks;            /* of L1, for one of l1_requests */
    double dirty_share; /* of what is written and in L2 at the end, what memory has by then */
} model_fit;

extern const model_fit model_fitted;

/* What a launch costs that follows another, in place of gpu->launch_s: the GPU hears of it while
 * the one before still runs. */
#define MODEL_NEXT_LAUNCH_S 1.5e-6
/* ... and one that a graph launches behind another of its kernels. An H100's empty kernels, a
 * thousand in a row, take 1.86 us each in a stream and 0.78 in a graph; with 1056 blocks, a
 * hundred, 2.44 and 1.23: 1.1 us less (tests/gpu/graphs.cu). */
#define MODEL_GRAPH_LAUNCH_S 0.4e-6

/* Clocks for which a block of so many warps has its place beside what its warps do: it is placed,
 * its threads' registers are set, its stores leave. */
double model_block_clocks(double warps);

/* traits->blocks is at least 1. */
model_time model_time_of(const model_gpu *gpu, const model_traits *traits,
                         const model_occupancy *occupancy);

/* ... with other constants than model_fitted: for who fits them anew. Where blocks wait for one
 * another, traits->last_end was made with those. */
model_time model_time_with(const model_fit *fit, const model_gpu *gpu, const model_traits *traits,
                           const model_occupancy *occupancy);

/* `part`: some of the sums that traits holds, its other figures 0. Its share is what the time falls
 * by if there is a little less of the part, taken for all of it: limits that are near each other
 * count by how much they weigh in the time. Shares of parts add up, and what is then missing to 1
 * has nothing to do with the work: the launch itself, blocks that begin and end. */
model_share model_share_of(const model_gpu *gpu, const model_traits *traits,
                           const model_traits *part, const model_occupancy *occupancy);

/* "issue", "tensor cores", "L1 and shared memory", "L2", "memory", "atomics", "printf", "other
 * blocks", "latency", "launch" */
const char *model_bound_name(model_bound bound);

/* Says what holds the launch up, without a full stop. `lanes` is the average number of active lanes
 * of a warp, or 0 if it is not known. The caller frees the result. */
char *model_reason(const model_time *time, double lanes);
/* One sentence, the reason and the limit that is next. The caller frees it. */
char *model_sentence(const model_time *time, double lanes);

#endif
