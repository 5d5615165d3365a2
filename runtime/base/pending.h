/* pending.h: waits for files that are still being built. `make lab` opens JupyterLab after the
 * first part of the build, and the rest goes on in the background (runtime/setup/behind.sh).
 *
 * share/warpbook/building exists from the beginning of that build until it succeeds. Its one line
 * names the log. The build locks it (flock): a file without a lock means that the build failed. */
#pragma once

#include "runtime/base/base.h"

/* Waits until lib/warpbook/NAME exists; messages call it `what`. Meanwhile say(ctx, text), unless
 * NULL, gets a line every second: "the kernel set is being built: 57 of 83; about 40 s". Its last
 * line is "the kernel set is built; waited 41 s".
 *
 * Returns false with err->code WB_PENDING_STOPPED if *stop (may be NULL) became non-zero. Returns
 * false if the file is missing and nobody builds it: *err then names the log and what to do. */
enum { WB_PENDING_STOPPED = 2 };
bool wb_pending_wait(const char *name, const char *what, void (*say)(void *ctx, const char *text),
                     void *ctx, const volatile int *stop, wb_error *err);

/* The state of the build in the background. text gets its progress ("57 of 83; about 40 s"), or the
 * path of its log if it failed. */
typedef enum wb_pending { WB_PENDING_NONE, WB_PENDING_RUNS, WB_PENDING_FAILED } wb_pending;
wb_pending wb_pending_state(char *text, size_t size);
