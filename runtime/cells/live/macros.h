/* macros.h: removes the notebook's macros (N, T, value) around a header of ours. */
#pragma once

#include "runtime/cells/live/live.h"

void wb_macros_aside(wb_buf *out, const wb_live *live, const wb_split *split);
void wb_macros_back(wb_buf *out, const wb_live *live, const wb_split *split);

/* Do the same around the text of live entity i, for later macros whose name means something else
 * there: "#define N 100" after "void f(int N);". With `own`, around its body behind that cell. */
void wb_macros_aside_later(wb_buf *out, const wb_live *live, const wb_split *own, size_t i);
void wb_macros_back_later(wb_buf *out, const wb_live *live, const wb_split *own, size_t i);
