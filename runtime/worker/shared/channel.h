/* channel.h: JSON messages over a stream socket between session and worker, each behind its length
 * (four bytes, little-endian). Every message is an object with a member "op". */
#ifndef WARPBOOK_CHANNEL_H
#define WARPBOOK_CHANNEL_H

#include <jansson.h>
#include "runtime/base/base.h"

enum { WB_CHANNEL_MAX = 256 << 20 }; /* bytes of one message; a longer one is refused */

/* Sends the message and releases it (also on failure). Blocks; not for use by two threads at once.
 * False when the peer is gone, or, with EMSGSIZE in errno and nothing sent, when the message is
 * NULL or too long. */
bool wb_channel_send(int fd, json_t *message);

/* Takes one whole message out of *in, or NULL when there is none yet; *broken is set when the bytes
 * can't be a message. */
json_t *wb_channel_take(wb_buf *in, bool *broken);

/* Reads what is there without blocking into *in; false at the end of the stream. */
bool wb_channel_fill(int fd, wb_buf *in);

/* Waits for the next message; NULL at the end of the stream, or when `stop` (may be NULL) became
 * non-zero while waiting. */
json_t *wb_channel_receive(int fd, wb_buf *in, const volatile int *stop);

#endif
