/* engine.h: the connection to a debug adapter, a server of the Debug Adapter Protocol: softgpu's in
 * the process of the cells. It connects to our socket. A new connection replaces the one before.
 *
 * The module begins each session (initialize, attach, configurationDone) and numbers the requests.
 * For one thread at a time. No call waits. */
#ifndef WARPBOOK_KERNEL_ENGINE_H
#define WARPBOOK_KERNEL_ENGINE_H

#include <jansson.h>

#include "runtime/base/base.h"

typedef struct engine engine;

/* Receives an engine's messages, borrowed. */
typedef struct engine_owner {
    void *ctx;
    void (*configure)(void *ctx); /* the engine waits for breakpoints (engine_ask) */
    void (*event)(void *ctx, const json_t *event);
    /* question: of engine_ask. answer: NULL if the engine has gone. */
    void (*answer)(void *ctx, void *question, const json_t *answer);
    void (*gone)(void *ctx);
} engine_owner;

/* Listens at the path. NULL with *err. */
engine *engine_open(const char *path, engine_owner owner, wb_error *err);
/* Says goodbye to the process, which then runs on without a debugger. */
void engine_leave(engine *e);
void engine_close(engine *e); /* NULL is fine */

/* The descriptor becomes readable when engine_serve has work. */
int engine_fd(const engine *e);
void engine_serve(engine *e);
/* Sends a request. Steals `arguments`, which may be NULL. A question that is not NULL comes back in
 * answer(), once. Returns false if nobody is connected: the question stays the caller's. */
bool engine_ask(engine *e, const char *command, json_t *arguments, void *question);

#endif
