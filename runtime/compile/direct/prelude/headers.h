/* headers.h: selects the declarations that device code needs from the headers before it. A
 * preprocessed header has a thousand declarations for each that a kernel names, and a compiler
 * spends most of its time reading them. So they are chosen by name, and by the names that they use.
 * A missing one is an error, and nvcc then compiles the whole unit. */
#pragma once

#include "runtime/base/base.h"

/* Appends the declarations of folder/device.ii that the preprocessed `unit` needs, in order, each
 * with its place. The first call writes an index to folder/index. Returns false if the file can't
 * be read or parsed, or memory runs out. */
bool wb_headers_choose(const char *folder, const wb_buf *unit, wb_buf *out);
