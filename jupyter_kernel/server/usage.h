/* usage.h: what the kernel, its worker and the device use. */
#pragma once

#include "jupyter_kernel/server/kernel.h"

void handle_usage(request *r);
