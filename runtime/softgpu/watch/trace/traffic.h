/* traffic.h: what a launch's accesses to memory ask of L1, of L2 and of the memory below. */
#ifndef SOFTGPU_TRAFFIC_H
#define SOFTGPU_TRAFFIC_H

#include "runtime/softgpu/machine/machine.h"
#include "runtime/softgpu/watch/trace/replay.h"

/* Clocks until a load or an atomic operation has its answer, and those for which it keeps the way
 * through L1; 0: nobody waits for it, or looks. */
typedef struct sg_taken {
    uint32_t took, busy;
} sg_taken;

struct sg_sample;
typedef struct sg_traffic sg_traffic; /* of a launch */

/* n_ops: places of its instructions. slots: blocks that are looked at together, each with a share
 * of L1 by its slot; 0: one after another. NULL: no memory. */
sg_traffic *sg_traffic_new(const sg_gpu *gpu, uint32_t n_ops, uint32_t slots);
void sg_traffic_free(sg_traffic *t);

/* The sample that the block which is looked at belongs to, and which is told of the sectors that it
 * asks L2 for; NULL: none. */
void sg_traffic_sample(sg_traffic *t, struct sg_sample *sample);

/* The lanes of `mask` access `bytes` bytes at addresses + offset, `row`: all lanes, one after
 * another; `past`: not what L1 may hold; `joins`: bits of enum sg_joins. close: the block, if it is
 * looked at closely, which finds L1 empty. */
sg_taken sg_traffic_access(sg_traffic *t, const sg_block *close, uint32_t op, enum sg_access access,
                           const uint64_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes,
                           bool row, bool past, uint32_t joins);
/* A copy by the hardware, whose bytes lie one after another; it asks L2. Returns the clocks until
 * the first of what is read is there. */
uint32_t sg_traffic_copy(sg_traffic *t, const sg_block *close, uint32_t op, enum sg_access access,
                         uint64_t address, uint32_t bytes);
sg_taken sg_traffic_local(sg_traffic *t, uint32_t words); /* of local memory: a line of L1 each */
void sg_traffic_ends(sg_traffic *t, const sg_block *block);

/* What L2 had of the sectors asked for so far, by op: filled in where it is known better. */
sg_seen *sg_traffic_seen(sg_traffic *t);

/* What blocks that were looked at did so far. */
const sg_traits *sg_traffic_sum(const sg_traffic *t);

/* The blocks looked at so far do not count; what L2 and memory saw of them does. */
void sg_traffic_restart(sg_traffic *t);

/* So far: l1_... and l2_... of blocks that were looked at; dram_... and dirty of all. */
void sg_traffic_report(const sg_traffic *t, sg_traits *sum);

#endif
