/* machine.h: what the rooms of the engine share.
 *
 * lower/ turns a kernel into an sg_func: an array of sg_op, each with a handler and the places of
 * its operands. A warp's registers are arrays of 32 lanes in one block of memory. A place is a byte
 * offset from the frame's base `r`. A predicate is a 32-bit mask of lanes in the same memory.
 * Handlers (exec/, compiled once for each instruction set) end by jumping to the next one. A warp
 * is plain data, so launch/ switches blocks and warps by running another one. */
#pragma once

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

#include "runtime/softgpu/engine.h"
#include "runtime/softgpu/ptx/ptx.h"

#define SG_LANES 32
#define SG_ALL 0xffffffffu

/* The cudaError_t values that the engine returns. */
enum {
    SG_OK = 0,
    SG_ERR_INVALID_VALUE = 1,
    SG_ERR_MEMORY = 2,
    SG_ERR_INVALID_FUNCTION = 98,
    SG_ERR_INVALID_PTX = 218,
    SG_ERR_NOT_FOUND = 500,
    SG_ERR_ILLEGAL_ADDRESS = 700,
    SG_ERR_TIMEOUT = 702,
    SG_ERR_ASSERT = 710,
    SG_ERR_ILLEGAL_INSTRUCTION = 715,
    SG_ERR_MISALIGNED = 716,
    SG_ERR_LAUNCH_FAILURE = 719,
    SG_ERR_NOT_SUPPORTED = 801,
};

/* Generic addresses of shared memory, local memory and functions. They are above user space (also
 * with five-level paging). Everything below is the process's own memory. */
#define SG_SHARED_WINDOW 0x0100000000000000ull
#define SG_LOCAL_WINDOW 0x0200000000000000ull
#define SG_FUNCTION_WINDOW 0x0300000000000000ull
#define SG_WINDOW_MASK 0xff00000000000000ull
#define SG_SHARED_MAX (227u * 1024) /* bytes per block, as on an H200 */
/* System shared memory of a block, for cooperative groups (%reserved_smem_offset_*). A GPU has it
 * at offset 0, below the program's. Here it is far above, so an index slightly outside the
 * program's shared memory is out of bounds. */
#define SG_RESERVED_AT 0x40000u
#define SG_RESERVED_BYTES 1024u
#define SG_SITES 16 /* entries of a worker's cache of memory ranges */

typedef struct sg_op sg_op;
typedef struct sg_warp sg_warp;
typedef struct sg_block sg_block;
typedef struct sg_func sg_func;
typedef struct sg_code sg_code;
typedef struct sg_run sg_run;
typedef void sg_handler(const sg_op *ip, sg_warp *w, char *r);

/* One decoded instruction. The handler defines the fields. Usually d is the destination's place, a,
 * b and c are the sources', and imm is an immediate or an address offset. */
struct sg_op {
    sg_handler *fn[2]; /* under a mask; with all 32 lanes active */
    int32_t d, a, b, c;
    union {
        uint64_t imm;
        int64_t offset;
    };
    const void *aux;
    int32_t e, f;
    uint32_t line; /* index of its counters */
    uint8_t site;  /* entry of the range cache */
    uint8_t width; /* bytes a lane accesses */
    uint8_t flags; /* SG_F_* */
    uint8_t mode;  /* rounding mode, or the handler's own */
};

/* A 64-bit register for addresses (lower/affine.c) may hold base + step * lane without its lanes in
 * memory. The record is SG_AFFINE_BYTES before the lanes. All zero is valid.
 */
typedef struct sg_affine {
    uint64_t base, step;
    uint32_t lanewise; /* only the lanes hold the value */
    uint32_t spread;   /* base and step are valid, and the lanes have been filled from them */
} sg_affine;
#define SG_AFFINE_BYTES 64
#define SG_GRID_WORKSPACE 4096

enum {
    SG_F_NEGATE = 1,
    SG_F_COUNT = 2,
    SG_F_WARP_SYNC = 4,
    SG_F_BRIEF = 8,
    SG_F_MASKS = 16,
    SG_F_ALIGNED = 32,  /* a barrier that all lanes of a warp must reach together */
    SG_F_WAITS = 64,    /* an access in a loop by which blocks may wait for each other */
    SG_F_CONSTANT = 128 /* a load by ld.const */
};
enum { SG_RN, SG_RZ, SG_RM, SG_RP };

