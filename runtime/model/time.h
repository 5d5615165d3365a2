/* time.h: computes the time of a launch on a GPU from what it does. */
#pragma once

#include "runtime/model/occupancy.h"

/* The work of all blocks of a launch, from softgpu's trace. See sg_traits in
 * runtime/softgpu/engine.h. */
typedef struct model_traits {
    double blocks, warps; /* blocks in the grid; warps in a block */
    double issued;        /* warp instructions as the GPU issues them */
    double fp32, half, integer, multiply, special, fp64; /* by pipe */
    double memory;                                       /* loads, stores, shuffles, atomics */
    double tensor;              /* operations of tensor cores, at the rate of half precision */
    double l1_clocks;           /* L1 clocks (look-ups, bank passes) of all but l1_requests */
    double l1_requests;         /* requests that need only one look-up and one pass */
    double shared_wavefronts;   /* passes over the banks of shared memory */
    double l2_reads, l2_writes; /* sectors of 32 bytes */
    double l2_partial_writes;   /* one for each line of l2_writes that a request writes in parts */
    double dram_sectors;        /* read and written */
    double dirty_sectors;       /* written, and still in L2 at the end */
    double busiest_address;     /* atomic operations on one address, in units of a float's time */
    double busiest_queue;       /* passes of atomic operations through L2's busiest queue */
    double atomic_passes;       /* passes through all queues */
    double atomic_meets; /* operations that wait for another of their warp, in the same units */
    double atomic_words; /* operations, one for each lane */
    double answered_passes, answered_words; /* those whose old values are returned */
    double atomic_fills;    /* sectors that L2 fetches from memory for atomic operations */
    double constant_words;  /* further words of constant memory that a request's lanes want */
    double chain;           /* clocks of one block's dependent instructions */
    double longest_chain;   /* of the block with the longest */
    double last_end;        /* the last block's end if blocks wait for one another; else 0 */
    double longest_share;   /* the largest block's part of all instructions */
    double prints, printed; /* printf() calls by warps; by lanes */
    double longest_prints;  /* calls by the warp with the most */
} model_traits;

/* The limits on a launch's speed. */
typedef enum model_bound {
    MODEL_ISSUE,   /* the schedulers, or an arithmetic pipe */
    MODEL_TENSOR,  /* tensor cores */
    MODEL_L1,      /* L1 and shared memory */
    MODEL_L2,      /* bandwidth of L2 */
    MODEL_DRAM,    /* bandwidth of memory */
    MODEL_ATOMICS, /* one address that all wait for */
    MODEL_PRINT,   /* the buffer of printf() */
    MODEL_BLOCKS,  /* waits for other blocks: locks, flags, barriers of the grid */
    MODEL_LATENCY, /* chains of dependent instructions, and block starts */
    MODEL_LAUNCH,  /* the fixed cost of a launch */
    MODEL_BOUNDS
} model_bound;

typedef struct model_time {
    double seconds, low, high;   /* as measured by events around it */
    double limits[MODEL_BOUNDS]; /* seconds, if this were the only limit */
    model_bound bound;           /* the greatest limit */
    bool shared;                 /* most of MODEL_L1 is shared memory */
} model_time;

/* The share of the time that depends on a part of the work, such as a source line. */
typedef struct model_share {
    double all;                  /* share of the time */
    double limits[MODEL_BOUNDS]; /* share due to each limit; they add up to `all` */
} model_share;

/* Constants that no data sheet and no single measurement gives, fitted on ladders of kernels. */
typedef struct model_fit {
    double norm; /* how limits combine: 1 adds them, a large value takes the greatest */
    /* The start and end of a block: its placement, its threads' registers, its last stores. */
    double block_clocks, warp_clocks; /* per warp */
    double request_clocks;            /* L1 clocks for one of l1_requests */
    double dirty_share;               /* share of the dirty sectors that memory has at the end */
} model_fit;

extern const model_fit model_fitted;

/* The cost of a launch that follows another, instead of gpu->launch_s: it overlaps with the
 * previous kernel. */
#define MODEL_NEXT_LAUNCH_S 1.5e-6
/* The cost of a kernel behind another kernel of its graph (tests/gpu/graphs.cu). On an H100 that is
 * 1.1 us less than in a stream. */
#define MODEL_GRAPH_LAUNCH_S 0.4e-6

/* Returns the clocks that a block of `warps` warps occupies its place beyond their work (see
 * model_fit). */
double model_block_clocks(double warps);

/* Requires traits->blocks >= 1. */
model_time model_time_of(const model_gpu *gpu, const model_traits *traits,
                         const model_occupancy *occupancy);

/* Does the same with other constants than model_fitted, for fitting. If blocks wait for one
 * another, traits->last_end still depends on model_fitted. */
model_time model_time_with(const model_fit *fit, const model_gpu *gpu, const model_traits *traits,
                           const model_occupancy *occupancy);

/* `part` holds some of the sums in traits; its other figures are 0. Its share is the rate at which
 * the time falls when the part shrinks, taken for the whole part. Limits that are near each other
 * count by their weight in the time. Shares of parts add up. The rest of 1 belongs to the launch
 * itself and to the start and end of blocks. */
model_share model_share_of(const model_gpu *gpu, const model_traits *traits,
                           const model_traits *part, const model_occupancy *occupancy);

/* Returns "issue", "tensor cores", "L1 and shared memory", "L2", "memory", "atomics", "printf",
 * "other blocks", "latency" or "launch". */
const char *model_bound_name(model_bound bound);

/* Returns the reason for the launch's speed, without a full stop. `lanes` is the average number of
 * active lanes of a warp, or 0 if unknown. The caller frees the result. */
char *model_reason(const model_time *time, double lanes);
/* Returns one sentence: the reason and the next limit. The caller frees the result. */
char *model_sentence(const model_time *time, double lanes);
