/* disassemble.h: the PTX or SASS of one kernel. */
#pragma once

#include "runtime/compile/compile.h"

/* Finds the newest (last) source that defines `kernel` (its name in the source, or mangled; NULL:
 * the last kernel), compiles it for the device and returns that kernel's code, malloc'd. Returns
 * NULL and sets err if no source has the kernel, or if nvdisasm is missing for SASS. */
char *wb_disassemble(const char *const *sources, size_t n_sources, const char *const *flags,
                     const wb_device *device, const char *kernel, bool sass, wb_error *err);