/* ---- lowered code (lower/) ---------------------------------------------------------------- */

typedef struct sg_const { /* a place of the frame with the same value in all lanes */
    uint32_t place;
    uint32_t bytes; /* of one lane: 4 or 8 */
    uint64_t value;
} sg_const;

/* Returns true for special registers that differ between blocks. */
static inline bool sg_special_per_block(ptx_special kind) {
    return kind >= PTX_CTAID_X && kind <= PTX_CTAID_Z;
}

typedef struct sg_special { /* a place that holds a special register */
    uint32_t place;
    uint32_t bytes;
    ptx_special kind;
} sg_special;

struct sg_func {
    const ptx_function *source;
    sg_code *code;
    sg_op *ops;
    uint32_t n_ops, cap_ops;
    uint32_t first;       /* an entry's first op, behind ops that run once for all blocks */
    uint32_t *insts;      /* for each op, its PTX instruction */
    uint32_t ordinal;     /* number of the first op among all of the code's */
    uint32_t frame_bytes; /* registers, predicates and constants; a multiple of 64 */
    uint32_t local_bytes; /* per thread, without callees; a multiple of 16 */
    uint32_t *param_places, *return_places; /* local offsets; not for entries */
    int32_t *reg_places, *local_places;     /* SG_KEEPS: of source->regs and ->locals; else NULL */
    sg_const *consts;
    uint32_t n_consts;
    sg_special *specials;
    uint32_t n_specials, n_block_specials; /* those that differ between blocks come first */
    void **owned;                          /* aux data */
    uint32_t n_owned;
    char *refused; /* why it cannot run, if it may be called indirectly */
};

typedef struct sg_call {   /* aux of a call */
    const sg_func *callee; /* NULL: indirect; op.a holds the address */
    uint32_t n_args, n_rets;
    struct sg_call_arg {
        int32_t place; /* of a register (>= 0 if is_reg), or the caller's local offset */
        uint32_t bytes;
        bool is_reg;
    } * args, *rets;
} sg_call;

typedef struct sg_vector { /* ld.v2, st.v4, ...: one register per element */
    uint32_t n, bytes;     /* elements; bytes of one */
    bool is_signed;
    int32_t places[8]; /* < 0: `_`, unused */
} sg_vector;

struct sg_code { /* a kernel lowered for one set of options */
    sg_kernel *kernel;
    unsigned options;
    sg_func **funcs; /* by index in the module; NULL: not reachable */
    sg_func *entry;
    struct sg_line {
        const char *file;
        uint32_t line;
    } * lines, *places; /* of counters (SG_LINES); of instructions (SG_TRACE) */
    uint32_t n_lines, n_places;
    bool waits;          /* has loads or atomic operations that may wait for other blocks */
    bool barriers;       /* has mbarriers, or copies that arrive at them */
    bool loops;          /* SG_TRACE: such accesses are in loops that depend on what they read */
    bool in_turn;        /* SG_TRACE: visible accesses happen in turn (waits.h) */
    bool depends;        /* SG_TRACE: addresses or branches depend on values read from memory */
    enum sg_queue queue; /* SG_TRACE: the slowest kind of its atomic operations */
    sg_code *next;
};

/* Further options, not combined with enum sg_option. SG_RECORDS: registers may be affine records
 * (lower/affine.c). SG_TALLY: instructions and accesses are counted, nothing else. */
#define SG_RECORDS 0x80000000u
#define SG_TALLY 0x40000000u
/* Registers keep a place of their own, which holds all lanes; for SG_RECORD_VALUES. */
#define SG_KEEPS 0x20000000u
#define SG_TALLY_SHARED 32 /* bit in sg_warp.accesses where the count for shared memory begins */
void sg_code_free(sg_code *code);
uint32_t sg_code_ops(const sg_code *code); /* of all functions */

/* ---- modules (module.c) ------------------------------------------------------------------- */

