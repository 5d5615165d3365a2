/* debug.h: a debugger of kernels, which speaks the Debug Adapter Protocol (README.md). */
#pragma once

#include <jansson.h>

#include "runtime/softgpu/debug/dwarf.h"
#include "runtime/softgpu/engine.h"

/* Connects to a client's Unix socket, if it is not connected there. NULL or "" ends the connection.
 * `sources` (borrowed, or NULL): {name of a file in the PTX: the client's path}. */
void dbg_serve(const char *path, const json_t *sources);

/* Returns true if launches should run under the debugger: a client is there. */
bool dbg_is_on(void);

/* A launch under the debugger. */
typedef struct dbg_session dbg_session;
/* Opens the debug information of a module's text. Returns NULL if it has none. */
dbg_info *dbg_open_kernel(const sg_kernel *kernel);
/* Sets the launch's options and its wish. Returns NULL without memory, or if another thread's
 * launch is under the debugger. info must outlive the result. */
dbg_session *dbg_launch_open(sg_launch *launch, const dbg_info *info);
void dbg_launch_close(dbg_session *session); /* NULL is fine */
/* Tells the client why a launch runs without it. */
void dbg_launch_unknown(const char *kernel);
