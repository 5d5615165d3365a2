/* alone.h: a PTX module with one kernel left in it. */
#ifndef WARPBOOK_MODEL_ALONE_H
#define WARPBOOK_MODEL_ALONE_H

#include "runtime/base/base.h"

/* Appends the module without its other .entry functions; everything else stays as it is. False,
 * with nothing promised of *out, where it has no such kernel or can't be taken apart. A kernel that
 * something else names by its name is left out too: then ptxas refuses what is left. */
bool model_alone(const char *ptx, size_t len, const char *kernel, wb_buf *out);

#endif
