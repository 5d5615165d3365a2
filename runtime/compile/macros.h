/* macros.h: the notebook's macros (N, T, value) are taken out of the way of a header of ours, and
 * put back behind it. */
#ifndef WARPBOOK_COMPILE_MACROS_H
#define WARPBOOK_COMPILE_MACROS_H

#include "runtime/compile/live.h"

void wb_macros_aside(wb_buf *out, const wb_live *live, const wb_split *split);
void wb_macros_back(wb_buf *out, const wb_live *live, const wb_split *split);

#endif