typedef struct sg_symbol {
    const ptx_var *var;
    void *address;          /* global and const variables: their memory */
    bool borrowed;          /* another module's */
    uint32_t shared_offset; /* shared variables only */
} sg_symbol;

struct sg_kernel {
    sg_module *module;
    const ptx_function *function;
    sg_kernel_info info;
    bool described;
    /* The shared variables that this kernel reaches. Extern ones are at the end. */
    const ptx_var **shared_vars;
    uint32_t *shared_offsets;
    uint32_t n_shared;
    uint32_t dynamic_offset; /* start of dynamic shared memory */
    bool polls;              /* may poll memory that other threads write */
    bool told_early;         /* an early return has been reported on stderr */
    int early;               /* may threads end before a barrier? 0: unknown; 1: no; 2: yes */
    _Atomic int looks;       /* small launches in which a block was checked for that */
    sg_code *codes;
    pthread_mutex_t lock;
};

struct sg_module {
    ptx_module *ptx;
    uint64_t functions; /* address of its first function; the others follow */
    sg_symbol *symbols; /* parallel to ptx->globals */
    sg_kernel *kernels; /* parallel to ptx->functions; .function is NULL unless it is an entry */
};

uint32_t sg_function_index(const sg_module *module, const ptx_function *function);
const ptx_function *sg_function_defined(const sg_module *module, const ptx_function *f);
const sg_symbol *sg_module_global(const sg_module *module, const ptx_var *var);
/* Sets the kernel's offset of a shared variable. Returns false if the kernel does not reach it. */
bool sg_kernel_shared(const sg_kernel *kernel, const ptx_var *var, uint32_t *offset);

/* ---- memory (mem.c) ----------------------------------------------------------------------- */

typedef struct sg_span { /* a cached range: addresses lo..hi-1 */
    uint64_t lo, hi;
    uint64_t rlo, rhi; /* the same for reads; includes constants, which lo..hi does not */
} sg_span;

/* Finds the live range of an address without a lock. Returns false if there is none. */
bool sg_mem_span(uint64_t address, uint64_t *lo, uint64_t *hi, sg_mem_kind *kind);
void sg_mem_enter(void); /* a launch begins: freed ranges stay mapped until sg_mem_leave() */
void sg_mem_leave(void);
void sg_mem_wrote(uint64_t address, uint64_t bytes); /* SG_INITCHECK */
bool sg_mem_nearest(uint64_t address, sg_mem_range *below, sg_mem_range *above);
bool sg_mem_initialised(uint64_t address, uint64_t bytes);

/* ---- warps and blocks (paths.c, barrier.c; launch/) --------------------------------------- */

#define SG_SLICE 20000 /* backward branches of a warp in one turn */

/* SG_STOP_TURN: before an access that is another block's turn (sg_run.may_go_on). */
enum sg_stop { SG_STOP_NONE, SG_STOP_SWITCH, SG_STOP_SLICE, SG_STOP_TURN };

/* Lanes of a warp that run together. */
typedef struct sg_path {
    const sg_op *ip;
    uint32_t mask;
    int32_t join, frame;
    uint8_t state; /* enum sg_path_state */
    uint8_t barrier;
    uint32_t members; /* SG_PATH_SYNC: lanes to wait for */
} sg_path;

enum sg_path_state { SG_PATH_READY, SG_PATH_BARRIER, SG_PATH_SYNC };

/* A place where diverged lanes reconverge: `members` wait at rpc until all have arrived. */
typedef struct sg_join {
    const sg_op *rpc;
    uint32_t members, arrived;
    int32_t parent, frame;
} sg_join;

typedef struct sg_frame { /* a function's activation */
    const sg_func *func;
    const sg_op *back; /* where the caller continues */
    const sg_call *call;
    int32_t parent;
    uint32_t base;       /* of registers, in bytes */
    uint32_t local_base; /* of local memory, in bytes per lane */
    uint32_t lanes;
} sg_frame;

