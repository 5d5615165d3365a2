/* execute.h: execute_request, is_complete_request, and the parts of a cell that are not C++. */
#pragma once

#include "jupyter_kernel/execution/execution.h"
#include "jupyter_kernel/execution/live.h"

/* Functions for the parts of a cell that are not C++. They belong to higher rooms, so those pass
 * them in. magic and shell return false when they failed, noted in the execution. */
typedef struct cell_words {
    bool (*is_line)(const char *name, size_t len); /* true if there is a magic %name */
    /* text: "name args", without percent signs. body: NULL for a line magic. */
    bool (*magic)(execution *x, const char *text, size_t len, const char *body, size_t body_len,
                  int line);
    bool (*shell)(execution *x, const char *command);
    /* Returns a MIME bundle about a name, with its source if wanted and known. NULL: unknown. */
    json_t *(*about)(live *l, const char *name, size_t len, bool source);
    /* Brings the debugger to a cell that is about to run. Returns wb_cell.path, malloc'd. */
    char *(*debug)(execution *x, wb_session *session);
} cell_words;

typedef struct debugger debugger; /* debug/debugger.c */

/* kernel_parts.cells: runs the cells of one kernel. */
typedef struct cells {
    live live;
    const cell_words *words;
    debugger *debugger;
} cells;

cells *cells_of(const kernel *k);

extern const handler execution_handlers[]; /* ends with type NULL */

/* Runs a whole cell's text, magics included. Returns false if it failed. */
bool execution_run_cell(execution *x, const char *code, size_t len);
