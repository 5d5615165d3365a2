/* engine.h: the machine that runs PTX. The drop-in libcudart is written on top of it, and nothing
 * else is. All entry points are thread-safe unless they say otherwise.
 *
 * The machine has one flat address space, the process's own: a device pointer is a host pointer to
 * memory made by sg_mem_alloc, and the engine checks every access of a kernel against the table of
 * such ranges. Shared and local memory are seen by generic addresses as windows of the same space.
 */
#ifndef SOFTGPU_ENGINE_H
#define SOFTGPU_ENGINE_H

#include "runtime/base/base.h"

/* A failure: `code` is a cudaError_t value; text says what, where and what to do. */
typedef wb_error sg_error;

/* ---- memory (mem.c) ----------------------------------------------------------------------- */

typedef enum sg_mem_kind {
    SG_MEM_DEVICE,  /* cudaMalloc */
    SG_MEM_MANAGED, /* cudaMallocManaged, __managed__ */
    SG_MEM_HOST,    /* cudaMallocHost, cudaHostAlloc, cudaHostRegister: kernels may touch it too */
    SG_MEM_SYMBOL,  /* __device__ variables of a loaded module */
    SG_MEM_CONSTANT /* __constant__ variables: kernels must not write */
} sg_mem_kind;

typedef struct sg_mem_range {
    void *base;
    size_t bytes; /* as asked for; an access at base + bytes is out of bounds */
    sg_mem_kind kind;
    uint64_t serial; /* rises with every allocation */
    char name[64];   /* the variable's name, or "" */
} sg_mem_range;

/* 256-byte aligned, zero bytes is a valid size; guard bytes follow. NULL and *err
 * (cudaErrorMemoryAllocation) when it does not fit. The content of fresh memory is undefined. */
void *sg_mem_alloc(size_t bytes, sg_mem_kind kind, const char *name, sg_error *err);
/* Gives the live range that begins at base a name, as sg_mem_alloc() does: of memory that someone
 * else owns. */
void sg_mem_name(const void *base, const char *name);
bool sg_mem_register(void *base, size_t bytes, sg_mem_kind kind); /* memory someone else owns */
bool sg_mem_free(void *base); /* false: not the start of a live range */
bool sg_mem_find(const void *address, sg_mem_range *range); /* the live range that holds it */
bool sg_mem_find_freed(const void *address,
                       sg_mem_range *range); /* a recently freed one (use after free) */
/* Says whether new allocations are watched for reads of what nothing wrote. Before the first call
 * $WARPBOOK_SOFTGPU_INITCHECK says it. */
void sg_set_initcheck(bool on);
void sg_mem_usage(size_t *used, size_t *total);
/* The host has written there (copies, sets): SG_INITCHECK counts it as initialised. */
void sg_mem_written(const void *address, size_t bytes);

/* ---- modules (module.c) ------------------------------------------------------------------- */

typedef struct sg_module sg_module;
typedef struct sg_kernel sg_kernel;

typedef struct sg_kernel_info {
    const char *name; /* mangled */
    uint32_t n_params;
    const uint32_t *param_offsets, *param_sizes;
    uint32_t param_bytes;
    size_t static_shared;               /* bytes */
    size_t constant_bytes, local_bytes; /* a thread's local memory */
    uint32_t registers;                 /* an estimate, 1..255 */
    uint32_t max_threads;               /* 1024, or less where .maxntid says so */
    uint32_t ptx_target;
} sg_kernel_info;

/* Parses and places the module's variables. Kernels are lowered at their first use, so a module
 * may hold kernels that use what the machine lacks as long as they are not launched. */
sg_module *sg_module_load(const char *ptx, size_t len, sg_error *err);
void sg_module_unload(sg_module *module);
sg_kernel *sg_module_kernel(sg_module *module, const char *name, sg_error *err);
bool sg_kernel_describe(sg_kernel *kernel, sg_kernel_info *info, sg_error *err);
void *sg_module_symbol(sg_module *module, const char *name,
                       size_t *bytes); /* NULL: none of that name */

/* ---- launching (launch.c) ----------------------------------------------------------------- */

