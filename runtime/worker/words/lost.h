/* lost.h: names that were lost with a worker, and which cell lost them. It distinguishes an
 * "undefined" name that the notebook had from one that it never had. */
#pragma once

#include <jansson.h>
#include "runtime/base/base.h"
#include "runtime/worker/client/worker.h"

typedef struct wb_lost wb_lost;

wb_lost *wb_lost_new(void);
void wb_lost_free(wb_lost *lost);

/* Records that the names (of wb_session_names) were lost when cell `by` ended as the outcome says.
 * `by` is 0 if no cell ran. */
void wb_lost_take(wb_lost *lost, const json_t *names, int by, const wb_outcome *outcome);
/* Returns the message about a process that ended while no cell ran, with the variables among
 * `names`. The caller frees it. NULL if memory runs out. */
char *wb_lost_notice(const json_t *names);
/* Forgets that these names were lost. */
void wb_lost_find(wb_lost *lost, const json_t *names);

/* Returns a sentence about the name in an "undefined" error, malloc'd, or NULL. */
char *wb_lost_hint(const wb_lost *lost, const char *error);
