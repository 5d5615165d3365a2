/* engine.h: the machine that runs PTX. Only the drop-in libcudart is built on it. All entry points
 * are thread-safe unless they say otherwise.
 *
 * The machine uses the process's own flat address space: a device pointer is a host pointer to
 * memory from sg_mem_alloc(). The engine checks every access of a kernel against the table of these
 * ranges. Generic addresses reach shared and local memory as windows of the same space.
 */
#pragma once

#include "runtime/base/base.h"

/* An error: `code` is a cudaError_t value. The text says what happened, where, and what to do. */
typedef wb_error sg_error;

/* ---- memory (mem.c) ----------------------------------------------------------------------- */

typedef enum sg_mem_kind {
    SG_MEM_DEVICE,  /* cudaMalloc */
    SG_MEM_HEAP,    /* malloc in a kernel */
    SG_MEM_MANAGED, /* cudaMallocManaged, __managed__ */
    SG_MEM_HOST,    /* cudaMallocHost, cudaHostAlloc, cudaHostRegister: kernels may touch it too */
    SG_MEM_SYMBOL,  /* __device__ variables of a loaded module */
    SG_MEM_CONSTANT /* __constant__ variables: kernels must not write */
} sg_mem_kind;

typedef struct sg_mem_range {
    void *base;
    size_t bytes; /* the requested size: an access at base + bytes is out of bounds */
    sg_mem_kind kind;
    uint64_t serial; /* increases with every allocation */
    char name[64];   /* the variable's name, or "" */
} sg_mem_range;

/* Returns memory aligned to 512 bytes, with guard bytes behind it. Zero bytes is a valid size.
 * Returns NULL and sets err (cudaErrorMemoryAllocation) if it does not fit. The content is
 * undefined. */
void *sg_mem_alloc(size_t bytes, sg_mem_kind kind, const char *name, sg_error *err);
/* The same for memory of kernels' heap. Returns NULL if the heap would exceed `most` bytes. */
void *sg_mem_heap_alloc(size_t bytes, size_t most);
/* Names the live range that begins at base. For memory that the caller owns. */
void sg_mem_name(const void *base, const char *name);
bool sg_mem_register(void *base, size_t bytes, sg_mem_kind kind); /* the caller owns it */
bool sg_mem_free(void *base); /* Returns false if base does not begin a live range. */
bool sg_mem_find(const void *address, sg_mem_range *range); /* Finds the live range. */
bool sg_mem_find_freed(const void *address,
                       sg_mem_range *range); /* Finds a recently freed range. */
/* Turns on the check of new allocations for reads of unwritten memory. Before the first call,
 * $WARPBOOK_SOFTGPU_INITCHECK decides. */
void sg_set_initcheck(bool on);
void sg_mem_usage(size_t *used, size_t *total);
/* Reports a host write (copy, set), so that SG_INITCHECK treats the bytes as initialised. */
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
    bool launches;                      /* it launches kernels */
    uint32_t max_threads;               /* 1024, or the .maxntid of the kernel if that is less */
    uint32_t ptx_target;
} sg_kernel_info;

/* Parses the PTX and places the module's variables. Each kernel is lowered at its first use. So a
 * module may contain unsupported kernels as long as nobody launches them. */
sg_module *sg_module_load(const char *ptx, size_t len, sg_error *err);
/* Loads another compilation of the source that has the kernel. Variables of both modules that have
 * the same name and size are the kernel's. Unload it first. */
sg_module *sg_module_twin(const char *ptx, size_t len, const sg_kernel *kernel, sg_error *err);
void sg_module_unload(sg_module *module);
sg_kernel *sg_module_kernel(sg_module *module, const char *name, sg_error *err);
bool sg_kernel_describe(sg_kernel *kernel, sg_kernel_info *info, sg_error *err);
void *sg_module_symbol(sg_module *module, const char *name,
                       size_t *bytes); /* NULL if no variable has that name */

/* ---- launching (launch.c) ----------------------------------------------------------------- */

