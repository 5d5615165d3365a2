/* host.h: the part of a unit that g++ compiles. */
#ifndef WARPBOOK_COMPILE_DIRECT_HOST_H
#define WARPBOOK_COMPILE_DIRECT_HOST_H

#include "runtime/compile/direct/parts/parts.h"
#include "runtime/compile/direct/parts/word_set.h"

/* Appends the host's text of all parts from `from` on. Adds to *instances the kernel templates that
 * launches spell out, such as "k<float>", each as one token of that length. */
wb_unfit wb_host_text(const wb_parts *parts, size_t from, wb_buf *out, wb_word_set *instances);

#endif
