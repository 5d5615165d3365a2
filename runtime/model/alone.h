/* alone.h: reduces a PTX module to one kernel. */
#pragma once

#include "runtime/base/base.h"

/* Appends the module without its other .entry functions. Returns false if it has no such kernel or
 * cannot be parsed; the content of *out is then undefined. If something else names a removed
 * kernel, ptxas refuses the result. */
bool model_alone(const char *ptx, size_t len, const char *kernel, wb_buf *out);
