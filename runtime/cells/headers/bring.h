/* bring.h: which #include lines of earlier cells a unit has to have. Thrust, CUB and libcu++ take
 * seconds to compile, in each of two passes; most cells after such an #include use none of it. */
#ifndef WARPBOOK_CELLS_BRING_H
#define WARPBOOK_CELLS_BRING_H

#include "runtime/cells/live/live.h"

/* What a unit's own text makes use of. */
typedef struct wb_uses {
    bool all;  /* nothing is left out */
    bool cccl; /* Thrust, CUB, libcu++, cooperative groups */
} wb_uses;

/* Takes a piece of the unit's text into account: of the cell, of what it repeats, of a type. */
void wb_uses_add(wb_uses *uses, const char *text, size_t len);

/* What the files that a compilation read, a path a line, come down to: malloc'd #include lines, or
 * NULL where one of them is the user's own, or memory ran out. */
char *wb_brings(const char *inputs);

/* Returns true if the file (a real path) is none of the system's, the toolkit's or ours. */
bool wb_header_is_own(const char *path);

/* Whether the live #include may stay away from a unit of such uses. `brings` is of the cell that
 * it stands in. */
bool wb_may_stay_away(const wb_entity *e, const char *brings, const wb_uses *uses);

/* Appends what has to stand in the place of one that stays away. */
void wb_bring_instead(wb_buf *out, const char *brings);

#endif
