/* apart.h: starts a program that outlives its parent. */
#ifndef WARPBOOK_COMPILE_DIRECT_PRELUDE_APART_H
#define WARPBOOK_COMPILE_DIRECT_PRELUDE_APART_H

/* Starts argv[0], found on $PATH, in a session of its own, with only /dev/null open. Does not wait.
 * Adds `niceness` to this process's. */
void wb_run_apart(const char *const *argv, int niceness);

#endif
