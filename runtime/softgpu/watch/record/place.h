/* place.h: finds and reads the places of variables (recorded.h) in a launch whose code has
 * SG_KEEPS, and writes what they hold. */
#pragma once

#include "runtime/softgpu/machine/machine.h"
#include "runtime/softgpu/recorded.h"

typedef struct sg_place { /* a sg_value_place, found in the code */
    uint32_t from, to;
    const char *memory; /* of the block or the module; NULL: in the frame */
    int32_t reg, local; /* place of a register, of a local variable; -1: no such. With a register,
                           `local` is the offset in its lanes */
    ptx_type type;
} sg_place;

/* Finds a place in the function. Sets *elements for an array. */
void sg_place_find(const sg_run *run, const sg_func *func, const sg_watched *w,
                   const sg_value_place *from, sg_place *place, uint64_t *elements);

/* Reads `bytes` bytes of a lane. base: of the frame's registers; local: of its local memory.
 * Returns false if nothing is there. */
bool sg_place_read(const sg_place *place, const sg_warp *w, uint64_t base, uint32_t local, int lane,
                   uint32_t bytes, uint64_t *bits);
/* Returns the first element of an array, or NULL. */
const char *sg_place_array(const sg_place *place, const sg_block *b);

double sg_value_real(enum sg_value_kind kind, uint32_t bytes, uint64_t bits);
/* Writes a number. A pointer is "in+37" if the address is in the array of a parameter (of the
 * launch's wish), or in a variable that has a name. */
void sg_value_write(const sg_run *run, const sg_watched *w, uint64_t bits, wb_buf *out);
