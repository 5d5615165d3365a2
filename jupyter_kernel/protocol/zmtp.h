/* zmtp.h: ZMTP 3.1, the bytes of a ZeroMQ connection, with the NULL mechanism, as a listening
 * ROUTER or XPUB speaks it. Pure: bytes in, bytes out. https://rfc.zeromq.org/spec/37/ */
#ifndef WARPBOOK_KERNEL_ZMTP_H
#define WARPBOOK_KERNEL_ZMTP_H

#include "jupyter_kernel/protocol/wire.h"

enum { ZMTP_GREETING_SIZE = 64, ZMTP_MAX_IDENTITY = 255 };
enum { ZMTP_MORE = 1, ZMTP_LONG = 2, ZMTP_COMMAND = 4 }; /* a frame's flags */

typedef enum zmtp_status {
    ZMTP_OK,
    ZMTP_PARTIAL, /* right so far; more bytes are needed */
    ZMTP_REFUSED  /* not ZMTP, or not a peer that suits */
} zmtp_status;

typedef struct zmtp_frame {
    unsigned flags;
    wire_span body;
    size_t size; /* with its head */
} zmtp_frame;

/* ---- reading ------------------------------------------------------------------------------ */

/* The greeting that `in` begins with: version 3, mechanism NULL, or refused. */
zmtp_status zmtp_read_greeting(wire_span in);
/* The frame that `in` begins with; one whose body is longer than `max` is refused. */
zmtp_status zmtp_read_frame(wire_span in, size_t max, zmtp_frame *frame);
/* Whether a command's body is the command `name`; *data is what follows the name. */
bool zmtp_is_command(wire_span body, const char *name, wire_span *data);
/* The properties of READY: whether the peer is one of `partners` (socket types, NULL ends them),
 * and the identity it gives itself ("": none). */
zmtp_status zmtp_read_ready(wire_span properties, const char *const *partners, wire_span *identity);

typedef enum zmtp_wish { ZMTP_NO_WISH, ZMTP_SUBSCRIBE, ZMTP_CANCEL } zmtp_wish;

/* What a subscriber wants: as a message of one frame, its head included (ZMTP 3.0), or as the body
 * of a command (3.1). *topic points into it. */
zmtp_wish zmtp_read_wish(wire_span message, wire_span *topic);
zmtp_wish zmtp_read_wish_command(wire_span body, wire_span *topic);

/* ---- writing: appended to *out, whose `failed` tells when memory runs out -------------------- */

void zmtp_put_greeting(wb_buf *out);
void zmtp_put_ready(wb_buf *out, const char *type); /* type: what socket we are */
void zmtp_put_pong(wb_buf *out, wire_span ping);    /* ping: the data of the PING */
void zmtp_put_frame(wb_buf *out, unsigned flags, wire_span body);

#endif
