/* inspect.h: what is known about a name: the user's own, CUDA's, a magic, a kernel of the set. */
#ifndef WARPBOOK_KERNEL_INSPECT_H
#define WARPBOOK_KERNEL_INSPECT_H

#include "jupyter_kernel/execution/live.h"
#include "jupyter_kernel/server/kernel.h"

/* A MIME bundle (text/plain and text/markdown) about the name, or NULL; `source`: of kernels of the
 * set and their launchers the source, with its head. */
json_t *inspect_name(live *l, const char *name, size_t len, bool source);

void handle_inspect(request *r);

#endif
