/* channel.h: JSON messages over a stream socket between session and worker. Each has its length in
 * front (four bytes, little-endian) and is an object with a member "op". */
#pragma once

#include <jansson.h>
#include "runtime/base/base.h"

enum { WB_CHANNEL_MAX = 256 << 20 }; /* bytes; a longer message is refused */

/* Sends the message and releases it, also on failure. Blocks. Two threads must not call it at once.
 * Returns false if the peer is gone. Returns false with errno EMSGSIZE, and sends nothing, if the
 * message is NULL or too long. */
bool wb_channel_send(int fd, json_t *message);

/* Takes one whole message out of *in, or returns NULL if there is none yet. Sets *broken if the
 * bytes can't be a message. */
json_t *wb_channel_take(wb_buf *in, bool *broken);

/* Reads what is available into *in without blocking. Returns false at the end of the stream. */
bool wb_channel_fill(int fd, wb_buf *in);

/* Waits for the next message. Returns NULL at the end of the stream, or if `stop` (may be NULL)
 * became non-zero. */
json_t *wb_channel_receive(int fd, wb_buf *in, const volatile int *stop);