enum sg_option {
    SG_COUNT = 1,     /* fill the counters */
    SG_RACECHECK = 2, /* report unordered accesses to shared and global memory; on one thread */
    SG_INITCHECK = 4, /* report reads of device memory nothing wrote */
    SG_LINES = 8,     /* counters for each source line too */
    SG_TRACE = 16,    /* fill the traits (launch->gpu says of which GPU); without SG_COUNT, counters
                         of memory are those of the blocks that were looked at */
    SG_SAMPLE = 32,   /* ... from some blocks, where the others do the same: those are not run */
    SG_SHARES = 64,   /* ... and what of them is each source line's */
    SG_SOME = 128,    /* races, and reads of shared memory that nothing wrote, in some blocks only;
                         all run */
    SG_RECORD = 256,  /* keep what launch->wish asks for (recorded.h); counts lines, too */
    SG_EARLY = 512, /* alone or with SG_RACECHECK: say on stderr where a thread reads shared memory
                       that one which had ended before a barrier should have written */
};

/* The GPU that counts are related to, an H200: so many multiprocessors, each of which begins an
 * instruction of so many warps in a clock. */
enum { SG_MODEL_SMS = 132, SG_MODEL_ISSUE = 4, SG_MODEL_WARPS = SG_MODEL_SMS * SG_MODEL_ISSUE };

/* The clocks that a launch takes at least there: as long as its longest block, and no less than all
 * of its instructions on all multiprocessors. Both are counters of the report. */
static inline double sg_model_clocks(double warp_instructions, double longest_block) {
    double all = warp_instructions / SG_MODEL_WARPS;
    return longest_block > all ? longest_block : all;
}

/* Exact counts of one launch. A request is one warp-wide instruction with at least one active
 * lane; a sector is 32 aligned bytes; a wavefront is one pass over the 32 banks of shared memory.
 */
typedef struct sg_counters {
    uint64_t blocks, warps, threads;
    uint64_t warp_instructions, lane_instructions; /* PTX instructions, not SASS */
    uint64_t branches, divergent_branches;
    uint64_t global_load_requests, global_load_sectors,
        global_load_bytes; /* bytes: wanted by the lanes */
    uint64_t global_store_requests, global_store_sectors, global_store_bytes;
    uint64_t global_load_used, global_store_used; /* ... each byte once a request */
    uint64_t global_atomic_requests, global_atomic_sectors;
    uint64_t shared_load_requests, shared_load_wavefronts;
    uint64_t shared_store_requests, shared_store_wavefronts;
    uint64_t shared_atomic_requests, shared_atomic_wavefronts;
    uint64_t local_load_requests, local_store_requests;
    uint64_t barriers;
    uint64_t flops_f32, flops_f64, flops_other; /* fma counts 2 for each active lane */
    /* Operations: one for each active lane. Passes: of a request as many as lanes meet at one
     * address, where they meet the most */
    uint64_t global_atomic_operations, global_atomic_passes;
    uint64_t prints, printed; /* calls of printf() by warps, and by their lanes */
    /* Of a launch alone, 0 for a line: atomic operations on the global address with the most; the
     * clocks that the longest block needs at least on a multiprocessor of the model, with one
     * instruction of a warp in each; calls of printf() by the warp with the most */
    uint64_t busiest_address, longest_block, longest_prints;
} sg_counters;

/* What a traced launch is to know of the GPU whose time is asked for. */
enum sg_latency {
    SG_LATENCY_NONE, /* no instruction of the GPU's */
    SG_LATENCY_ALU,
    SG_LATENCY_SPECIAL,
    SG_LATENCY_FP64,
    SG_LATENCY_TENSOR,
    SG_LATENCY_SHUFFLE,
    SG_LATENCY_BARRIER,
    SG_LATENCY_SHARED,
    SG_LATENCY_SHARED_ATOMIC,
    SG_LATENCY_L1,
    SG_LATENCY_L2,
    SG_LATENCY_DRAM,
    SG_LATENCY_ATOMIC,
    SG_LATENCY_FENCE, /* of the device's scope */
    SG_LATENCIES
};
typedef struct sg_gpu {
    uint32_t latency[SG_LATENCIES]; /* clocks; L2: of what is found there, DRAM: of what is not */
    size_t l1_bytes;                /* what one block may have of it */
    size_t l2_bytes;
    double l1_lines_per_clock;   /* that it looks up */
    double l2_sectors_per_clock; /* that a multiprocessor gets from it */
    double constant_clocks;      /* of a word of constant memory that some lanes want, others not */
    double clocks_per_ns;
    double block_clocks;       /* that a block's place is taken beside what its warps do */
    double block_apart_clocks; /* from the start of one block to that of the next */
    double atomic_pass_clocks; /* that an atomic operation keeps one of L2's queues */
    uint32_t seen_clocks;      /* after a store began a load that begins then finds its value */
    uint64_t seed;        /* chooses the blocks that are looked at closely; 0: always the same */
    uint64_t resident;    /* blocks of the launch that run at once; 0: all */
    uint64_t blocks_each; /* that one multiprocessor runs in all; 0: one */
} sg_gpu;

