/* complete.h: Tab: names, magics and their arguments, files. */
#pragma once

#include "jupyter_kernel/server/kernel.h"

void handle_complete(request *r);

/* Reads the code of a request, and the byte in it where the cursor is. Replies with an error and
 * returns false if there is none. */
bool code_asked_about(request *r, const char **text, size_t *len, size_t *at);