struct sg_warp {
    int32_t on[SG_LANES] __attribute__((aligned(64))); /* -1 for active lanes; stale when full */
    uint32_t mask;
    uint32_t on_mask;   /* the mask that `on` was made for */
    uint32_t full;      /* 1: mask is SG_ALL */
    uint32_t live;      /* lanes that have not exited */
    uint32_t saved;     /* the mask outside a guard */
    int32_t budget;     /* branches left in the time slice */
    int32_t stop;       /* enum sg_stop */
    const sg_op *rpc;   /* the innermost join of this frame, or NULL */
    const sg_op *ip;    /* where to continue */
    char *r;            /* the frame's base */
    sg_span *spans;     /* the worker's cache */
    sg_counters *count; /* by source line */
    uint64_t issued;    /* instructions in this block's life, if counted */
    uint64_t accesses;  /* accesses in this block's life: memory, shared memory (SG_TALLY_SHARED) */
    char *shared;
    uint32_t shared_bytes;
    uint32_t local_base;
    char *local; /* rows of 32 words: word k of lane i at local + k * 128 + i * 4 */
    uint32_t local_bytes, local_cap; /* per lane */
    const char *params;
    sg_block *block;
    const sg_func *func;
    char *regs;
    uint32_t regs_cap;
    int32_t join, frame;
    uint32_t parked;      /* barrier number + 1 if all of its lanes, in one path, wait there */
    uint32_t index;       /* in the block */
    bool passing;         /* the next .sync instruction need not wait */
    const sg_op *sync_op; /* the instruction that runs for several paths at once, or NULL */
    bool spinning;        /* it read what others may change, since the slice began */
    bool moved;      /* it changed what others can see, since the slice began; a polling warp too */
    uint64_t asked;  /* b->moves when it last stopped at an mbarrier */
    bool yielding;   /* it released lanes early, so paths take turns */
    uint64_t prints; /* calls of printf() in this block's life */
    bool wrote;      /* if counted: it changed more than registers since poll.c last looked */
    struct sg_poll *poll;        /* made at the first counted wait */
    struct sg_trace_warp *trace; /* SG_TRACE, else NULL */
    struct sg_recorder *record;  /* SG_RECORD, for a watched warp; else NULL */
    sg_path paths[SG_LANES];     /* paths that do not run now; the last is next */
    uint32_t n_paths;
    sg_join *joins;
    int32_t n_joins, cap_joins, free_join;
    sg_frame *frames;
    int32_t n_frames, cap_frames, free_frame;
    /* For the race check (race.h): */
    uint32_t epoch;              /* the block's, at the last barrier passed */
    uint64_t released, acquired; /* the launch's clock at its last release and acquire; 0: never */
};

typedef struct sg_barrier {
    uint32_t expected; /* 0: all live threads */
    uint32_t arrived;  /* threads */
    uint32_t votes, popc;
    uint32_t clock; /* trace.c: when the last warp arrived */
    bool used;
} sg_barrier;

struct sg_block {
    sg_run *run;
    struct sg_worker *worker;
    const sg_code *code;
    uint64_t id; /* linear */
    uint32_t pos[3];
    uint32_t threads, n_warps;
    sg_warp *warps;
    char *shared;
    uint8_t *written; /* SG_INITCHECK: 1 for each byte of shared memory written; else NULL */
    struct sg_shadow *shadow;          /* SG_RACECHECK: shadow of shared memory; else NULL */
    uint32_t interval, first_interval; /* race.c's numbers; 0: none */
    uint64_t acquired;                 /* like the warps' */
    sg_barrier barriers[16];
    bool waited; /* a thread has come to one of them */
    uint32_t live_threads;
    uint32_t waiting_paths;
    uint32_t epoch; /* barriers opened */
    bool missed;    /* a barrier opened without threads that had ended */
    sg_warp *turn;  /* the warp that runs, or ran last */
    bool polling;   /* the warps of this round have only polled memory */
    uint64_t moves; /* slices in which a warp did more than poll */
    bool done;
    bool gives_way;      /* lets others go first (poll.c) */
    bool traced;         /* its warps take turns at each backward branch */
    uint32_t *arrived;   /* bulk.c: clocks of barriers, by word of shared memory; or NULL */
    uint32_t copies_end; /* bulk.c: when the last copy has left the copy engine */
    /* For turns by clocks (waits.h): */
    bool queued, forced;   /* it waits for its turn; it continues whoever is first */
    uint32_t slot, begins; /* its place on the GPU, and the clock at which it took it */
    uint32_t turn_clock;   /* the least clock at which one of its warps continues */
    sg_block *next;
    char *print; /* text of device printf, until the block ends or the buffer is full */
    size_t print_len, print_cap;
    double seen; /* time of the first look at the clock; 0: none yet */
};