enum sg_option {
    SG_COUNT = 1,     /* fill the counters */
    SG_RACECHECK = 2, /* report unordered accesses to memory; on one thread */
    SG_INITCHECK = 4, /* report reads of device memory that nothing wrote */
    SG_LINES = 8,     /* also fill counters for each source line */
    SG_TRACE = 16,  /* fill the traits for launch->gpu; without SG_COUNT, memory counters cover only
                       the sampled blocks */
    SG_SAMPLE = 32, /* with SG_TRACE: trace some blocks and skip the others if they do the same */
    SG_SHARES = 64, /* with SG_TRACE: divide the traits among source lines */
    SG_SOME = 128, /* check races and unwritten shared memory in some blocks only; all blocks run */
    SG_RECORD = 256, /* record what launch->wish asks for (recorded.h); counts lines too */
    SG_EARLY = 512,  /* alone or with SG_RACECHECK: report on stderr if a thread reads shared memory
                        that a thread which returned before a barrier should have written */
};

/* The GPU that counters refer to, an H200: its multiprocessors, and how many warps each can issue
 * from per clock. */
enum { SG_MODEL_SMS = 132, SG_MODEL_ISSUE = 4, SG_MODEL_WARPS = SG_MODEL_SMS * SG_MODEL_ISSUE };

/* Returns a lower bound for a launch's clocks on that GPU. The bound is the larger of the longest
 * block and all instructions spread over all multiprocessors. Both are counters of the report. */
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
        global_load_bytes; /* bytes that the lanes requested */
    uint64_t global_store_requests, global_store_sectors, global_store_bytes;
    uint64_t global_load_used, global_store_used; /* each byte once per request */
    uint64_t global_atomic_requests, global_atomic_sectors;
    uint64_t shared_load_requests, shared_load_wavefronts;
    uint64_t shared_store_requests, shared_store_wavefronts;
    uint64_t shared_atomic_requests, shared_atomic_wavefronts;
    uint64_t local_load_requests, local_store_requests;
    uint64_t texture_requests, texture_sectors; /* fetches; loads and stores of surfaces */
    uint64_t barriers;
    uint64_t flops_f32, flops_f64, flops_other; /* fma counts 2 for each active lane */
    /* Operations: one for each active lane. Passes: for each request, the largest number of lanes
     * that share one address. */
    uint64_t global_atomic_operations, global_atomic_passes;
    uint64_t prints, printed; /* calls of printf() by warps, and by their lanes */
    /* Set for a launch only, 0 for a line. busiest_address: the most atomic operations on one
     * global address. longest_block: the least clocks that the longest block needs on a
     * multiprocessor of the model. longest_prints: the most printf() calls by one warp. */
    uint64_t busiest_address, longest_block, longest_prints;
} sg_counters;

/* Latencies of a GPU that a traced launch needs. */
enum sg_latency {
    SG_LATENCY_NONE, /* the GPU needs no instruction */
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
    SG_LATENCY_FENCE, /* a fence of device scope */
    SG_LATENCIES
};
typedef struct sg_gpu {
    uint32_t latency[SG_LATENCIES]; /* clocks; L2: for a hit, DRAM: for a miss in L2 */
    size_t l1_bytes;                /* the part that one block may use */
    size_t l2_bytes;
    double l1_lines_per_clock;   /* looked up by each multiprocessor */
    double l2_sectors_per_clock; /* that L2 delivers to one multiprocessor */
    double constant_clocks;      /* for each further word of constant memory that the lanes of one
                                    request want */
    double clocks_per_ns;
    double block_clocks;       /* clocks that a block occupies its place beyond its warps' work */
    double block_apart_clocks; /* from the start of one block to the start of the next */
    double atomic_pass_clocks; /* that an atomic operation occupies one of L2's queues */
    uint32_t seen_clocks; /* from a store's start until a load that starts then sees the value */
    uint64_t seed;        /* chooses the sampled blocks; 0: always the same ones */
    uint64_t resident;    /* blocks of the launch that run at once; 0: all */
    uint64_t blocks_each; /* that one multiprocessor runs in total; 0: one */
} sg_gpu;

/* The pipe that executes an instruction. */
enum sg_pipe {
    SG_PIPE_FMA,     /* fp32 sums and products */
    SG_PIPE_HALF,    /* half-precision arithmetic, one or two values a lane */
    SG_PIPE_ALU,     /* integers, logic, comparisons, minima */
    SG_PIPE_IMAD,    /* integer products */
    SG_PIPE_SPECIAL, /* roots, powers, sines, reciprocals, wide conversions */
    SG_PIPE_FP64,
    SG_PIPE_TENSOR, /* counts floating-point operations in half precision, not instructions */
    SG_PIPE_MEMORY, /* instructions for loads, stores, shuffles and atomics */
    SG_PIPES
};

