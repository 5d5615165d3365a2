/* connection.h: the connection file a Jupyter client writes for its kernel, and sockets bound as it
 * says. https://jupyter-client.readthedocs.io/en/stable/kernels.html#connection-files */
#ifndef WARPBOOK_KERNEL_CONNECTION_H
#define WARPBOOK_KERNEL_CONNECTION_H

#include "runtime/base/base.h"

enum { CONNECTION_MAX_FRAME = 256 << 20 }; /* bytes */

typedef struct connection {
    char transport[8];                             /* "tcp" or "ipc" */
    char ip[256];                                  /* an address, or a path's beginning for ipc */
    int shell, iopub, stdin_, control, hb;         /* ports, 1..65535 */
    char key[256], scheme[32];                     /* an empty key: messages are not signed */
    char curve_publickey[41], curve_secretkey[41]; /* Z85; empty: no encryption */
} connection;

/* Reads and checks the file; err names the field that is wrong. */
bool connection_load(const char *path, connection *c, wb_error *err);

/* A bound ZeroMQ socket of `type`, encrypted where the file has CurveZMQ keys. backlog: how many
 * messages are kept for a client that does not read, 0: all. Frames over CONNECTION_MAX_FRAME end
 * the connection they come over. NULL with *err. */
void *connection_bind(const connection *c, void *zmq, int type, int port, int backlog,
                      wb_error *err);

#endif
