/* traffic.h: what a launch's memory accesses request from L1, L2 and the memory below. */
#pragma once

#include "runtime/softgpu/machine/machine.h"
#include "runtime/softgpu/watch/trace/replay.h"

/* Clocks until a load or atomic operation has its answer, and clocks that it occupies the path
 * through L1. Both are 0 if nothing waits for it, or if it is not traced. */
typedef struct sg_taken {
    uint32_t took, busy;
} sg_taken;

struct sg_sample;
typedef struct sg_traffic sg_traffic; /* of a launch */

/* n_ops is the number of instructions. `slots` blocks are traced at the same time, each with a
 * share of L1; 0: one after another. Returns NULL if there is no memory. */
sg_traffic *sg_traffic_new(const sg_gpu *gpu, uint32_t n_ops, uint32_t slots);
void sg_traffic_free(sg_traffic *t);

/* Sets the sample that the current block belongs to, or NULL. It receives the sectors requested
 * from L2. */
void sg_traffic_sample(sg_traffic *t, struct sg_sample *sample);

/* Records an access of `bytes` bytes at addresses + offset by the lanes of `mask`. `row`: the lanes
 * are contiguous. `past`: it bypasses L1. `joins`: bits of enum sg_joins. `close`: the block if it
 * is traced, else NULL. */
sg_taken sg_traffic_access(sg_traffic *t, const sg_block *close, uint32_t op, enum sg_access access,
                           const uint64_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes,
                           bool row, bool past, uint32_t joins);
/* Records a hardware copy of contiguous bytes through L2. Returns the clocks until the first byte
 * read arrives. */
uint32_t sg_traffic_copy(sg_traffic *t, const sg_block *close, uint32_t op, enum sg_access access,
                         uint64_t address, uint32_t bytes);
sg_taken sg_traffic_local(sg_traffic *t, uint32_t words); /* each word a line of L1 */
void sg_traffic_ends(sg_traffic *t, const sg_block *block);

/* Returns what L2 had of the sectors requested so far, by op. A caller that knows better fills it
 * in. */
sg_seen *sg_traffic_seen(sg_traffic *t);

/* Returns the sums of the traced blocks. */
const sg_traits *sg_traffic_sum(const sg_traffic *t);

/* Discards the traced blocks so far. What L2 and memory saw of them stays. */
void sg_traffic_restart(sg_traffic *t);

/* Adds the results so far: l1_... and l2_... of traced blocks; dram_... and dirty of all. */
void sg_traffic_report(const sg_traffic *t, sg_traits *sum);