/* The way in which atomic operations on one global address queue. */
enum sg_queue {
    SG_QUEUE_WARP,    /* integer operations on an address that all lanes share by construction:
                         compilers combine those of a warp */
    SG_QUEUE_INTEGER, /* each lane queues by itself */
    SG_QUEUE_FLOAT
};

/* The reason why a launch has no modelled time. */
enum sg_no_time {
    SG_HAS_TIME,
    SG_DEPENDS,        /* what its blocks do depends on what they read */
    SG_DEPENDS_PARTLY, /* the same, and an earlier launch may have written only a part of that */
    SG_MANY_WAYS,      /* a sample's instructions move from block to block in too many ways */
    SG_PLACELESS,      /* accesses do not follow from a block's place in the grid */
    SG_UNEVEN,         /* blocks of a sample have more or less to do */
    SG_PRINTS_UNEVENLY,
    SG_FEW_LONG_BLOCKS, /* too few for a sample */
    SG_LONG_BLOCK,      /* a block would take more than a second */
    SG_UNSEEN,          /* much of the work is in blocks unlike the traced ones */
    SG_TRIES            /* atomicCAS() is tried again until no other thread has come between */
};

/* The facts of a whole grid from which its time on a GPU follows. If only some blocks were traced,
 * the values are estimated from them. */
typedef struct sg_traits {
    uint64_t blocks, traced; /* blocks of the grid; blocks traced */
    uint64_t ran;            /* blocks that ran; with SG_SAMPLE maybe fewer than all */
    uint32_t warps;          /* in a block */
    bool waits;              /* blocks may wait for one another */
    enum sg_no_time no_time; /* why no time follows, if none does */
    double lanes;            /* average active lanes of an instruction, out of 32; 0: not known */
    double shared_together;  /* shared_wavefronts after ptxas merges requests, as a part of them */
    enum sg_queue queue;     /* the slowest kind among operations on the busiest address */
    double atomic_lanes;     /* average lanes in a request */
    double last_end;         /* the last block's end if blocks wait for each other; else 0 */
    double repeats; /* how often a warp executes one instruction, averaged over all executed */
    double longest_share, longest_issue; /* for the block with the most instructions: its share of
                                            all, and the least clocks to issue them */
    /* Sums, doubles to the end: shares.c divides them among lines. */
    double issued; /* warp instructions as the GPU would issue them */
    double pipes[SG_PIPES];
    double l1_clocks;         /* L1 clocks (look-ups, bank passes) of all but l1_requests */
    double l1_requests;       /* requests that need only one look-up and one pass */
    double shared_wavefronts; /* passes over the banks of shared memory */
    double constant_words;    /* further words of constant memory in requests whose lanes differ */
    double l2_joined;         /* sectors that stores requested, minus l2_writes (traffic.c) */
    double l2_partial_writes; /* one for each line of l2_writes that a request writes in parts */
    double l2_reads, l2_writes, l2_atomics; /* sectors that L1 reads from L2 or sends to it */
    double dram_reads, dram_writes;         /* sectors; all caches are empty at the start */
    double dirty;                           /* written sectors that stay in L2 */
    double busiest_address;                 /* atomic operations on the address with the most */
    double busiest_queue;               /* passes of atomic operations through L2's busiest queue */
    double atomic_passes, atomic_words; /* all passes; all operations, one for each lane */
    double answered_passes, answered_words; /* the part of both whose old values are returned */
    double atomic_fills;         /* sectors that L2 fetches from memory for atomic operations */
    double atomic_meets;         /* operations that wait for another one of their own warp */
    double chain, longest_chain; /* clocks of a block that runs alone: mean, longest */
    double prints, printed, longest_prints; /* by warps; by lanes; the most by one warp */
} sg_traits;

/* The reason why a warp waits. */
enum sg_wait {
    SG_WAIT_TURN, /* its scheduler issues other warps first */
    SG_WAIT_ARITHMETIC,
    SG_WAIT_LOAD,   /* a load through L1, or a copy to shared memory */
    SG_WAIT_SHARED, /* shared memory */
    SG_WAIT_ATOMIC,
    SG_WAIT_BARRIER, /* the barrier itself; the last warps to arrive are not charged */
    SG_WAIT_SLEEP,
    SG_WAIT_BLOCK, /* data that another block has not written yet */
    SG_WAITS
};

