/* connection.h: the connection file that a Jupyter client writes for its kernel, and the sockets
 * that it describes.
 * https://jupyter-client.readthedocs.io/en/stable/kernels.html#connection-files */
#pragma once

#include "runtime/base/base.h"

enum { CONNECTION_MAX_FRAME = 256 << 20 }; /* bytes */

typedef struct connection {
    char transport[8];                     /* "tcp" or "ipc" */
    char ip[256];                          /* an address; for ipc, the beginning of a path */
    int shell, iopub, stdin_, control, hb; /* ports, 1..65535 */
    char key[256], scheme[32];             /* an empty key: messages are not signed */
    char curve_publickey[41], curve_secretkey[41]; /* Z85; empty: no encryption */
} connection;

/* Reads and checks the file. If it fails, *err names the wrong field. */
bool connection_load(const char *path, connection *c, wb_error *err);

/* Returns a bound ZeroMQ socket of `type`, encrypted if the file has CurveZMQ keys. backlog: how
 * many messages are kept for a client that does not read; 0: all. A frame over CONNECTION_MAX_FRAME
 * ends its connection. NULL with *err if it fails. */
void *connection_bind(const connection *c, void *zmq, int type, int port, int backlog,
                      wb_error *err);
