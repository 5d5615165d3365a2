/* pending.h: `make lab` opens JupyterLab when the first part of the build is done, and the rest
 * goes on behind it (runtime/setup/behind.sh). Who needs a file of that rest waits for it here.
 *
 * share/warpbook/building is there from the beginning of that build to its good end. Its one line
 * names the log, and the build holds a lock (flock) on it: without the lock it has failed. */
#ifndef WARPBOOK_PENDING_H
#define WARPBOOK_PENDING_H

#include "runtime/base/base.h"

/* Waits until lib/warpbook/NAME, called `what` in words, is there: at once where it is. While it
 * waits, say(ctx, text) gets a line every second: "the kernel set is being built: 57 of 83; about
 * 40 s", and at its end "the kernel set is built; waited 41 s"; NULL: silent. False when *stop (may
 * be NULL) became non-zero, with err->code WB_PENDING_STOPPED, or when it is not there and nobody
 * builds it: *err tells where the log is and what to do. */
enum { WB_PENDING_STOPPED = 2 };
bool wb_pending_wait(const char *name, const char *what, void (*say)(void *ctx, const char *text),
                     void *ctx, const volatile int *stop, wb_error *err);

/* The build that goes on behind: how far it is ("57 of 83; about 40 s") into text, or, when it has
 * failed, the path of its log. */
typedef enum wb_pending { WB_PENDING_NONE, WB_PENDING_RUNS, WB_PENDING_FAILED } wb_pending;
wb_pending wb_pending_state(char *text, size_t size);

#endif
