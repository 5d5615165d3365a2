/* history.h: what was run, kept in SQLite so that it outlives the kernel; in memory only where no
 * file can be had. For one thread. */
#ifndef WARPBOOK_KERNEL_HISTORY_H
#define WARPBOOK_KERNEL_HISTORY_H

#include <jansson.h>
#include "runtime/base/base.h"

typedef struct history history;

/* $WARPBOOK_HISTORY (a path, or ":memory:"), else $XDG_DATA_HOME/warpbook/history.sqlite. Starts a
 * session of its own. NULL only when memory runs out. */
history *history_open(void);
void history_close(history *h);

/* Notes an input, and (later) the text of its result. */
void history_add(history *h, int number, const char *code, size_t len);
void history_add_output(history *h, int number, const char *text);

/* Answers a history_request's content: [[session, line, input or [input, output]], ...], or NULL
 * with *err when the request makes no sense. */
json_t *history_query(history *h, const json_t *request, wb_error *err);

#endif
