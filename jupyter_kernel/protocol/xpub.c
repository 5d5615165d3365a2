/* xpub.c: subscriptions, and who gets what. */
#include "jupyter_kernel/protocol/xpub.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "jupyter_kernel/protocol/peers.h"
#include "jupyter_kernel/protocol/topics.h"

static const size_t kept_room = (size_t)1 << 20; /* a buffer larger than this is given back */

struct xpub {
    peers peers;
    xpub_options options;
    wb_buf message; /* the one that is being sent, as its bytes */
};

/* ---- what subscribers say ----------------------------------------------------------------- */

static bool take_wish(xpub *x, peer *p, zmtp_wish wish, wire_span topic) {
    if (wish == ZMTP_CANCEL)
        topics_remove(&p->topics, topic);
    if (wish != ZMTP_SUBSCRIBE)
        return true; /* else a message of an XSUB to us, which is allowed and of no use */
    if (!topics_add(&p->topics, topic))
        return false;
    x->options.subscribed(x->options.ctx, topic);
    return true;
}

static bool on_message(void *owner, peer *p, wire_span frames, size_t n) {
    wire_span topic;
    return n > 1 || take_wish(owner, p, zmtp_read_wish(frames, &topic), topic);
}

static bool on_command(void *owner, peer *p, wire_span body) {
    wire_span topic;
    return take_wish(owner, p, zmtp_read_wish_command(body, &topic), topic);
}

static const char *const partners[] = {"SUB", "XSUB", NULL};
static const peers_role role = {
    .type = "XPUB",
    .partners = partners,
    .max_message = 2 * TOPICS_MAX_BYTES,
    .message = on_message,
    .command = on_command,
};

/* ---- opening and ending ------------------------------------------------------------------- */

xpub *xpub_open(const connection *c, int port, const xpub_options *options, wb_error *err) {
    xpub *x = calloc(1, sizeof *x);
    if (!x) {
        wb_fail(err, ENOMEM, "out of memory");
        return NULL;
    }
    x->options = *options;
    if (peers_open(&x->peers, c, port, &role, x, err))
        return x;
    xpub_close(x);
    return NULL;
}

void xpub_close(xpub *x) {
    if (!x)
        return;
    peers_close(&x->peers);
    wb_buf_free(&x->message);
    free(x);
}

/* ---- publishing --------------------------------------------------------------------------- */

/* False: out of memory; the subscriber misses this one, and what came before it is whole. */
static bool give(xpub *x, peer *p) {
    size_t kept = p->out.len - p->sent;
    if (kept > 0 && kept + x->message.len > x->options.limit) {
        if (!p->missing)
            fprintf(stderr, "warpbook: an IOPub subscriber does not read: it misses messages\n");
        p->missing = true;
        return true;
    }
    p->missing = false;
    bool ok = wb_buf_append(&p->out, x->message.data, x->message.len);
    p->out.failed = false;
    return ok;
}

bool xpub_send(xpub *x, const wire_span *frames, size_t n) {
    wb_buf_clear(&x->message);
    bool ok = true;
    for (peer *p = x->peers.first; p; p = p->next) {
        if (p->state != PEER_OPEN || p->broken || !topics_want(&p->topics, frames[0]))
            continue;
        if (x->message.len == 0)
            for (size_t i = 0; i < n; i++)
                zmtp_put_frame(&x->message, i + 1 < n ? ZMTP_MORE : 0, frames[i]);
        ok = !x->message.failed && give(x, p) && ok;
    }
    if (x->message.failed || x->message.cap > kept_room)
        wb_buf_free(&x->message);
    return ok;
}

void xpub_flush(xpub *x) {
    for (peer *p = x->peers.first; p; p = p->next)
        if (p->out.len > 0 && !p->writing)
            peers_flush(&x->peers, p);
    peers_sweep(&x->peers);
}

int xpub_fd(const xpub *x) {
    return x->peers.epoll;
}

void xpub_attend(xpub *x) {
    struct epoll_event events[PEERS_EVENTS];
    peers_serve(&x->peers, events, epoll_wait(x->peers.epoll, events, PEERS_EVENTS, 0));
    xpub_flush(x);
}
