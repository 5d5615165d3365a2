/* history.h: the inputs and outputs of cells, kept in SQLite so that they outlive the kernel. If no
 * file can be opened, they are kept in memory. For one thread. */
#pragma once

#include <jansson.h>
#include "runtime/base/base.h"

typedef struct history history;

/* Opens $WARPBOOK_HISTORY (a path, or ":memory:"), else $XDG_DATA_HOME/warpbook/history.sqlite, and
 * starts a new session in it. NULL only when memory runs out. */
history *history_open(void);
void history_close(history *h);

/* Stores an input, and later the text of its result. */
void history_add(history *h, int number, const char *code, size_t len);
void history_add_output(history *h, int number, const char *text);

/* Answers a history_request's content: [[session, line, input or [input, output]], ...]. NULL with
 * *err if hist_access_type is unknown. */
json_t *history_query(history *h, const json_t *request, wb_error *err);
