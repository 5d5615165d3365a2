/* xpub.h: a listening XPUB without ZeroMQ's threads, for IOPub: whoever publishes sends, and wakes
 * no thread of this process. Not for two threads at once: iopub.c holds its lock.
 *
 * Semantics are an XPUB's (https://rfc.zeromq.org/spec/29/): a message goes to those who have
 * subscribed to the beginning of its first frame. Nobody is waited for: what a subscriber does not
 * read is kept for it up to a limit, and beyond that it misses messages, whole ones, until it has
 * read. */
#ifndef WARPBOOK_KERNEL_XPUB_H
#define WARPBOOK_KERNEL_XPUB_H

#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/wire.h"

enum { XPUB_LIMIT = 256 << 20 }; /* bytes kept for one subscriber */

typedef struct xpub xpub;

typedef struct xpub_options {
    size_t limit; /* of bytes kept for a subscriber that keep a further message from it */
    /* Called for each subscription, a repeated one too, from xpub_attend. May send. */
    void (*subscribed)(void *ctx, wire_span topic);
    void *ctx;
} xpub_options;

/* For a connection that peers_suit; NULL with *err. */
xpub *xpub_open(const connection *c, int port, const xpub_options *options, wb_error *err);
/* Ends the connections; what was sent gets up to a second to leave. NULL is fine. */
void xpub_close(xpub *x);

/* Gives frames to those who want them; they leave with the next xpub_flush. False: out of memory,
 * and somebody missed it. */
bool xpub_send(xpub *x, const wire_span *frames, size_t n);
void xpub_flush(xpub *x);

/* Readable when there is something to attend to: newcomers, subscriptions, room to write on. */
int xpub_fd(const xpub *x);
void xpub_attend(xpub *x);

#endif
