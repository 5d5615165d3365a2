/* dispatch.h: passes a request to its handler. */
#pragma once

#include "jupyter_kernel/server/kernel.h"

/* Answers the request between busy and idle. Ignores and logs a type without a handler. */
void dispatch(request *r);