/* Where a warp's instructions are executed. */
enum sg_pipe {
    SG_PIPE_FMA,     /* fp32 sums and products */
    SG_PIPE_HALF,    /* of halves, one or two a lane */
    SG_PIPE_ALU,     /* integers, logic, comparisons, minima */
    SG_PIPE_IMAD,    /* products of integers */
    SG_PIPE_SPECIAL, /* roots, powers, sines, reciprocals, wide conversions */
    SG_PIPE_FP64,
    SG_PIPE_TENSOR, /* in floating-point operations of half precision, not in instructions */
    SG_PIPE_MEMORY, /* loads, stores, shuffles, atomics: the instructions */
    SG_PIPES
};

/* How atomic operations queue at an address in global memory. */
enum sg_queue {
    SG_QUEUE_WARP, /* sums and the like of integers, at an address that is the same for all lanes by
                      construction: compilers put those of a warp together */
    SG_QUEUE_INTEGER, /* each lane by itself */
    SG_QUEUE_FLOAT
};

/* What the time of a launch on a GPU follows from, for the whole grid; estimated from the blocks
 * that were traced where there are more of them. */
typedef struct sg_traits {
    uint64_t blocks, traced; /* blocks of the grid; those looked at closely */
    uint64_t ran;            /* SG_SAMPLE: maybe not all */
    uint32_t warps;          /* of a block */
    bool waits;              /* its blocks may wait for one another */
    const char *unknown;     /* why no time follows from all this; NULL: it does */
    double issued;           /* instructions of warps, as a GPU has them */
    double lanes;            /* of 32 that were on, on the average of instructions; 0: not known */
    double pipes[SG_PIPES];
    double l1_clocks;   /* of requests to memory: lines looked up, or passes over its banks, */
    double l1_requests; /* but for requests that need one of either alone: so many */
    double shared_wavefronts; /* passes over the banks */
    double shared_together;   /* of those that were counted, where ptxas puts requests together */
    double constant_words;    /* of constant memory that lanes want beside another lane's */
    double l2_joined;         /* sectors that stores asked for, less l2_writes: see traffic.c */
    double l2_partial_writes; /* of l2_writes: one for each line that a request writes in parts */
    double l2_reads, l2_writes, l2_atomics; /* sectors that L1 asks L2 for, or sends there */
    double dram_reads, dram_writes;         /* sectors; every cache is empty when it begins */
    double dirty;                           /* sectors that stay in L2, written */
    double busiest_address;                 /* atomic operations on one address */
    enum sg_queue queue;                    /* of the slowest of them */
    double atomic_lanes;                    /* of a request, on average */
    double busiest_queue;               /* passes of atomic operations through one of L2's queues */
    double atomic_passes, atomic_words; /* passes in all; operations, one for each lane */
    double answered_passes, answered_words; /* of those: whose old values go back */
    double atomic_fills;         /* sectors that come to L2 from memory for an atomic operation */
    double atomic_meets;         /* operations that wait for another of their own warp */
    double chain, longest_chain; /* clocks of a block that is alone: mean, longest */
    double last_end;             /* where blocks wait for each other: the clock at which the
                                    last one ends; else 0 */
    double repeats;              /* of a place in the code by a warp: mean over what it ran */
    double prints, printed, longest_prints; /* calls of printf() by warps, by lanes; by the warp
                                               that has the most */
    double longest_share, longest_issue;    /* of the block with the most instructions: its part of
                                               all, and the clocks that it needs for them at least */
} sg_traits;

