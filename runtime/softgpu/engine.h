/* engine.h: the machine that runs PTX. The drop-in libcudart is written on top of it, and nothing
 * else is. All entry points are thread-safe unless they say otherwise.
 *
 * The machine has one flat address space, the process's own: a device pointer is a host pointer to
 * memory made by sg_mem_alloc, and the engine checks every access of a kernel against the table of
 * such ranges. Shared and local memory are seen by generic addresses as windows of the same space.
 */
#ifndef SOFTGPU_ENGINE_H
#define SOFTGPU_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A failure: `code` is a cudaError_t value; text says what, where and what to do. */
typedef struct sg_error {
    int code;
    char text[1200];
} sg_error;

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
bool sg_mem_register(void *base, size_t bytes, sg_mem_kind kind); /* memory someone else owns */
bool sg_mem_free(void *base); /* false: not the start of a live range */
bool sg_mem_find(const void *address, sg_mem_range *range); /* the live range that holds it */
bool sg_mem_find_freed(const void *address,
                       sg_mem_range *range); /* a recently freed one (use after free) */
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
    /* Of a launch alone, 0 for a line: atomic operations on the global address with the most; the
     * clocks that the longest block needs at least on a multiprocessor of the model, with one
     * instruction of a warp in each */
    uint64_t busiest_address, longest_block;
} sg_counters;

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
    char text[1200]; /* the whole sentence: what, where, which allocation and how far beyond it,
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
    unsigned options; /* enum sg_option */
    /* out */
    sg_counters counters;
    sg_line_counters *lines; /* malloc'd, n_lines; the caller frees */
    uint32_t n_lines;
    sg_fault fault; /* code 0: none */
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
