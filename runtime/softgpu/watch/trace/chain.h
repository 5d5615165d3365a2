/* chain.h: the clock of a traced warp. It moves from segment to segment (instructions without a
 * branch). ptxas reorders a segment, so an instruction begins when its operands are ready, whatever
 * precedes it. The next segment begins after the last instruction has begun, at one instruction a
 * clock at most. */
#pragma once

#include "runtime/softgpu/watch/trace/shares.h"
#include "runtime/softgpu/watch/trace/trace.h"
#include "runtime/softgpu/watch/trace/traffic.h"

#define SG_COPY_GROUPS 8 /* copies in flight */

/* The step that delays something: a step of this or an earlier turn. */
typedef struct sg_cause {
    enum sg_wait wait;
    uint32_t place, step, turn; /* turn 0: no step */
} sg_cause;

typedef struct sg_awaited { /* a register and the clock from which it is readable */
    uint32_t clock;
    sg_cause by;
} sg_awaited;

typedef struct sg_begun { /* a step of the pending segment */
    uint32_t clock;
    sg_cause by;
} sg_begun;

/* A warp of a traced block. */
struct sg_trace_warp {
    const sg_gpu *gpu;
    sg_shares *shares;         /* or NULL */
    const sg_segment *pending; /* the segment whose clocks are not computed yet */
    uint32_t op;               /* of the pending segment */
    const sg_func *func;
    uint32_t clock;
    uint32_t stored[2]; /* start of the last store: to global memory, to shared memory */
    uint32_t copied;    /* the clock at which this group's copies are done */
    uint32_t groups[SG_COPY_GROUPS], n_groups;
    sg_awaited *ready;          /* by register */
    uint32_t room;              /* of ready */
    sg_taken *noted;            /* by step of the pending segment: its memory time */
    sg_begun *begun;            /* by step of the pending segment */
    uint32_t slots;             /* in noted and begun */
    uint32_t turn, place;       /* segments so far; place of the last instruction */
    uint32_t port, crowd;       /* when the path to memory is free; warps of the block */
    const sg_segment *again;    /* a short loop that repeats */
    uint32_t turns, last;       /* its turns; the clock at which their last instruction began */
    bool close;                 /* its block is traced */
    struct sg_recorder *record; /* records its clocks, or NULL */
    uint32_t index;             /* the warp in its block */
    uint32_t stands;            /* bulk.c: the clock of its first poll at a barrier */
    const sg_op *stands_at;     /* bulk.c: the op of that poll while it is in vain; else NULL */
    /* Used by waits.c: */
    bool in_vain, asleep;  /* its last poll found nothing; it waits for a write */
    uint32_t asked, wants; /* clocks of its last and next poll */
    uint32_t queued_at;    /* charged for others in the queue up to this clock */
    uint32_t period, news; /* clocks between polls; clock of the write to its address */
    uint64_t low, high;    /* the polled addresses, low..high - 1 */
    uint64_t queue;        /* L2's queue that its atomic polls use; 0: it polls by loads */
    uint64_t moves;        /* the block's moves at its poll */
    const sg_op *asked_at;
    const sg_op *tried; /* the last atomicCAS() and its expected value */
    uint64_t expected;
};

/* Starts a warp of a block of `warps` warps. Reuses the warp's memory. */
void sg_chain_begin(sg_trace_warp *w, const sg_gpu *gpu, sg_shares *shares, uint32_t warps);

/* The warp executes segment `s` at `op`. Its clock moves over the previous segment. */
void sg_chain_segment(sg_trace_warp *w, const sg_func *func, const sg_segment *s, uint32_t op);

/* The first returns the instruction's step in the pending segment, or NULL. The second records the
 * time that it took. */
const sg_step *sg_chain_step(const sg_warp *w, const sg_op *ip);
void sg_chain_took(sg_warp *w, const sg_op *ip, sg_taken taken);

/* Returns the clock at which everything executed has begun. */
uint32_t sg_chain_now(sg_trace_warp *w);

/* Within a segment: the clock at which everything before has begun; the clock at which the first
 * instruction can begin; then an idle time caused by others. */
uint32_t sg_chain_clock(const sg_trace_warp *w);
uint32_t sg_chain_asks(const sg_trace_warp *w);
void sg_chain_idle(sg_trace_warp *w, uint32_t clocks, enum sg_wait why);
/* Resets the clock: what the warp did since then took no time. */
void sg_chain_back(sg_trace_warp *w, uint32_t clock);
/* The warp's own copies are in flight until `clock`. A wait for their group lasts until then. */
void sg_chain_copied(sg_trace_warp *w, uint32_t clock);

void sg_chain_free(sg_trace_warp *w);
