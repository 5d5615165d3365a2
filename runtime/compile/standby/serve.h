/* serve.h: the socket of a standby, and its copies. For the library that is loaded into nvcc's
 * programs (waiting.c): needs libc alone, keeps its state here, says nothing. */
#ifndef WARPBOOK_COMPILE_STANDBY_SERVE_H
#define WARPBOOK_COMPILE_STANDBY_SERVE_H

#include <stdbool.h>

#include "runtime/compile/standby/standby.h"

/* What a copy has to do: read `text` from `from` on and end (compile), or read the longer beginning
 * `text` and wait again (grow). */
typedef struct serve_order {
    standby_kind kind;
    int text;
    off_t from;
} serve_order;

/* Before the program begins, in its folder. False: it can't be a standby. */
bool serve_begin(const char *key);

/* Publishes the socket and answers; returns in each copy, and there alone. Does not return where
 * this process is not to wait, or not any more. */
serve_order serve_wait(void);

/* Takes the socket away, and ends. */
_Noreturn void serve_leave(int status);

#endif
