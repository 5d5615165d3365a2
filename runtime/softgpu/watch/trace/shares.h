/* shares.h: what of a traced launch's work each line of the source has a part in (SG_SHARES). */
#ifndef SOFTGPU_SHARES_H
#define SOFTGPU_SHARES_H

#include "runtime/softgpu/watch/trace/trace.h"
#include "runtime/softgpu/watch/trace/traffic.h"

typedef struct sg_shares sg_shares; /* of a launch */

/* n_ops: places of its instructions. NULL: no memory. */
sg_shares *sg_shares_new(const sg_code *code, uint32_t n_ops);
void sg_shares_free(sg_shares *s);

/* A block begins that is looked at closely and stands for so many; does its chain count? */
void sg_shares_block(sg_shares *s, double weight, bool chained);
/* The blocks so far do not count. */
void sg_shares_restart(sg_shares *s);

/* A warp of the block executes a segment, whose op is `op`; and has so many clocks to wait until
 * its turn comes for all of it. */
void sg_shares_segment(sg_shares *s, uint32_t op, const sg_segment *segment);
void sg_shares_turn(sg_shares *s, uint32_t op, uint32_t clocks);
/* A warp gets on so many clocks later because of an instruction at `place`. */
void sg_shares_wait(sg_shares *s, uint32_t place, enum sg_wait why, uint32_t clocks);
/* An access by `lanes` at `place`: before and after it blocks that are looked at had done so much.
 */
void sg_shares_before(sg_shares *s, const sg_traits *did);
void sg_shares_access(sg_shares *s, uint32_t op, uint32_t place, enum sg_access access,
                      uint32_t lanes, const sg_traits *did);
void sg_shares_constant(sg_shares *s, uint32_t place, uint32_t words);
void sg_shares_print(sg_shares *s, uint32_t place, uint32_t lanes);
void sg_shares_shared(sg_shares *s, uint32_t place, uint32_t wavefronts);

/* What of all is each line's, seen: what L2 had, by op. *out: malloc'd; NULL where there are none.
 */
uint32_t sg_shares_report(const sg_shares *s, const sg_traits *all, const sg_seen *seen,
                          sg_line_traits **out);

#endif
