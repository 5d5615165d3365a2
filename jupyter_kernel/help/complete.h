/* complete.h: Tab: names, magics and their arguments, files. */
#ifndef WARPBOOK_KERNEL_COMPLETE_H
#define WARPBOOK_KERNEL_COMPLETE_H

#include "jupyter_kernel/server/kernel.h"

void handle_complete(request *r);

#endif
