/* message.h: whole messages to and from ZeroMQ sockets. It writes headers and signatures, and
 * checks every message that it receives. */
#pragma once

#include <pthread.h>

#include "jupyter_kernel/protocol/wire.h"

/* The version of the protocol that we send.
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html */
#define MESSAGE_VERSION "5.5"

/* Signs and numbers sent messages, and checks received ones. One a process, for any thread. */
typedef struct message_author {
    wire_key *key;
    char session[33];     /* random hex */
    wire_guard *guard;    /* refuses replays, across all channels */
    pthread_mutex_t lock; /* protects the guard */
} message_author;

bool message_author_init(message_author *author, wire_key *key, wb_error *err);
void message_author_free(message_author *author);

/* Signs and sends. An empty parent or metadata becomes {}. False: not sent; zmq_errno() says
 * why. */
bool message_send(const message_author *author, void *socket, const wire_span *identities,
                  size_t n_identities, const char *type, wire_span parent, wire_span metadata,
                  wire_span content);

/* Writes the present time as the protocol does: "2026-01-31T23:59:59.123456Z". */
void message_now(char date[40]);

typedef enum message_status {
    MESSAGE_NONE,    /* no message, or the context has ended */
    MESSAGE_REFUSED, /* a message was refused and logged */
    MESSAGE_OK
} message_status;

/* Takes one message off a socket without waiting, checks it and parses it. `channel` is its name
 * for the log. After MESSAGE_OK the caller frees *message. */
message_status message_receive(message_author *author, void *socket, const char *channel,
                               wire_message *message);
