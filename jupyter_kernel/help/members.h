/* members.h: what may stand behind "object." and "object->": the members of the notebook's structs
 * and classes, and of the types that courses use most. No compiler is asked: types are read from
 * the cell's own text, and from what the session knows of earlier cells. */
#ifndef WARPBOOK_KERNEL_MEMBERS_H
#define WARPBOOK_KERNEL_MEMBERS_H

#include <jansson.h>
#include <stddef.h>

/* The members of the object whose name ends before code[end], at most of the cell code[0..len):
 * {name: declaration}, a new reference; empty where nothing is known. `names` is
 * wb_session_names()'s list, or NULL. */
json_t *members_of(const char *code, size_t len, size_t end, const json_t *names);

#endif
