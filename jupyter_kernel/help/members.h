/* members.h: completes "object." and "object->" with the members of the notebook's structs and
 * classes, and of common types. It asks no compiler. It reads types from the cell's own text, and
 * from what the session knows of earlier cells. */
#ifndef WARPBOOK_KERNEL_MEMBERS_H
#define WARPBOOK_KERNEL_MEMBERS_H

#include <jansson.h>
#include <stddef.h>

/* Returns the members of the object whose name ends before code[end], in a cell code[0..len):
 * {name: declaration}, a new reference. Empty: the type is unknown. `names`: of wb_session_names(),
 * or NULL. */
json_t *members_of(const char *code, size_t len, size_t end, const json_t *names);

#endif