/* The state of one pool thread while it works on a launch. */
typedef struct sg_worker {
    sg_run *run;
    sg_span spans[SG_SITES];
    sg_counters *count;
    jmp_buf fault_jump;
    sg_block *spare;                     /* blocks to reuse */
    sg_block *spare_plain;               /* SG_SOME: likewise, unchecked ones */
    sg_block *residents, *residents_end; /* blocks set aside, in order */
    uint32_t n_residents;
    sg_block *running, *starting;
    uint64_t seen_done;               /* finished blocks when this thread last looked */
    bool first;                       /* the thread that made the launch */
    struct sg_contention *contention; /* made at the first counted atomic operation */
    uint64_t longest_block;
    uint64_t longest_prints; /* by one warp */
} sg_worker;

struct sg_run { /* a running launch */
    sg_launch *launch;
    const sg_code *code;
    const sg_code *plain; /* SG_SOME: code of blocks that are not checked */
    struct sg_some *some; /* the checked blocks; NULL: all */
    bool early;           /* a plain launch whose last block is checked (init.h) */
    uint64_t n_blocks;
    uint32_t threads, n_warps;
    uint32_t shared_bytes;
    uint32_t dynamic_shared;
    char *params;
    uint32_t param_bytes;
    void *grid_workspace; /* SG_GRID_WORKSPACE bytes; NULL: not a cooperative launch */
    _Atomic uint64_t next_block, done_blocks;
    _Atomic int stop; /* a cudaError_t; 0: continue */
    pthread_mutex_t lock;
    pthread_cond_t idle;
    unsigned helpers; /* pool threads that work on it */
    sg_counters *count;
    double started;
    _Atomic double progress; /* the last time that a thread did more than poll memory */
    struct sg_races *races;  /* SG_RACECHECK, or NULL */
    bool waits;              /* blocks may have waited for each other; for SG_TRACE */
    struct sg_trace *trace;  /* SG_TRACE, or NULL; then barriers call these two: */
    void (*arrives)(sg_warp *w, uint32_t barrier); /* does not wait */
    void (*opens)(sg_block *b, uint32_t barrier);  /* without SG_TRACE: for SG_RECORD, or NULL */
    struct sg_waits *turns; /* the order of blocks that wait for one another, or NULL */
    bool (*may_go_on)(sg_warp *w, const sg_op *ip, const char *r); /* NULL: always */
    struct sg_trace *order;     /* the trace that orders the blocks, or NULL */
    struct sg_recorder *record; /* SG_RECORD, or NULL */
    struct sg_contention *contention;
    uint64_t longest_block, longest_prints;
    unsigned generation;
    sg_child *children; /* launches by this grid; run->lock */
    uint32_t n_children;
    bool alone; /* runs on one thread and without a clock, so that counts are the same each time */
};

/* Returns the place of a block's reserved shared memory in w->shared, behind its own. */
static inline uint32_t sg_reserved_place(uint32_t shared_bytes) {
    return (shared_bytes + 127) & ~63u;
}

