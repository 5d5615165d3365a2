/* inspect.h: what is known about a name: the user's own, CUDA's, a magic, a kernel of the set. */
#ifndef WARPBOOK_KERNEL_INSPECT_H
#define WARPBOOK_KERNEL_INSPECT_H

#include "jupyter_kernel/execution/live.h"
#include "jupyter_kernel/server/kernel.h"

/* A MIME bundle (text/plain and text/markdown) about the name, or NULL. */
json_t *inspect_name(live *l, const char *name, size_t len);

/* The name (percent signs included) around byte `at` of the code. */
wire_span inspect_word_at(const char *code, size_t len, size_t at);
/* The name of the function or kernel whose parentheses the cursor is in. */
wire_span inspect_call_at(const char *code, size_t len, size_t at);

void handle_inspect(request *r);

#endif
