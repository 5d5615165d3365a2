/* build.h: from a cell's unit to a library that the worker can load. Private to this room. */
#ifndef WARPBOOK_SESSION_BUILD_H
#define WARPBOOK_SESSION_BUILD_H

#include "runtime/compile/compile.h"
#include "runtime/worker/session/state.h"

typedef struct wb_build {
    char *source, *library; /* the unit's, by its id: what later cells are linked to */
    char *instance;         /* what is loaded: a copy that has a name of its own */
    wb_compile_result compiled;
} wb_build;

/* Writes and compiles the unit of `cell`. Where the compiler finds a name of the notebook
 * ambiguous, it is told which is meant, in another text of the cell: *own, malloc'd, is what `cell`
 * then has. False: the machine can't compile; err says why. *b is freed with wb_build_free in every
 * case. */
bool wb_build_cell(wb_session *s, wb_cell *cell, wb_unit *unit, wb_build *b, char **own,
                   wb_error *err);
void wb_build_free(wb_build *b);

/* What is to be made of the cell. */
wb_unit_kind wb_build_kind(const wb_cell *cell);

#endif
