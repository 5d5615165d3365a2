/* record.h: what one warp did, kept to be drawn (recorded.h). Launches with SG_RECORD alone come
 * here: a warp that is watched has sg_warp.record, all others have NULL. */
#ifndef SOFTGPU_RECORD_H
#define SOFTGPU_RECORD_H

#include "runtime/softgpu/machine/machine.h"
#include "runtime/softgpu/recorded.h"

typedef struct sg_recorder sg_recorder; /* of a launch */

/* NULL: no memory. */
sg_recorder *sg_recorder_new(const sg_wish *wish, const sg_run *run);
void sg_recorder_free(sg_recorder *r);

/* Does it watch all warps? Then one thread runs them. */
bool sg_recorder_of_all(const sg_recorder *r);

/* Is there something to be seen in that block? Else it may run code that nobody watches, where the
 * launch asks for nothing but the record. */
bool sg_recorder_looks_at(const sg_recorder *r, const sg_run *run, uint64_t block);

/* A warp of the block begins: is it watched? */
sg_recorder *sg_recorder_watches(sg_recorder *r, const sg_block *b, uint32_t warp);

/* From counters.c: the lanes of `mask` ask for `bytes` bytes each at addresses + offset, which was
 * counted as so many sectors, or passes. */
void sg_record_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                      int64_t offset, uint32_t mask, uint32_t bytes, uint32_t sectors);
void sg_record_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                      int64_t offset, uint32_t mask, uint32_t bytes, uint32_t passes);

/* A builtin before instructions of a line: d: how many; 0: one with a predicate. */
extern void (*const sg_record_step)(sg_warp *w, const sg_op *ip, char *r);

/* From trace/: the recorder where the block's clocks are wished for, else NULL; and from clock to
 * clock one of its warps did that (sg_span_kept.what) at a place of the code's. */
sg_recorder *sg_recorder_clocks(sg_recorder *r, const sg_block *b);
void sg_record_span(sg_recorder *r, uint32_t warp, uint32_t from, uint32_t to, int what,
                    uint32_t place);

/* From poll.c: what comes may be taken back, is taken back, or stays after all. */
void sg_record_aside(sg_recorder *r);
void sg_record_back(sg_recorder *r);
void sg_record_stays(sg_recorder *r);

/* The launch has ended: what was kept is the caller's; NULL: no memory. */
sg_recorded *sg_recorder_report(sg_recorder *r);

#endif
