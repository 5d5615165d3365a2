/* dispatch.h: one request on its way to its handler. */
#ifndef WARPBOOK_KERNEL_DISPATCH_H
#define WARPBOOK_KERNEL_DISPATCH_H

#include "jupyter_kernel/server/kernel.h"

/* Answers the request, with busy and idle around it; a message of a type that nobody handles is
 * ignored, which is logged. */
void dispatch(request *r);

#endif