/* What a warp waits for that waits. */
enum sg_wait {
    SG_WAIT_TURN, /* others of its scheduler: nothing holds it up but their number */
    SG_WAIT_ARITHMETIC,
    SG_WAIT_LOAD,   /* from memory, through L1, copies to shared memory too */
    SG_WAIT_SHARED, /* shared memory */
    SG_WAIT_ATOMIC,
    SG_WAIT_BARRIER, /* the barrier itself; not for those who come late */
    SG_WAIT_SLEEP,
    SG_WAIT_BLOCK, /* for what another block has not written yet */
    SG_WAITS
};

/* SG_SHARES: what of the launch's traits is a source line's, by what its instructions did in the
 * blocks that were looked at. What has no line is in none of them. */
typedef struct sg_line_traits {
    const char *file;
    uint32_t line;
    bool elsewhere;         /* in another file than the kernel: a header's, inlined */
    sg_traits part;         /* sums alone: issued, pipes, ..., chain */
    double waits[SG_WAITS]; /* of part.chain: clocks */
} sg_line_traits;

typedef struct sg_line_counters { /* SG_LINES: one for each source line that accessed memory or ran
                                   */
    const char *file;
    uint32_t line;
    sg_counters counters;
} sg_line_counters;

/* The first fault of a launch. */
typedef struct sg_fault {
    int code;         /* cudaErrorIllegalAddress, cudaErrorMisalignedAddress, cudaErrorAssert,
                         cudaErrorLaunchTimeout (watchdog), cudaErrorLaunchFailure, ... */
    const char *kind; /* "out-of-bounds write", "race", "misaligned read", "assert", "trap",
                         "deadlock", ... */
    char kernel[256]; /* demangled */
    const char *file;
    uint32_t line; /* 0 when the code was built without line information */
    uint32_t block[3], thread[3];
    uint64_t address;
    uint32_t access_bytes;
    size_t allocation; /* bytes of the one that the address lies in or beside; 0: of none */
    char text[1200];   /* the whole sentence: what, where, which allocation and how far beyond it,
                        what to check */
} sg_fault;

/* Threads that had ended when others of their block met at a barrier of all, where it happened
 * first. No fault: a barrier does not wait for them. */
typedef struct sg_gone {
    uint32_t threads, of; /* threads 0: it did not happen */
    uint32_t block[3];
    const char *file;
    uint32_t barrier; /* lines; 0: not known */
    uint32_t left;    /* where they left, if there is one place before the barrier */
} sg_gone;

typedef struct sg_launch {
    sg_kernel *kernel;
    uint32_t grid[3], block[3], cluster[3];
    size_t dynamic_shared;
    const void *params; /* the packed parameter block, param_bytes long */
    bool cooperative;
    unsigned options;  /* enum sg_option */
    const sg_gpu *gpu; /* SG_TRACE */
    uint64_t seed;     /* SG_SOME: chooses the blocks */
    double patience;   /* SG_SAMPLE: seconds that all blocks may take where there is no sample */
    const struct sg_wish *wish; /* SG_RECORD */
    /* out */
    sg_counters counters;
    sg_traits traits;        /* SG_TRACE */
    sg_line_counters *lines; /* malloc'd, n_lines; the caller frees */
    uint32_t n_lines;
    sg_line_traits *shares; /* SG_SHARES: likewise, n_shares */
    uint32_t n_shares;
    struct sg_recorded *recorded; /* SG_RECORD, or NULL: the caller's (sg_recorded_free) */
    sg_fault fault;               /* code 0: none */
    sg_gone gone;
    double seconds; /* the CPU's time, wall clock */
} sg_launch;

/* Checks the configuration, runs the whole grid, returns when it has ended. Returns 0 or a
 * cudaError_t; err says why a launch was refused (bad configuration, unsupported construct); a
 * fault while it ran is in launch->fault, and its code is returned. */
int sg_launch_run(sg_launch *launch, sg_error *err);

/* Asks every running launch to stop soon with cudaErrorLaunchFailure and the fault "interrupted".
 * Async-signal-safe. */
void sg_interrupt(void);

#endif
