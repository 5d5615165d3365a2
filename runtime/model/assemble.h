/* assemble.h: runs ptxas inside anybody's process. */
#ifndef WARPBOOK_MODEL_ASSEMBLE_H
#define WARPBOOK_MODEL_ASSEMBLE_H

#include "runtime/base/base.h"

/* $WARPBOOK_SOFTGPU_PTXAS_BY, where it is set, is run in place of ptxas, with ptxas' path before
 * all other arguments: warpbook-isolate (../sandbox) for code that nobody trusts.
 *
 * Assembles one kernel of the PTX (NULL: all) for `arch` ("sm_90"), appends what ptxas printed to
 * *log, and throws the code away. False with a sentence where ptxas can't be started or refuses.
 *
 * The program around it notices nothing: no signal is sent to it, its handlers don't run in the
 * child and its wait() does not find the child; ptxas inherits no descriptor and nothing of LD_*;
 * no file is made. When the program is killed, so is ptxas. */
bool model_assemble(const char *ptxas, const char *arch, const char *kernel, const char *ptx,
                    size_t len, wb_buf *log, wb_error *err);

#endif
