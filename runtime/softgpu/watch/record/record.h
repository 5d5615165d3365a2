/* record.h: records what one warp did (recorded.h). Only launches with SG_RECORD use it. A watched
 * warp has sg_warp.record, all others have NULL there. */
#pragma once

#include "runtime/softgpu/machine/machine.h"
#include "runtime/softgpu/recorded.h"

typedef struct sg_recorder sg_recorder; /* of a launch */

/* Returns NULL if there is no memory. */
sg_recorder *sg_recorder_new(const sg_wish *wish, const sg_run *run);
void sg_recorder_free(sg_recorder *r);

/* Returns true if it watches all warps. The launch then runs on one thread. */
bool sg_recorder_of_all(const sg_recorder *r);

/* Returns true if it watches something in the block. Other blocks may run uninstrumented code if
 * the launch wants only the record. */
bool sg_recorder_looks_at(const sg_recorder *r, const sg_run *run, uint64_t block);

/* Returns the block that runs as the k-th: a watcher's seed changes the order. */
uint64_t sg_recorder_place(const sg_recorder *r, const sg_run *run, uint64_t k);

/* Returns the recorder for a warp of the block, or NULL if it is not watched. */
sg_recorder *sg_recorder_watches(sg_recorder *r, const sg_block *b, uint32_t warp);

/* Record an access, for counters.c: the lanes of `mask` use `bytes` bytes at addresses + offset,
 * counted as these sectors or passes. */
void sg_record_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                      int64_t offset, uint32_t mask, uint32_t bytes, uint32_t sectors);
void sg_record_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                      int64_t offset, uint32_t mask, uint32_t bytes, uint32_t passes);

/* A builtin before the instructions of a line. d: their number, or 0 for one with a predicate. */
extern void (*const sg_record_step)(sg_warp *w, const sg_op *ip, char *r);

/* The same before a piece of a line, with SG_KEEPS; see sg_values_piece(). */
extern void (*const sg_record_piece)(sg_warp *w, const sg_op *ip, char *r);
/* Returns what sg_run.opens calls when a barrier opens, or NULL. */
void (*sg_recorder_opens(const sg_recorder *r))(sg_block *b, uint32_t barrier);

/* For trace/: the first function returns the recorder if the block's clocks are wished for, else
 * NULL. The second records what a warp did (sg_span_kept.what) between two clocks at a place in the
 * code. */
sg_recorder *sg_recorder_clocks(sg_recorder *r, const sg_block *b);
void sg_record_span(sg_recorder *r, uint32_t warp, uint32_t from, uint32_t to, int what,
                    uint32_t place);

/* For poll.c: begins a part that may be undone, undoes it, or keeps it. */
void sg_record_aside(sg_recorder *r);
void sg_record_back(sg_recorder *r);
void sg_record_stays(sg_recorder *r);

/* Returns the record of a finished launch, which the caller frees, or NULL if there is no
 * memory. */
sg_recorded *sg_recorder_report(sg_recorder *r);
