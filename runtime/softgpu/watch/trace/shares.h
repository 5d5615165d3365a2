/* shares.h: each source line's part of a traced launch's work (SG_SHARES). */
#pragma once

#include "runtime/softgpu/watch/trace/trace.h"
#include "runtime/softgpu/watch/trace/traffic.h"

typedef struct sg_shares sg_shares; /* of a launch */

/* n_ops is the number of instructions. Returns NULL if there is no memory. */
sg_shares *sg_shares_new(const sg_code *code, uint32_t n_ops);
void sg_shares_free(sg_shares *s);

/* Begins a traced block that represents `weight` blocks. `chained`: its chain counts. */
void sg_shares_block(sg_shares *s, double weight, bool chained);
/* Discards the blocks so far. */
void sg_shares_restart(sg_shares *s);

/* The first records that a warp of the block executes a segment at `op`. The second adds the clocks
 * that it waits for its turn there. */
void sg_shares_segment(sg_shares *s, uint32_t op, const sg_segment *segment);
void sg_shares_turn(sg_shares *s, uint32_t op, uint32_t clocks);
/* A warp loses `clocks` because of an instruction at `place`. */
void sg_shares_wait(sg_shares *s, uint32_t place, enum sg_wait why, uint32_t clocks);
/* Record an access by `lanes` at `place`. `did` holds the sums of all traced blocks before it, and
 * then after it.
 */
void sg_shares_before(sg_shares *s, const sg_traits *did);
void sg_shares_access(sg_shares *s, uint32_t op, uint32_t place, enum sg_access access,
                      uint32_t lanes, const sg_traits *did);
void sg_shares_constant(sg_shares *s, uint32_t place, uint32_t words);
void sg_shares_print(sg_shares *s, uint32_t place, uint32_t lanes);
void sg_shares_shared(sg_shares *s, uint32_t place, uint32_t wavefronts);

/* Divides `all` among the lines. `seen` is what L2 had, by op. Sets *out to an array that the
 * caller frees, or NULL. Returns its length.
 */
uint32_t sg_shares_report(const sg_shares *s, const sg_traits *all, const sg_seen *seen,
                          sg_line_traits **out);
