/* live_names.h: a notebook's live names, for people. */
#pragma once

#include <jansson.h>
#include "runtime/cells/live/live.h"

/* Returns a sorted list for wb_session_names; a new reference. */
json_t *wb_live_names(const wb_live *live);

/* Returns what the notebook knows, and what a name is there (split.h). */
wb_splitting wb_live_how(const wb_live *live);
int wb_live_ask(void *live, const char *name, size_t len);

/* Tries the other reading of a guess. Returns false if memory runs out. */
bool wb_live_doubt(wb_live *live, const wb_guess *guess);
/* Returns to the grammar's reading of what is on trial. Returns true if that changes any. */
bool wb_live_doubt_none(wb_live *live);
/* Ends the trial: keeps what was learned, or forgets it. */
void wb_live_settle(wb_live *live, bool keep);

/* Returns what the cell itself, or the notebook, has under that name at file scope or put aside;
 * NULL: nothing usable. */
const wb_entity *wb_live_has(const wb_live *live, const wb_split *own, const char *name,
                             size_t len);
/* Finds the bytes of a cell's top-level declaration of host variables, one with that name. */
bool wb_split_variable(const wb_split *split, const char *name, size_t len, size_t *start,
                       size_t *end);
/* Returns true if the cell defines put-aside names, or needs some of earlier cells. */
bool wb_live_aside(const wb_live *live, const wb_split *own, const size_t *needed, size_t n);
