/* live_names.h: the live names of a notebook, for people. */
#ifndef WARPBOOK_COMPILE_LIVE_NAMES_H
#define WARPBOOK_COMPILE_LIVE_NAMES_H

#include <jansson.h>
#include "runtime/compile/live.h"

/* A list of them, sorted, as wb_session_names gives it; a new reference. */
json_t *wb_live_names(const wb_live *live);

/* What split.c asks about the names (wb_split_ask, wb_split_macro); ctx is the wb_live. */
int wb_live_ask(void *live, const char *name, size_t len);
const char *wb_live_macro(void *live, const char *name, size_t len);

#endif
