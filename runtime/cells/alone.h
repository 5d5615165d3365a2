/* alone.h: a cell's code with what it needs of the notebook, for what is not run in the worker:
 * %%compare and %%predict. */
#ifndef WARPBOOK_CELLS_ALONE_H
#define WARPBOOK_CELLS_ALONE_H

#include "runtime/cells/unit.h"

/* Appends what the cell's code (`text`, taken apart in `split`) needs of the notebook's kernels,
 * functions, types, templates, macros, constants and #include lines, with bodies. Variables are not
 * among it: what is not run in the worker would have others. ids: cells are called by those in
 * #line, as in units, else by their numbers. False when memory ran out. */
bool wb_alone_definitions(wb_buf *out, const wb_notebook *book, const wb_text *text,
                          const wb_split *split, bool ids);

/* The text of a CUDA file that holds the cell's code as it stands, behind these definitions.
 * Messages of the compiler are about cells: `number` is this one's. malloc'd; NULL when memory ran
 * out. */
char *wb_alone_write(const wb_notebook *book, const wb_text *text, const wb_split *split,
                     int number);

#endif
