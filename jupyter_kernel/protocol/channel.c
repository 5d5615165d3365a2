/* channel.c: a ROUTER socket, its queue, and the lock of both. */
#include "jupyter_kernel/protocol/channel.h"

#include <errno.h>
#include <zmq.h>

#include "runtime/base/scoped.h"

struct channel {
    const char *name;
    message_author *author;
    int fd;
    pthread_mutex_t lock; /* protects the members below */
    void *socket;
    channel_message *first, **last;
    unsigned long came;
};

/* ---- under the lock ----------------------------------------------------------------------- */

static void take_in(channel *c) {
    channel_message *m = NULL;
    message_status status = MESSAGE_OK;
    while (status != MESSAGE_NONE && (m || (m = calloc(1, sizeof *m)))) {
        status = message_receive(c->author, c->socket, c->name, &m->wire);
        if (status == MESSAGE_OK) {
            m->number = ++c->came;
            *c->last = m;
            c->last = &m->next;
            m = NULL;
        }
    }
    free(m);
}

static channel_message *unlink_first(channel *c, bool (*wanted)(const wire_message *m)) {
    channel_message **at = &c->first;
    while (*at && wanted && !wanted(&(*at)->wire))
        at = &(*at)->next;
    channel_message *m = *at;
    if (m) {
        *at = m->next;
        if (c->last == &m->next)
            c->last = at;
        m->next = NULL;
    }
    return m;
}

/* ---- for any thread ------------------------------------------------------------------------- */

channel *channel_open(const connection *connection, void *zmq, const char *name, int port,
                      message_author *author, wb_error *err) {
    channel *c = calloc(1, sizeof *c);
    if (!c) {
        wb_fail(err, ENOMEM, _("out of memory"));
        return NULL;
    }
    c->name = name;
    c->author = author;
    c->last = &c->first;
    pthread_mutex_init(&c->lock, NULL);
    size_t size = sizeof c->fd;
    c->socket = connection_bind(connection, zmq, ZMQ_ROUTER, port, 0, err);
    if (c->socket && zmq_getsockopt(c->socket, ZMQ_FD, &c->fd, &size) == 0)
        return c;
    channel_close(c);
    return NULL;
}

void channel_close(channel *c) {
    if (!c)
        return;
    if (c->socket)
        zmq_close(c->socket);
    for (channel_message *m; (m = unlink_first(c, NULL));)
        channel_message_free(m);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

const char *channel_name(const channel *c) {
    return c->name;
}

int channel_fd(channel *c) {
    return c->fd;
}

channel_message *channel_take(channel *c, bool (*wanted)(const wire_message *m)) {
    WB_LOCKED(&c->lock);
    take_in(c);
    return unlink_first(c, wanted);
}

void channel_message_free(channel_message *m) {
    wire_message_free(&m->wire);
    free(m);
}

unsigned long channel_last(channel *c) {
    WB_LOCKED(&c->lock);
    take_in(c);
    return c->came;
}

bool channel_send(channel *c, const wire_span *identities, size_t n_identities, const char *type,
                  wire_span parent, wire_span metadata, wire_span content) {
    WB_LOCKED(&c->lock);
    return message_send(c->author, c->socket, identities, n_identities, type, parent, metadata,
                        content);
}

bool channel_must_reach(channel *c, wb_error *err) {
    int yes = 1;
    return zmq_setsockopt(c->socket, ZMQ_ROUTER_MANDATORY, &yes, sizeof yes) == 0 ||
           wb_fail(err, 1, "%s: %s", c->name, zmq_strerror(zmq_errno()));
}
