/* debugger.h: JupyterLab's debugger: debug_request on control, debug_event on IOPub.
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html#debug-request
 *
 * It remembers what the client wants: whether the debugger is on, and the breakpoints. It tells
 * every engine that connects (engine.h), so a new worker stops where the old one did. */
#pragma once

#include "jupyter_kernel/execution/execute.h"

extern const handler debug_handlers[]; /* ends with type NULL */

/* Makes c->debugger. */
void debugger_open(cells *c);
void debugger_close(cells *c);

/* For the control thread's loop (kernel_parts). */
void debugger_fds(void *cells, int fds[2]);
void debugger_serve(void *cells);

/* For a cell that is about to run (cell_words). */
char *debugger_join(execution *x, wb_session *session);
/* Sets the thread that stops and steps, for the cells from now on: the arguments of softgpu's
 * request warpbookFocus (stolen). Returns false if the debugger is off. For the shell thread. */
bool debugger_focus(cells *c, json_t *focus);
