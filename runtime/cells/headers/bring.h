/* bring.h: decides which #include lines of earlier cells a unit needs. Thrust, CUB and libcu++ take
 * seconds to compile in each of two passes, and most later cells use none of them. */
#pragma once

#include "runtime/cells/live/live.h"

/* The libraries that a unit's own text uses. */
typedef struct wb_uses {
    bool all;  /* everything, so nothing is omitted */
    bool cccl; /* Thrust, CUB, libcu++, cooperative groups */
} wb_uses;

/* Adds a piece of the unit's text: of the cell, of what it repeats, of a type. */
void wb_uses_add(wb_uses *uses, const char *text, size_t len);

/* Returns the #include lines that replace an omitted one, for the files which a compilation read
 * (one path a line); malloc'd. Returns NULL if one is the user's own, or memory runs out. */
char *wb_brings(const char *inputs);

/* Returns true if the file (a real path) is not the system's, the toolkit's or ours. */
bool wb_header_is_own(const char *path);

/* Returns true if a unit with such uses may omit the live #include. `brings` belongs to the
 * #include's cell. */
bool wb_may_stay_away(const wb_entity *e, const char *brings, const wb_uses *uses);
