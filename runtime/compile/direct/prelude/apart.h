/* apart.h: a program that outlives whoever starts it. */
#ifndef WARPBOOK_COMPILE_DIRECT_PRELUDE_APART_H
#define WARPBOOK_COMPILE_DIRECT_PRELUDE_APART_H

/* Starts argv[0], found on $PATH, in a session of its own, with nothing open but /dev/null, and
 * does not wait for it. `niceness` is added to this process's. */
void wb_run_apart(const char *const *argv, int niceness);

#endif
