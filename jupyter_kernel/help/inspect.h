/* inspect.h: describes a name: the user's own, CUDA's, a magic, or a kernel of the set. */
#pragma once

#include "jupyter_kernel/execution/live.h"
#include "jupyter_kernel/server/kernel.h"

/* Returns a MIME bundle (text/plain and text/markdown) about the name, or NULL. With `source`, a
 * kernel of the set or its launcher is shown as source code. */
json_t *inspect_name(live *l, const char *name, size_t len, bool source);

void handle_inspect(request *r);
