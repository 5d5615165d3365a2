/* values.h: records what variables hold (SG_RECORD_VALUES): those of one warp line by line, and
 * arrays that its block shares at each barrier. */
#pragma once

#include "runtime/softgpu/machine/machine.h"
#include "runtime/softgpu/recorded.h"

typedef struct sg_valuer sg_valuer; /* of a launch */

/* Returns NULL if there is no memory. */
sg_valuer *sg_valuer_new(const sg_wish *wish, const sg_run *run);
void sg_valuer_free(sg_valuer *v);

/* A piece of a line begins at ip: ip->d instructions without a jump into or out of them. 0: the
 * lanes leave the function. */
void sg_values_piece(sg_valuer *v, sg_warp *w, const sg_op *ip, const char *r);
/* All threads of the block have arrived at a barrier. */
void sg_values_barrier(sg_valuer *v, sg_block *b);

/* Moves the record to *out. */
void sg_valuer_report(sg_valuer *v, sg_recorded *out);
