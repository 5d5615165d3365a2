/* alone.h: a cell's code as a file of its own, for what is not run in the worker: %%compare. */
#ifndef WARPBOOK_CELLS_ALONE_H
#define WARPBOOK_CELLS_ALONE_H

#include "runtime/cells/headers/own_headers.h"

/* The text of a CUDA file that holds the cell's code as it stands (`text`, taken apart in `split`),
 * and before it what it needs of the notebook's kernels, functions, types, templates, macros,
 * constants and #include lines. Variables are not among it: a file of its own would have others.
 * Messages of the compiler are about cells: `number` is this one's. malloc'd; NULL when memory ran
 * out. */
char *wb_alone_write(const wb_live *live, const wb_text *text, const wb_split *split, int number);

#endif
