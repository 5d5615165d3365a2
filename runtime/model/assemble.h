/* assemble.h: runs ptxas from inside any process. */
#pragma once

#include "runtime/base/base.h"

/* Assembles one kernel of the PTX (NULL: all) for `arch` ("sm_90"). Appends ptxas's output to *log
 * and discards the code. Returns false and sets err if ptxas cannot start or refuses the code.
 *
 * If $WARPBOOK_SOFTGPU_PTXAS_BY is set, runs that program instead, with ptxas's path as its first
 * argument: warpbook-isolate (../sandbox) for untrusted code.
 *
 * The process around it is not affected. It receives no signal, its handlers do not run in the
 * child, and its wait() does not find the child. ptxas inherits no descriptor and no LD_* variable,
 * and makes no file. If the process is killed, so is ptxas. */
bool model_assemble(const char *ptxas, const char *arch, const char *kernel, const char *ptx,
                    size_t len, wb_buf *log, wb_error *err);