/* SG_SHARES: a source line's part of the traits, from what its instructions did in the traced
 * blocks. Work without a line belongs to none. */
typedef struct sg_line_traits {
    const char *file;
    uint32_t line;
    bool elsewhere;         /* in a file other than the kernel's, such as an inlined header */
    sg_traits part;         /* sums only: issued, pipes, ..., chain */
    double waits[SG_WAITS]; /* clocks of part.chain, by cause */
} sg_line_traits;

typedef struct sg_line_counters { /* SG_LINES: a source line that ran */
    const char *file;
    uint32_t line;
    sg_counters counters;
} sg_line_counters;

typedef enum sg_fault_kind {
#define FAULT(kind, name, code, words) SG_FAULT_##kind,
#include "runtime/softgpu/faults.inc"
#undef FAULT
} sg_fault_kind;

/* Returns the kind's stable name, for JSON. */
const char *sg_fault_kind_name(sg_fault_kind kind);

/* The first fault of a launch. */
typedef struct sg_fault {
    int code; /* the kind's cudaError_t; 0: no fault */
    sg_fault_kind kind;
    char kernel[256]; /* demangled */
    const char *file;
    uint32_t line; /* 0 when the code was built without line information */
    uint32_t block[3], thread[3];
    uint64_t address;
    uint32_t access_bytes;
    size_t allocation; /* size of the allocation at or beside the address; 0: none */
    char text[1200];   /* the complete message: what happened, where, the allocation and distance
                          beyond it, what to check */
} sg_fault;

/* The first time that threads had ended when the others of their block met at a full barrier. This
 * is no fault, because a barrier does not wait for ended threads. */
typedef struct sg_gone {
    uint32_t threads, of; /* threads is 0 if it did not happen */
    uint32_t block[3];
    const char *file;
    uint32_t barrier; /* lines; 0: unknown */
    uint32_t left;    /* the line where they returned, if only one is possible */
} sg_gone;

/* A launch in a kernel, or a copy or fill of memory that takes its turn among launches. */
typedef struct sg_child {
    sg_kernel *kernel; /* NULL: a copy or fill */
    void *to;
    const void *from; /* NULL: a fill with `value` */
    size_t bytes;
    int value;
    uint32_t grid[3], block[3];
    size_t shared;
    void *params;
    bool tail; /* starts after the grid's other launches, and what they launch */
    uint64_t from_block;
    uint32_t from_thread, number; /* the thread that launched; orders its launches */
} sg_child;
void sg_children_free(sg_child *children, uint32_t n);

typedef struct sg_launch {
    sg_kernel *kernel;
    uint32_t grid[3], block[3], cluster[3];
    size_t dynamic_shared;
    const void *params; /* packed parameters, param_bytes long */
    bool cooperative;
    size_t heap;                /* bytes that malloc in kernels may take, with earlier launches' */
    unsigned options;           /* enum sg_option */
    const sg_gpu *gpu;          /* SG_TRACE */
    uint64_t seed;              /* SG_SOME: chooses the blocks */
    double patience;            /* SG_SAMPLE: seconds that a launch without a sample may take */
    const struct sg_wish *wish; /* SG_RECORD */
    uint32_t depth;             /* 0: launched by the host; 1: by a kernel that the host launched */
    /* results */
    sg_counters counters;
    sg_traits traits;        /* SG_TRACE */
    sg_line_counters *lines; /* n_lines, malloc'd; the caller frees */
    uint32_t n_lines;
    sg_line_traits *shares; /* SG_SHARES: n_shares, malloc'd; the caller frees */
    uint32_t n_shares;
    struct sg_recorded *recorded; /* SG_RECORD; sg_recorded_free() or NULL */
    sg_fault fault;               /* code 0: none */
    sg_gone gone;
    sg_child *children; /* n_children, in order; sg_children_free(). The caller starts them */
    uint32_t n_children;
    double seconds; /* wall-clock time on the CPU */
} sg_launch;

/* Checks the configuration, runs the whole grid and waits for its end. Returns 0 or a cudaError_t.
 * If the launch is refused (bad configuration, unsupported construct), err says why. If a kernel
 * faults, launch->fault holds the fault, and the function returns its code. */
int sg_launch_run(sg_launch *launch, sg_error *err);

/* Asks every running launch to stop soon with the fault SG_FAULT_INTERRUPTED.
 * Async-signal-safe. */
void sg_interrupt(void);
