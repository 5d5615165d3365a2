/* trace.h: what a GPU's time depends on beyond counts (SG_TRACE): the pipes that instructions use,
 * chains of dependent instructions, and cache hits. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

enum sg_step_kind {
    SG_STEP_PLAIN,
    SG_STEP_LOAD,  /* waits for earlier stores */
    SG_STEP_STORE, /* nothing waits for it */
    SG_STEP_COPY,  /* cp.async: a wait ends it */
    SG_STEP_COMMIT,
    SG_STEP_WAIT,
    SG_STEP_SLEEP, /* stops the warp until it ends */
    SG_STEP_FENCE  /* stops the warp until it ends */
};

/* Tells whether a store to memory may leave L1 together with the last or the next store of its
 * segment. Nothing between them makes a warp wait. SPREAD: it follows a load, so warps reach it one
 * by one. */
enum sg_joins { SG_JOINS_LAST = 1, SG_JOINS_NEXT = 2, SG_JOINS_SPREAD = 4 };

/* An instruction of a segment. */
typedef struct sg_step {
    uint32_t first; /* index in the segment's registers: those written, then those read */
    uint8_t n_written, n_read;
    uint8_t kind;     /* enum sg_step_kind */
    uint8_t latency;  /* enum sg_latency; a load's is found at run time */
    uint8_t more, of; /* further instructions that wait for each other, with that latency */
    uint8_t pending;  /* SG_STEP_WAIT: groups of copies that may be pending */
    uint8_t wide;     /* bytes a lane with merged neighbours in shared memory; 0: not merged */
    uint8_t from;     /* bytes of these before the instruction's own */
    uint8_t joins;    /* bits of enum sg_joins */
    bool adds_ones;   /* lanes add 1 to a word of shared memory: counted, not queued */
    float slots;      /* GPU instructions for it */
    float pipes[SG_PIPES];
    uint32_t place; /* index in the code's `places` */
} sg_step;
#define SG_STEP_JOINED 0xff /* sg_step.wide: another step does it */

/* Instructions without a branch: aux of the op before them. */
typedef struct sg_segment {
    void (*run)(sg_warp *w, const sg_op *ip, char *r); /* first, for "builtin" */
    uint32_t first, n_steps;                           /* PTX instructions of the function */
    const sg_step *steps;
    const uint32_t *registers; /* their numbers in the function */
    float slots, pipes[SG_PIPES];
    uint32_t unrolled; /* turns of a loop that ptxas unrolls: their loads begin together */
    bool goes_on;      /* ptxas joins it with the code before it */
} sg_segment;

typedef struct sg_trace sg_trace;           /* of a launch */
typedef struct sg_trace_warp sg_trace_warp; /* of a warp */

/* Returns NULL if there is no memory. */
sg_trace *sg_trace_new(const sg_launch *launch, uint64_t n_blocks, const sg_code *code);
void sg_trace_free(sg_trace *trace);
void sg_trace_report(sg_trace *trace, sg_traits *traits);

/* SG_SHARES: sets *out to each line's part of those traits, malloc'd, or NULL. Returns their
 * number. */
uint32_t sg_trace_shares(const sg_trace *trace, const sg_traits *traits, sg_line_traits **out);

/* The first returns the k-th block to run. The second returns true if `done` blocks, started in
 * that order, suffice. That is so if the others follow from them, or if they would take too long
 * (SG_SAMPLE). The third returns true if the rest may run untraced, or with SG_SAMPLE not at
 * all. */
uint64_t sg_trace_place(const sg_trace *trace, uint64_t k);
bool sg_trace_enough(sg_trace *trace, uint64_t done);
bool sg_trace_leaves_rest(const sg_trace *trace);
/* SG_SAMPLE: returns true if `ran` blocks of the rest suffice. */
bool sg_trace_rested(const sg_trace *trace, uint64_t ran);
/* Returns true if the other blocks do the same. They may run untraced and on several threads. */
bool sg_trace_quiet(const sg_trace *trace);

/* Returns the turns of blocks that wait for one another, or NULL if they do not or are too many. */
struct sg_waits *sg_trace_turns(const sg_trace *trace);
/* Sets the reason why no time follows. */
void sg_trace_untimed(sg_trace *trace, enum sg_no_time why);

/* Begins a block. Returns true if its chain counts. Its warps then take turns often, as on a
 * GPU. */
bool sg_trace_block(sg_trace *trace, sg_block *block);
void sg_trace_block_ends(sg_trace *trace, sg_block *block);
void sg_trace_warp_free(sg_trace_warp *warp);

/* For handlers: sg_segment.run, and accesses of `bytes` bytes at addresses + offset by the lanes of
 * `mask`. `row`: the lanes are all active and contiguous. */
void sg_trace_segment(sg_warp *w, const sg_op *ip, char *r);
void sg_trace_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes, bool row);
void sg_trace_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t wavefronts);
void sg_trace_local(sg_warp *w, const sg_op *ip);
/* Records a hardware copy that bypasses L1. Returns the clocks until its first bytes arrive. */
uint32_t sg_trace_copy(sg_warp *w, const sg_op *ip, enum sg_access access, uint64_t address,
                       uint32_t bytes);

/* Records a call of printf() by the warp. */
void sg_trace_print(const sg_warp *w, const sg_op *ip);

/* A builtin before nanosleep. a: the register with its nanoseconds. */
extern void (*const sg_trace_sleep)(sg_warp *w, const sg_op *ip, char *r);

/* Called by barriers: a warp arrives; the barrier opens for the warps that wait. */
void sg_trace_arrive(sg_warp *w, uint32_t id);
void sg_trace_open(sg_block *b, uint32_t id);

static inline uint32_t sg_later(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}
