/* live_names.h: the live names of a notebook, for people. */
#ifndef WARPBOOK_COMPILE_LIVE_NAMES_H
#define WARPBOOK_COMPILE_LIVE_NAMES_H

#include <jansson.h>
#include "runtime/compile/live.h"

/* A list of them, sorted, as wb_session_names gives it; a new reference. */
json_t *wb_live_names(const wb_live *live);

#endif
