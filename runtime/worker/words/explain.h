/* explain.h: describes why a cell does not compile. */
#pragma once

#include "runtime/cells/cellgen.h"
#include "runtime/compile/compile.h"
#include "runtime/worker/words/lost.h"
#include "runtime/worker/session.h"

/* Fills the result with the compiler's errors, and advice for each that has some. */
void wb_explain_errors(const wb_cellgen *gen, const wb_lost *lost, const wb_unit *unit, int cell,
                       const wb_compile_result *compiled, wb_result *r);

/* Returns the warnings as a MIME bundle (text/plain and text/html), or NULL. */
json_t *wb_explain_warnings(const wb_compile_result *compiled);

/* Fills the result with the reason why the cell's files could not be written: a full disk, the file
 * size limit, or err. */
void wb_explain_machine(const wb_error *err, wb_result *r);
