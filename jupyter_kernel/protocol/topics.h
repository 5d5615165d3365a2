/* topics.h: what one subscriber subscribed to: a set of byte strings, each the beginning of what it
 * wants. Pure. All-zero (an empty wb_buf) is the empty set; wb_buf_free frees it. */
#ifndef WARPBOOK_KERNEL_TOPICS_H
#define WARPBOOK_KERNEL_TOPICS_H

#include "jupyter_kernel/protocol/wire.h"

enum { TOPICS_MAX_BYTES = 1 << 16 }; /* of a set, with 4 bytes a topic for its length */

/* Once only, however often it is added. False: there would be too many, or memory ran out. */
bool topics_add(wb_buf *set, wire_span topic);
void topics_remove(wb_buf *set, wire_span topic);
/* Whether what is published under `name` is wanted. */
bool topics_want(const wb_buf *set, wire_span name);

#endif
