/* disassemble.h: the PTX or SASS of one kernel, as the compiler makes it. */
#ifndef WARPBOOK_DISASSEMBLE_H
#define WARPBOOK_DISASSEMBLE_H

#include "runtime/compile/compile.h"

/* Looks for `kernel` (its name in the source, or mangled; NULL: the last one defined) in the
 * sources, newest (last) first, compiles that one for the device and returns the kernel's code
 * alone, malloc'd. NULL and err when there is no such kernel, or, for SASS, no nvdisasm or
 * cuobjdump on this machine. */
char *wb_disassemble(const char *const *sources, size_t n_sources, const char *const *flags,
                     const wb_device *device, const char *kernel, bool sass, wb_error *err);

#endif
