/* execute.h: execute_request and is_complete_request, and what a cell may hold beside C++. */
#ifndef WARPBOOK_KERNEL_EXECUTE_H
#define WARPBOOK_KERNEL_EXECUTE_H

#include "jupyter_kernel/execution/execution.h"
#include "jupyter_kernel/execution/live.h"

/* Who runs the parts of a cell that are not C++. They stand above this room, so they are handed to
 * it. Each returns false when it failed, noted in the execution. */
typedef struct cell_words {
    bool (*is_line)(const char *name, size_t len); /* whether there is a magic %name */
    /* "name args", without percent signs. body: NULL for a line magic. */
    bool (*magic)(execution *x, const char *text, size_t len, const char *body, size_t body_len,
                  int line);
    bool (*shell)(execution *x, const char *command);
    /* A MIME bundle about a name, with its source where that is asked for and there is one; NULL:
     * nothing is known. */
    json_t *(*about)(live *l, const char *name, size_t len, bool source);
} cell_words;

/* kernel_parts.cells: what runs the cells of one kernel. */
typedef struct cells {
    live live;
    const cell_words *words;
} cells;

cells *cells_of(const kernel *k);

extern const handler execution_handlers[]; /* ends with type NULL */

/* Runs a whole cell's text, magics included; false when it failed. */
bool execution_run_cell(execution *x, const char *code, size_t len);

#endif
