/* async.h: mbarrier objects and bulk copies. lower/async.c makes the ops, async.c runs them.
 *
 * A copy is done when its instruction has run, earlier than on hardware. Barriers count all the
 * same, so a program that waits incorrectly still hangs or faults. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

enum sg_mbarrier_kind {
    SG_MBARRIER_INIT,
    SG_MBARRIER_ARRIVE,
    SG_MBARRIER_DROP, /* arrive, and expect one arrival fewer from the next phase on */
    SG_MBARRIER_EXPECT,
    SG_MBARRIER_COMPLETE,
    SG_MBARRIER_TEST,
    SG_MBARRIER_PENDING
};

typedef struct sg_mbarrier { /* aux of the op; `run` must be first (handler "builtin") */
    void (*run)(sg_warp *w, const sg_op *ip, char *r);
    enum sg_mbarrier_kind kind;
    ptx_space space;   /* shared (a 32-bit address) or generic */
    int32_t address;   /* a place */
    int32_t count, tx; /* places, -1: not given; arrivals (default 1) and bytes */
    int32_t state;     /* TEST, PENDING: a state or a parity */
    bool parity;
    bool suspends;  /* TEST: try_wait, which may suspend */
    int32_t result; /* a 64-bit state; TEST: a predicate; PENDING: 32 bits */
    int64_t offset;
} sg_mbarrier;

typedef struct sg_bulk { /* cp.async.bulk between global and shared memory */
    void (*run)(sg_warp *w, const sg_op *ip, char *r);
    bool load;                              /* to shared memory */
    int32_t shared, global, bytes, barrier; /* places; barrier is -1 for a store */
    int64_t shared_offset, global_offset, barrier_offset;
} sg_bulk;

/* Runs a TEST. Returns false if the phase lasts and others should run before the next test. */
bool sg_mbarrier_wait(sg_warp *w, const sg_op *ip, char *r);
void sg_mbarrier_run(sg_warp *w, const sg_op *ip, char *r);
void sg_bulk_run(sg_warp *w, const sg_op *ip, char *r);
