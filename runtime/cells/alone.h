/* alone.h: writes a cell's code with the definitions that it needs of the notebook, for programs
 * outside the worker: %%compare and %%predict. */
#pragma once

#include "runtime/cells/unit.h"

/* Appends the notebook's kernels, functions, types, templates, macros, constants and #include lines
 * that the cell's code needs, with bodies. `text` is the code and `split` its parts. Leaves out
 * variables, because another program would have its own. ids: #line names cells by id, as in units,
 * else by number. Returns false if memory runs out. */
bool wb_alone_definitions(wb_buf *out, const wb_notebook *book, const wb_text *text,
                          const wb_split *split, bool ids);

/* Returns a CUDA file with the cell's code after these definitions, malloc'd; NULL if memory runs
 * out. The compiler's messages name this cell by `number`. */
char *wb_alone_write(const wb_notebook *book, const wb_text *text, const wb_split *split,
                     int number);
