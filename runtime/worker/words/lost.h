/* lost.h: the names that went with a worker: what they were, and which cell took them along. An
 * "undefined" name that the notebook had is told from one that it never had. */
#ifndef WARPBOOK_LOST_H
#define WARPBOOK_LOST_H

#include <jansson.h>
#include "runtime/base/base.h"
#include "runtime/worker/client/worker.h"

typedef struct wb_lost wb_lost;

wb_lost *wb_lost_new(void);
void wb_lost_free(wb_lost *lost);

/* The names (as wb_session_names gives them) are gone, since cell `by` ended as the outcome says.
 * `by` is 0 if the process ended while no cell ran. */
void wb_lost_take(wb_lost *lost, const json_t *names, int by, const wb_outcome *outcome);
/* Returns the sentences for a process that ended while no cell ran, with the variables among
 * `names`. The caller frees the result. NULL if memory ran out. */
char *wb_lost_notice(const json_t *names);
/* The names are there: what was lost of them is of no interest any more. */
void wb_lost_find(wb_lost *lost, const json_t *names);

/* A sentence about the name that an error of the compiler's calls undefined, malloc'd; or NULL. */
char *wb_lost_hint(const wb_lost *lost, const char *error);

#endif
