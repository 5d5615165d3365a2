/* channel.h: a ROUTER socket that several threads share.
 *
 * Every call holds the channel's lock, because a ZeroMQ socket may be used by only one thread at a
 * time. The first thread that takes a message moves all received messages into the channel's queue.
 * So it finds a subshell's request behind ten cells that wait.
 *
 * No call waits. A thread polls channel_fd, which becomes readable when something may have arrived.
 * It must then take all messages: the descriptor (ZMQ_FD) is edge-triggered. */
#pragma once

#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/message.h"

typedef struct channel channel;

/* A received message. `number` counts the messages of its channel, from 1. */
typedef struct channel_message {
    struct channel_message *next;
    unsigned long number;
    wire_message wire;
} channel_message;

/* Binds the socket. NULL with *err. `name` ("shell") is for the log; `author` is borrowed. */
channel *channel_open(const connection *c, void *zmq, const char *name, int port,
                      message_author *author, wb_error *err);
/* Also frees the messages that are still queued. `c` may be NULL. */
void channel_close(channel *c);
const char *channel_name(const channel *c);

int channel_fd(channel *c);
/* Removes the first message for which `wanted` is true (NULL: any); the caller frees it. Or
 * NULL. */
channel_message *channel_take(channel *c, bool (*wanted)(const wire_message *m));
void channel_message_free(channel_message *m);
/* Returns the number of the last message that has arrived. */
unsigned long channel_last(channel *c);

/* Sends to the client that `identities` name. Returns false if nothing was sent; zmq_errno() says
 * why. A missing client is an error only after channel_must_reach. */
bool channel_send(channel *c, const wire_span *identities, size_t n_identities, const char *type,
                  wire_span parent, wire_span metadata, wire_span content);
/* From now on, sending to a missing client fails with EHOSTUNREACH. */
bool channel_must_reach(channel *c, wb_error *err);
