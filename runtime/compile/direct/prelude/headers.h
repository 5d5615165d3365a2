/* headers.h: what device code needs of the headers before it. A preprocessed header has a thousand
 * declarations for each one that a kernel names, and reading them is most of a compiler's time. So
 * they are chosen by name, and by the names that those have in turn. What is missing is an error,
 * and nvcc compiles the whole unit. */
#ifndef WARPBOOK_COMPILE_DIRECT_PRELUDE_HEADERS_H
#define WARPBOOK_COMPILE_DIRECT_PRELUDE_HEADERS_H

#include "runtime/base/base.h"

/* Appends the declarations of folder/device.ii that the preprocessed `unit` needs, in their order,
 * each with its place. An index of them is written to folder/index the first time. False: the file
 * cannot be read or taken apart, or memory ran out. */
bool wb_headers_choose(const char *folder, const wb_buf *unit, wb_buf *out);

#endif
