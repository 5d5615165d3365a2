/* message.h: whole messages to and from ZeroMQ sockets: our own headers and signatures, and what
 * must hold of a message before anybody looks at it. */
#ifndef WARPBOOK_KERNEL_MESSAGE_H
#define WARPBOOK_KERNEL_MESSAGE_H

#include <pthread.h>

#include "jupyter_kernel/protocol/wire.h"

/* The protocol whose messages we send.
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html */
#define MESSAGE_VERSION "5.5"

/* Who signs and names this process's messages, and checks those of others. One for the process;
 * usable by all threads. */
typedef struct message_author {
    wire_key *key;
    char session[33];     /* random hex */
    wire_guard *guard;    /* replays are refused across channels */
    pthread_mutex_t lock; /* the guard's */
} message_author;

bool message_author_init(message_author *author, wire_key *key, wb_error *err);
void message_author_free(message_author *author);

/* Signs and sends; parent "" stands for {} and so does metadata "". False when it could not be
 * sent: zmq_errno() says why. */
bool message_send(const message_author *author, void *socket, const wire_span *identities,
                  size_t n_identities, const char *type, wire_span parent, wire_span metadata,
                  wire_span content);

typedef enum message_status {
    MESSAGE_NONE,    /* nothing waits, or the context has ended */
    MESSAGE_REFUSED, /* one came and was refused, which is logged */
    MESSAGE_OK
} message_status;

/* Takes one message off a socket without waiting, checks it and takes it apart. channel: its name,
 * for the log. The caller frees *message after MESSAGE_OK. */
message_status message_receive(message_author *author, void *socket, const char *channel,
                               wire_message *message);

#endif
