/* twin.h: compiles the kernels that a cell uses again, with debug information, so that softgpu can
 * show what their variables hold. Private to this room. */
#pragma once

#include "runtime/worker/session/build.h"

/* Returns the cell's wish for softgpu_record(), malloc'd, or NULL. For values, it names the files
 * with the PTX of the cell's source and of those that it uses. The libraries stay as they are: they
 * run what is not recorded. */
char *wb_twin_wish(wb_session *s, const wb_cell *cell, const wb_unit *unit);

/* Returns the cell's argument for softgpu_debug() in the same way, or NULL if the debugger is
 * off. */
char *wb_twin_debug(wb_session *s, const wb_unit *unit);
/* Remembers how the debugger's client names the cell's source. */
void wb_twin_path(wb_session *s, const wb_cell *cell, const wb_unit *unit);
