/* handlers.h: the requests that the server itself answers. */
#ifndef WARPBOOK_KERNEL_HANDLERS_H
#define WARPBOOK_KERNEL_HANDLERS_H

#include "jupyter_kernel/server/kernel.h"

extern const handler server_handlers[]; /* ends with type NULL */

#endif
