/* begin.h: when a standby is begun, and how. */
#ifndef WARPBOOK_COMPILE_STANDBY_BEGIN_H
#define WARPBOOK_COMPILE_STANDBY_BEGIN_H

#include "runtime/compile/standby/cuts.h"

typedef struct standby_start {
    int root; /* the folder of the sockets, and its path */
    const char *path;
    const char *program; /* and its arguments, with constant names */
    char *const *argv;
    const char *input, *module_file; /* names among these; module_file NULL: none */
    const standby_names *names;
    const standby_cuts *cuts;
    int shorter; /* one that waits for the rest of a shorter beginning, connected; -1: none */
} standby_start;

/* Whether a standby for the key is due: such a cell has been met before, or is `expected`, and
 * nobody is at it. Notes that it was met. */
bool standby_is_due(int root, const char *key, bool expected);

/* Begins one for the last of the cuts, behind this process's back. */
void standby_begin(const standby_start *start);

#endif
