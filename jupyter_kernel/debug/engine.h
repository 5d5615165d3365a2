/* engine.h: the connection to a debug adapter, a server of the Debug Adapter Protocol: softgpu's in
 * the process of the cells. It connects to our socket. For one thread at a time. No call waits. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

typedef struct engine engine;

typedef enum engine_news {
    ENGINE_QUIET, /* nothing more has happened */
    ENGINE_CAME,  /* a process has connected; another that was connected has gone before */
    ENGINE_SAID,  /* a message */
    ENGINE_WENT   /* the process has gone, or does not speak the protocol */
} engine_news;

/* Listens at the path. NULL with *err. */
engine *engine_open(const char *path, wb_error *err);
void engine_leave(engine *e); /* hangs up */
void engine_close(engine *e); /* NULL is fine */

/* Returns the descriptors to poll, -1 where there is none. */
void engine_fds(const engine *e, int fds[2]);
/* Returns what has happened next. *message is a new reference, or NULL. */
engine_news engine_hear(engine *e, json_t **message);
/* Sends a request. Steals `arguments`, which may be NULL. Returns its number, or 0 if nobody is
 * connected. */
json_int_t engine_ask(engine *e, const char *command, json_t *arguments);
