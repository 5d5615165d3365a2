/* ahead.h: while a notebook opens, programs that wait for cells (runtime/compile/standby) are
 * begun, where its user has none. */
#ifndef WARPBOOK_SESSION_AHEAD_H
#define WARPBOOK_SESSION_AHEAD_H

#include "runtime/worker/session/state.h"

typedef struct wb_ahead wb_ahead;

/* Begins them on a thread of its own, a second from now; the session's device is known. NULL: that
 * is not to be, or can't be. */
wb_ahead *wb_ahead_begin(const wb_session *s);
/* A cell has come: what is not begun yet is left to the cells themselves. Any thread. */
void wb_ahead_stop(wb_ahead *ahead);
/* Stops, and waits for the thread; NULL is nothing. */
void wb_ahead_free(wb_ahead *ahead);

#endif
