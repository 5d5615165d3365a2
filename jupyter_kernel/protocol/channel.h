/* channel.h: a ROUTER socket that threads take turns at.
 *
 * Everything happens under the channel's lock, so a ZeroMQ socket, which is for one thread at a
 * time, may serve several. Whoever asks for a message first takes in all that has come, into a
 * queue of the channel's own: a request for a subshell is found there behind ten cells that wait.
 *
 * Nobody waits inside: a thread polls channel_fd, which becomes readable when something may have
 * come, and then must ask until there is nothing (the descriptor is edge-triggered, ZMQ_FD). */
#ifndef WARPBOOK_KERNEL_CHANNEL_H
#define WARPBOOK_KERNEL_CHANNEL_H

#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/message.h"

typedef struct channel channel;

/* A message that came; number counts those of its channel, from 1. */
typedef struct channel_message {
    struct channel_message *next;
    unsigned long number;
    wire_message wire;
} channel_message;

/* Binds; NULL with *err. name ("shell") is for the log; author is borrowed. */
channel *channel_open(const connection *c, void *zmq, const char *name, int port,
                      message_author *author, wb_error *err);
/* With what nobody has taken. NULL is fine. */
void channel_close(channel *c);
const char *channel_name(const channel *c);

int channel_fd(channel *c);
/* The first message for which `wanted` is true (NULL: the first), the caller's now; NULL: none. */
channel_message *channel_take(channel *c, bool (*wanted)(const wire_message *m));
void channel_message_free(channel_message *m);
/* The number of the last message that has come. */
unsigned long channel_last(channel *c);

/* Sends to the client that the identities name. False when it is not sent: to say so of a client
 * that is not there is for channel_must_reach; zmq_errno() says why. */
bool channel_send(channel *c, const wire_span *identities, size_t n_identities, const char *type,
                  wire_span parent, wire_span metadata, wire_span content);
/* From now on, sending to a client that is not there fails (EHOSTUNREACH). */
bool channel_must_reach(channel *c, wb_error *err);

#endif
