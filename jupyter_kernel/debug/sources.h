/* sources.h: the names by which JupyterLab's debugger knows cells, and their lines. */
#pragma once

#include "runtime/base/base.h"

/* JupyterLab finds a cell by its text: the path is PREFIX, the text's MurmurHash2, SUFFIX. So two
 * cells with the same text share a path, and a cell that runs again keeps it. No such file exists.
 */
#define SOURCES_SUFFIX ".cu"
#define SOURCES_SEED 0xc70f6907u
const char *sources_prefix(void);
/* Returns the path of a cell with that text, malloc'd. */
char *sources_path(const char *code, size_t len);

/* Returns false if a line of the cell is host code, where no kernel ever stops. */
bool sources_is_device(const char *code, int line);
