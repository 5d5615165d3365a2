/* explain.h: what is said of a cell that does not compile. */
#ifndef WARPBOOK_EXPLAIN_H
#define WARPBOOK_EXPLAIN_H

#include "runtime/cells/cellgen.h"
#include "runtime/compile/compile.h"
#include "runtime/worker/words/lost.h"
#include "runtime/worker/session.h"

/* Fills the result: the compiler's errors, and a sentence on what to do about each that has one. */
void wb_explain_errors(const wb_cellgen *gen, const wb_lost *lost, const wb_unit *unit, int cell,
                       const wb_compile_result *compiled, wb_result *r);

/* Fills the result with what kept the cell's files from being written: a full disk, the limit of a
 * file's size, or what err says. */
void wb_explain_machine(const wb_error *err, wb_result *r);

#endif
