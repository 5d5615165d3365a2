/* router.h: a listening ROUTER without ZeroMQ's threads, for the channel whose round trips count.
 *
 * libzmq moves a request through a thread of its own: the bytes wake that thread, it wakes the one
 * that handles the request, and the answer goes back the same way. Here the handling thread waits
 * on the connections itself, which saves two of the six wakes of a round trip (half its time).
 *
 * One thread waits, takes messages and sends. While it runs a cell another one attends to the
 * connections, so that clients can connect, say what they want and get what is on its way to them.
 * Semantics are a ROUTER's: https://rfc.zeromq.org/spec/28/ ; a peer that comes back under its old
 * identity takes it over, and nothing is dropped for want of room. */
#ifndef WARPBOOK_KERNEL_ROUTER_H
#define WARPBOOK_KERNEL_ROUTER_H

#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/wire.h"

typedef struct router router;

/* Of a message that was taken; frames[0] is the sender's identity. One block: free() it. */
typedef struct router_message {
    struct router_message *next;
    size_t n; /* frames; those beyond WIRE_MAX_FRAMES + 1 were dropped */
    wire_span frames[];
} router_message;

/* For a connection that peers_suit. */
router *router_open(const connection *c, int port, wb_error *err); /* NULL with *err */
/* Ends the connections; what was sent gets up to a second to leave. NULL is fine. */
void router_close(router *r);

/* Waits until something came: a message perhaps, or router_wake. For the handling thread. */
void router_wait(router *r);
void router_wake(router *r); /* any thread */
/* How many messages are there now; takes in all that has come. */
size_t router_queued(router *r);
/* Whether there is one among what was taken in; router_wait takes in what comes. */
bool router_has(router *r);
/* The next message, NULL when there is none now. */
router_message *router_take(router *r);
/* The next of those that wait for which `wanted` is true; any thread. */
router_message *router_take_wanted(router *r, bool (*wanted)(const router_message *m));
/* Sends to the peer that frames[0] names; to nobody when it is gone. False: out of memory. */
bool router_send(router *r, const wire_span *frames, size_t n);

/* For the thread that attends meanwhile: readable when there is something to attend to. */
int router_fd(const router *r);
void router_attend(router *r);

#endif
