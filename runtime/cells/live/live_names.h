/* live_names.h: the live names of a notebook, for people. */
#ifndef WARPBOOK_CELLS_LIVE_NAMES_H
#define WARPBOOK_CELLS_LIVE_NAMES_H

#include <jansson.h>
#include "runtime/cells/live/live.h"

/* A list of them, sorted, as wb_session_names gives it; a new reference. */
json_t *wb_live_names(const wb_live *live);

/* What split.c asks about the names (wb_split_ask, wb_split_macro); ctx is the wb_live. */
int wb_live_ask(void *live, const char *name, size_t len);
const char *wb_live_macro(void *live, const char *name, size_t len);

/* Takes the other reading of a guess, on trial. Returns false if memory ran out. */
bool wb_live_doubt(wb_live *live, const wb_guess *guess);
/* Takes the grammar's reading of what is on trial. Returns true if that changes any. */
bool wb_live_doubt_none(wb_live *live);
/* Ends the trial: keeps what was learned, or forgets it. */
void wb_live_settle(wb_live *live, bool keep);

/* What the cell itself, or the notebook, has of that name at file scope, or put aside there; NULL:
 * nothing that can be used. */
const wb_entity *wb_live_has(const wb_live *live, const wb_split *own, const char *name,
                             size_t len);
/* The bytes of the declaration at the top of the cell of a variable of the host of that name, which
 * declares nothing but variables. */
bool wb_split_variable(const wb_split *split, const char *name, size_t len, size_t *start,
                       size_t *end);
/* Whether the cell defines what is put aside, or needs it of earlier cells. */
bool wb_live_aside(const wb_live *live, const wb_split *own, const size_t *needed, size_t n);

#endif
