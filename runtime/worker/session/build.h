/* build.h: turns a cell's unit into a library that the worker can load. Private to this room. */
#pragma once

#include "runtime/compile/compile.h"
#include "runtime/worker/session/state.h"

typedef struct wb_build {
    char *source, *library; /* named after the unit's id; later cells link to the library */
    char *instance;         /* the loaded copy, with a name of its own */
    wb_compile_result compiled;
} wb_build;

/* Writes and compiles the unit of `cell`. If the compiler finds a name of the notebook ambiguous,
 * compiles a qualified text instead: *own, malloc'd, to which `cell` then points. Returns false and
 * sets err if the machine can't compile. Free *b with wb_build_free in every case. */
bool wb_build_cell(wb_session *s, wb_cell *cell, wb_unit *unit, wb_build *b, char **own,
                   wb_error *err);
void wb_build_free(wb_build *b);

/* Returns the kind of unit for the cell. */
wb_unit_kind wb_build_kind(const wb_cell *cell);
