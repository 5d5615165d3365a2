/* usage.h: what the kernel, its worker and the device use. */
#ifndef WARPBOOK_KERNEL_USAGE_H
#define WARPBOOK_KERNEL_USAGE_H

#include "jupyter_kernel/server/kernel.h"

void handle_usage(request *r);

#endif
