/* trace.h: what a GPU's time depends on beyond counts: which pipes a warp's instructions need, how
 * long its chain of dependent ones is, and which accesses the caches keep (SG_TRACE). */
#ifndef SOFTGPU_TRACE_H
#define SOFTGPU_TRACE_H

#include "runtime/base/language.h"
#include "runtime/softgpu/machine/machine.h"

enum sg_step_kind {
    SG_STEP_PLAIN,
    SG_STEP_LOAD,  /* waits for the stores before it */
    SG_STEP_STORE, /* nobody waits for it */
    SG_STEP_COPY,  /* cp.async: a wait ends it */
    SG_STEP_COMMIT,
    SG_STEP_WAIT,
    SG_STEP_SLEEP, /* nothing of the warp begins until it ends */
    SG_STEP_FENCE  /* likewise */
};

/* Of a store to memory: with nothing between that makes a warp wait, those before and behind it in
 * its segment may leave L1 together with it. Behind a load warps come there one by one. */
enum sg_joins { SG_JOINS_LAST = 1, SG_JOINS_NEXT = 2, SG_JOINS_SPREAD = 4 };

/* An instruction of a segment. */
typedef struct sg_step {
    uint32_t first; /* in the segment's registers: those that it writes, then those that it reads */
    uint8_t n_written, n_read;
    uint8_t kind;     /* enum sg_step_kind */
    uint8_t latency;  /* enum sg_latency; memory's is found at run time */
    uint8_t more, of; /* so many more that wait for each other, each of that latency */
    uint8_t pending;  /* SG_STEP_WAIT: groups of copies that need not be done */
    uint8_t wide;     /* of shared memory, with its neighbours: bytes a lane; 0: alone */
    uint8_t from;     /* of these before the instruction's own */
    uint8_t joins;    /* bits of enum sg_joins */
    bool adds_ones;   /* to shared memory: lanes that meet at a word are counted, not queued */
    float slots;      /* instructions of the GPU's that it stands for */
    float pipes[SG_PIPES];
    uint32_t place; /* of the code's `places` */
} sg_step;
#define SG_STEP_JOINED 0xff /* sg_step.wide: done by another step */

/* Instructions without a branch: aux of the op that stands before them. */
typedef struct sg_segment {
    void (*run)(sg_warp *w, const sg_op *ip, char *r); /* first, for the handler "builtin" */
    uint32_t first, n_steps;                           /* PTX instructions of the function */
    const sg_step *steps;
    const uint32_t *registers; /* their numbers in the function */
    float slots, pipes[SG_PIPES];
    uint32_t unrolled; /* turns of a loop that ptxas makes one of: their loads begin together */
    bool goes_on;      /* ptxas makes one piece of it and of what stands before it */
} sg_segment;

typedef struct sg_trace sg_trace;           /* of a launch */
typedef struct sg_trace_warp sg_trace_warp; /* of a warp */

/* sg_traits.unknown: the blocks looked at tell too little of the others. */
#define SG_UNSEEN WB_N("much of its work is in blocks unlike those that the model looked at")

/* NULL: no memory. */
sg_trace *sg_trace_new(const sg_launch *launch, uint64_t n_blocks, const sg_code *code);
void sg_trace_free(sg_trace *trace);
void sg_trace_report(sg_trace *trace, sg_traits *traits);

/* With SG_SHARES, what of those traits is each line's: their number, *out malloc'd or NULL. */
uint32_t sg_trace_shares(const sg_trace *trace, const sg_traits *traits, sg_line_traits **out);

/* The block to run as the k-th. Once blocks have been started in that order, `done` of them: are
 * they enough, because the others do the same and nobody wants more of these (then they are left to
 * be run as if nobody watched, or not at all, SG_SAMPLE), or would take too long (SG_SAMPLE)? */
uint64_t sg_trace_place(const sg_trace *trace, uint64_t k);
bool sg_trace_enough(sg_trace *trace, uint64_t done);
bool sg_trace_leaves_rest(const sg_trace *trace);
/* SG_SAMPLE: returns true if no more of the rest need run, where `ran` blocks have. */
bool sg_trace_rested(const sg_trace *trace, uint64_t ran);
/* The others do the same: they need not be traced, and may run on several threads. */
bool sg_trace_quiet(const sg_trace *trace);

/* Its blocks wait for one another, and take turns; NULL: they don't, or are too many. */
struct sg_waits *sg_trace_turns(const sg_trace *trace);
/* No time follows, for this reason: a sentence without its full stop. */
void sg_trace_unknown(sg_trace *trace, const char *why);

/* Does the block's chain count? Its warps then take turns often, as on a GPU. */
bool sg_trace_block(sg_trace *trace, sg_block *block);
void sg_trace_block_ends(sg_trace *trace, sg_block *block);
void sg_trace_warp_free(sg_trace_warp *warp);

/* From handlers: sg_segment.run; the lanes of `mask` access `bytes` bytes at addresses + offset,
 * `row`: all lanes, one after another. */
void sg_trace_segment(sg_warp *w, const sg_op *ip, char *r);
void sg_trace_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes, bool row);
void sg_trace_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t wavefronts);
void sg_trace_local(sg_warp *w, const sg_op *ip);
/* A copy by the hardware, past L1. Returns the clocks until its first bytes are there. */
uint32_t sg_trace_copy(sg_warp *w, const sg_op *ip, enum sg_access access, uint64_t address,
                       uint32_t bytes);

/* The warp calls printf(). */
void sg_trace_print(const sg_warp *w, const sg_op *ip);

/* A builtin before nanosleep: a: the place of its nanoseconds. */
extern void (*const sg_trace_sleep)(sg_warp *w, const sg_op *ip, char *r);

/* From barriers: a warp comes to one and goes on; one opens for those who wait there. */
void sg_trace_arrive(sg_warp *w, uint32_t id);
void sg_trace_open(sg_block *b, uint32_t id);

#endif
