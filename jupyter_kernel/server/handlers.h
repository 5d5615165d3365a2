/* handlers.h: the requests that the server itself answers. */
#pragma once

#include "jupyter_kernel/server/kernel.h"

extern const handler server_handlers[]; /* ends with type NULL */
