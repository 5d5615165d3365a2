/* await.h: who asks, while a copy is at work for him. */
#ifndef WARPBOOK_COMPILE_STANDBY_AWAIT_H
#define WARPBOOK_COMPILE_STANDBY_AWAIT_H

#include <stdbool.h>

#include "runtime/compile/standby/standby.h"

/* Waits at the connection `fd`, over which a request went, for the reply. False: there will be
 * none, or nothing has gone on for too long: the standby or its copy is stopped (SIGSTOP), or waits
 * for what does not come. *stuck where that is the standby: nobody should ask it again. What the
 * copy may still do ends when `fd` is closed. */
bool standby_await(int fd, standby_reply *reply, bool *stuck);
/* Ends the stuck standby at the other end. */
void standby_drop(int fd);

#endif