/* A loop over the active lanes of w, with the lane in i. */
#define EACH_LANE                                                                                  \
    for (uint32_t m_ = w->mask, i; m_ && (i = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

extern const int32_t sg_lane_bit[SG_LANES]; /* 1 << lane; SSE2 has no vector shift */
static inline void sg_set_mask(sg_warp *w, uint32_t mask) {
    w->mask = mask;
    w->full = mask == SG_ALL;
    if (w->full || mask == w->on_mask)
        return;
    w->on_mask = mask;
    for (int i = 0; i < SG_LANES; i++)
        w->on[i] = -(int32_t)(((int32_t)mask & sg_lane_bit[i]) == sg_lane_bit[i]);
}

/* Handlers continue by a tail call if the compiler makes one (always at -O2 and above without
 * sanitizers). Otherwise they return to the loop of sg_exec(), which calls the next one. */
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define SG_TRAMPOLINE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SG_TRAMPOLINE 1
#endif
#endif
void sg_exec(sg_warp *w); /* runs w from w->ip until it stops */

/* paths.c: divergence. Each function returns where the warp continues with its new mask, or NULL
 * with w->stop set if no path can run. */
const sg_op *sg_path_diverge(sg_warp *w, const sg_op *taken, uint32_t taken_mask,
                             const sg_op *other, const sg_op *rpc);
const sg_op *sg_path_scatter(sg_warp *w, const sg_op *const targets[SG_LANES], const sg_op *rpc);
const sg_op *sg_path_arrive(sg_warp *w, const sg_op *at);
void sg_path_end(sg_warp *w, uint32_t mask); /* as sg_path_exit() does to joins */
const sg_op *sg_path_next(sg_warp *w);
const sg_op *sg_path_call(sg_warp *w, const sg_op *op);
const sg_op *sg_path_return(sg_warp *w); /* from a called function */
/* Returns true if all live lanes of `members` are here. Else *next is where the warp continues. */
bool sg_path_sync(sg_warp *w, const sg_op *op, uint32_t members, const sg_op **next);
/* Runs op once for each set of lanes with the same members. `masks` has each lane's members. */
void sg_path_groups(sg_warp *w, const sg_op *op, const uint32_t *masks);
void sg_path_yield(sg_warp *w);
void sg_path_start(sg_warp *w, uint32_t lanes);
void sg_path_save(sg_warp *w, const sg_op *ip, int state);

/* Makes room for registers and for a lane's local memory. Raises a fault if there is none. */
void sg_warp_reserve(sg_warp *w, uint64_t regs, uint64_t local_bytes);
/* Fills in constants and special registers of a frame, for the lanes of mask. */
void sg_frame_fill(sg_warp *w, const sg_func *f, char *r, uint32_t mask);

/* barrier.c */
const sg_op *sg_path_barrier(sg_warp *w, const sg_op *op);
/* Returns true if threads may leave the kernel before a barrier. */
bool sg_barrier_may_miss(sg_kernel *k);
/* Ends the lanes of mask. The others continue at `next`. */
const sg_op *sg_path_exit(sg_warp *w, const sg_op *next, uint32_t mask);

/* Orders 64-bit numbers, for qsort(). */
static inline int sg_by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* special.c */
int64_t sg_special_value(const sg_warp *w, ptx_special kind, int lane);

/* Ends a warp's slice: records whether it did more than poll. */
static inline void sg_slice_ends(sg_block *b, const sg_warp *w) {
    b->polling &= w->spinning && !w->moved;
    b->moves += w->moved;
}
/* fault.c: the functions without return make the worker abandon the launch. */
enum sg_access { SG_READ, SG_WRITE, SG_ATOMIC };
_Noreturn void sg_fault_address(sg_warp *w, const sg_op *ip, int lane, uint64_t address,
                                uint32_t bytes, ptx_space space, enum sg_access access);
/* Writes " at file:line in kernel, block (x, y, z), thread (x, y, z)". */
void sg_fault_place(char *text, size_t size, const sg_warp *w, const sg_op *ip, int lane);
_Noreturn void sg_fault_raise(sg_warp *w, const sg_op *ip, int lane, sg_fault_kind kind,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Returns the PTX instruction of an op in the running function, or NULL. */
const ptx_inst *sg_fault_instruction(const sg_warp *w, const sg_op *ip);
/* Writes "400-byte allocation", "4-byte __device__ variable sum". */
void sg_fault_name(char *text, size_t size, const sg_mem_range *range);
/* Does not stop the caller. Only the first fault of a launch counts. */
void sg_fault_run(sg_run *run, sg_fault_kind kind, const char *text);
char *sg_demangle(const char *name, char *text, size_t size);
