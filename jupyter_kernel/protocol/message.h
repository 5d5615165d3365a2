/* message.h: headers of our own messages, and frames to and from the channels. */
#ifndef WARPBOOK_KERNEL_MESSAGE_H
#define WARPBOOK_KERNEL_MESSAGE_H

#include <zmq.h>

#include "jupyter_kernel/protocol/router.h"
#include "jupyter_kernel/protocol/wire.h"
#include "jupyter_kernel/protocol/xpub.h"

/* The protocol whose messages we send.
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html */
#define MESSAGE_VERSION "5.5"

enum { MESSAGE_HEADER_SIZE = 320 };

/* Who signs and names this process's messages. One for the process; usable by all threads. */
typedef struct message_author {
    wire_key *key;
    char session[33]; /* random hex */
} message_author;

bool message_author_init(message_author *author, wire_key *key, wb_error *err);

/* The JSON of a new header, with a message id of its own. */
wire_span message_header(const message_author *author, const char *type,
                         char out[MESSAGE_HEADER_SIZE]);

/* A channel: all but one are NULL. */
typedef struct message_port {
    void *zmq;      /* a ZeroMQ socket */
    router *router; /* or a listener of our own */
    xpub *xpub;     /* or a publisher of our own, which does not receive; to be flushed */
} message_port;

/* Signs and sends; parent "" stands for {} and so does metadata "". False when it could not be
 * sent (memory, or the context has ended). */
bool message_send(const message_author *author, message_port to, const wire_span *identities,
                  size_t n_identities, const char *type, wire_span parent, wire_span metadata,
                  wire_span content);

/* One multipart message off a channel. data of frames points into parts, or into taken. Ordinary
 * messages need no memory of their own; not to be copied or moved. */
typedef struct message_frames {
    router_message *taken; /* off a router, else NULL */
    zmq_msg_t *parts, few_parts[12];
    wire_span *frames, few_frames[12];
    size_t n, cap;
} message_frames;

/* flags: 0 or ZMQ_DONTWAIT; a router never waits. False when there is nothing, the context has
 * ended or memory ran out; of a ZeroMQ socket zmq_errno() tells which (EAGAIN, ETERM, ENOMEM).
 * Frames beyond WIRE_MAX_FRAMES are read and dropped, n then being WIRE_MAX_FRAMES + 1, which
 * wire_parse refuses. */
bool message_receive(message_port from, int flags, message_frames *f);
/* The same of a message that was taken off a router; stolen. */
void message_of(router_message *taken, message_frames *f);
void message_frames_free(message_frames *f);

#endif
