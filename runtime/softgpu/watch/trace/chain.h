/* chain.h: the clock of a traced warp. It moves from segment to segment (instructions without a
 * branch): in one, an instruction begins when what it reads is ready, whatever stands before it, as
 * ptxas orders them so; the next segment begins when the last of them has begun, and no sooner than
 * one instruction a clock allows. */
#ifndef SOFTGPU_CHAIN_H
#define SOFTGPU_CHAIN_H

#include "runtime/softgpu/watch/trace/shares.h"
#include "runtime/softgpu/watch/trace/trace.h"
#include "runtime/softgpu/watch/trace/traffic.h"

#define SG_COPY_GROUPS 8 /* of copies under way */

/* Why something is not ready sooner: a step of this turn, or of an earlier one. */
typedef struct sg_cause {
    enum sg_wait wait;
    uint32_t place, step, turn; /* turn 0: no step of any */
} sg_cause;

typedef struct sg_awaited { /* a register: the clock from which it may be read */
    uint32_t clock;
    sg_cause by;
} sg_awaited;

typedef struct sg_begun { /* a step of the pending segment */
    uint32_t clock;
    sg_cause by;
} sg_begun;

/* A warp of a block that is looked at. */
struct sg_trace_warp {
    const sg_gpu *gpu;
    sg_shares *shares;         /* or NULL */
    const sg_segment *pending; /* executed, its clocks not known yet */
    uint32_t op;               /* of it */
    const sg_func *func;
    uint32_t clock;
    uint32_t stored[2]; /* when the last store began: to memory, to shared memory */
    uint32_t copied;    /* when all copies of this group are there */
    uint32_t groups[SG_COPY_GROUPS], n_groups;
    sg_awaited *ready;       /* by register */
    uint32_t room;           /* of ready */
    sg_taken *noted;         /* by step of the pending segment: what memory took */
    sg_begun *begun;         /* likewise */
    uint32_t slots;          /* of both */
    uint32_t turn, place;    /* segments so far; of the last one's last instruction */
    uint32_t port, crowd;    /* when memory's way is free; warps of the block that share all ways */
    const sg_segment *again; /* a short loop that repeats */
    uint32_t turns, last;    /* of it; the clock at which the last instruction of these began */
    bool close;              /* its block is traced */
    struct sg_recorder *record; /* its clocks are kept; or NULL */
    uint32_t index;             /* ... as this warp's of the block */
    uint32_t stands;            /* bulk.c: the clock of its first question at a barrier */
    const sg_op *stands_at;     /* ... that was in vain; else NULL */
    /* For waits.c: */
    bool in_vain, asleep;  /* it asked, and nothing has come of it; it waits for news */
    uint32_t asked, wants; /* the clocks of its last question and of the next one */
    uint32_t queued_at;    /* it has been charged for the others in the queue up to this clock */
    uint32_t period, news; /* from question to question; the clock of what was written there */
    uint64_t low, high;    /* where it asked: low..high - 1 */
    uint64_t queue;        /* of L2's, that it asks by atomic operations; 0: by loads */
    uint64_t moves;        /* of the block, when it asked */
    const sg_op *asked_at;
    const sg_op *tried; /* the last atomicCAS(), and what it expected */
    uint64_t expected;
};

/* A block begins, of so many warps; memory that the warp has is used again. */
void sg_chain_begin(sg_trace_warp *w, const sg_gpu *gpu, sg_shares *shares, uint32_t warps);

/* The warp executes a segment, whose op is `op`: the clock moves over the one before. */
void sg_chain_segment(sg_trace_warp *w, const sg_func *func, const sg_segment *s, uint32_t op);

/* The step that the instruction is of the segment under way, or NULL; and that it took so long. */
const sg_step *sg_chain_step(const sg_warp *w, const sg_op *ip);
void sg_chain_took(sg_warp *w, const sg_op *ip, sg_taken taken);

/* The clock at which all that it has executed has begun. */
uint32_t sg_chain_now(sg_trace_warp *w);

/* Within a segment: the clock at which all before it has begun, and at which its first instruction
 * may. Then it does nothing for so many clocks, because of others. */
uint32_t sg_chain_clock(const sg_trace_warp *w);
uint32_t sg_chain_asks(const sg_trace_warp *w);
void sg_chain_idle(sg_trace_warp *w, uint32_t clocks, enum sg_wait why);
/* What it did since that clock took no time. */
void sg_chain_back(sg_trace_warp *w, uint32_t clock);
/* Copies of its own are under way until that clock: who waits for their group waits for it. */
void sg_chain_copied(sg_trace_warp *w, uint32_t clock);

void sg_chain_free(sg_trace_warp *w);

#endif
