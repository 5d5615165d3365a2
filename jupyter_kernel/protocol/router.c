/* router.c: who is who among the peers, and the queue of messages. */
#include "jupyter_kernel/protocol/router.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "jupyter_kernel/protocol/peers.h"

static const size_t max_message = (size_t)1 << 30;

struct router {
    int news;             /* eventfd that ends a wait */
    pthread_mutex_t lock; /* for all below */
    peers peers;
    router_message *first, **last;
    bool waiting; /* the handling thread is in router_wait */
};

/* ---- what peers do ------------------------------------------------------------------------ */

static peer *find_identity(router *r, const char *identity, size_t len) {
    for (peer *p = r->peers.first; p; p = p->next)
        if (p->state == PEER_OPEN && !p->broken && p->identity_len == len &&
            memcmp(p->identity, identity, len) == 0)
            return p;
    return NULL;
}

/* One that names none gets an identity that nobody can name (28/REQREP); of two under one name the
 * newcomer takes it over. */
static void opened(void *owner, peer *newcomer) {
    router *r = owner;
    if (newcomer->identity_len == 0) {
        uint32_t number = (uint32_t)newcomer->id;
        newcomer->identity[0] = 0;
        memcpy(newcomer->identity + 1, &number, sizeof number);
        newcomer->identity_len = 1 + sizeof number;
    }
    for (peer *p = r->peers.first; p; p = p->next)
        if (p != newcomer && p->state == PEER_OPEN && p->identity_len == newcomer->identity_len &&
            memcmp(p->identity, newcomer->identity, p->identity_len) == 0)
            p->broken = true;
}

/* Into the queue, behind the identity. */
static bool queue(void *owner, peer *p, wire_span frames, size_t n_frames) {
    router *r = owner;
    size_t n = 1 + (n_frames < WIRE_MAX_FRAMES ? n_frames : WIRE_MAX_FRAMES);
    router_message *m = malloc(sizeof *m + n * sizeof m->frames[0] + p->identity_len + frames.len);
    if (!m)
        return false;
    char *at = (char *)&m->frames[n];
    *m = (router_message){.n = n};
    m->frames[0] = (wire_span){at, p->identity_len};
    memcpy(at, p->identity, p->identity_len);
    at += p->identity_len;
    memcpy(at, frames.data, frames.len);
    size_t i = 1;
    zmtp_frame f;
    for (wire_span in = {at, frames.len}; i < n && zmtp_read_frame(in, max_message, &f) == ZMTP_OK;
         in = (wire_span){in.data + f.size, in.len - f.size})
        if (!(f.flags & ZMTP_COMMAND))
            m->frames[i++] = f.body;
    *r->last = m;
    r->last = &m->next;
    return true;
}

static const char *const partners[] = {"DEALER", "REQ", "ROUTER", NULL};
static const peers_role role = {
    .type = "ROUTER",
    .partners = partners,
    .max_message = max_message,
    .opened = opened,
    .message = queue,
};

router *router_open(const connection *c, int port, wb_error *err) {
    router *r = calloc(1, sizeof *r);
    if (!r) {
        wb_fail(err, ENOMEM, "out of memory");
        return NULL;
    }
    r->last = &r->first;
    pthread_mutex_init(&r->lock, NULL);
    r->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool ok = peers_open(&r->peers, c, port, &role, r, err);
    if (ok &&
        (r->news < 0 || !peers_watch(&r->peers, EPOLL_CTL_ADD, r->news, PEERS_ID_OWNER, EPOLLIN)))
        ok = wb_fail(err, errno, "the shell channel can't be opened: %s", strerror(errno));
    if (ok)
        return r;
    router_close(r);
    return NULL;
}

/* ---- what threads call --------------------------------------------------------------------- */

/* For half a millisecond after it had something to do, the thread looks instead of sleeping:
 * requests come in flights (a client that opens a notebook sends five), and to wake a core that has
 * gone to sleep takes longer than an answer. Whoever else wants this core gets it. */
static int events_of(router *r, struct epoll_event events[PEERS_EVENTS]) {
    static const double awake_s = 0.5e-3;
    for (double until = wb_now() + awake_s; wb_now() < until; sched_yield()) {
        int n = epoll_wait(r->peers.epoll, events, PEERS_EVENTS, 0);
        if (n != 0)
            return n;
    }
    return epoll_wait(r->peers.epoll, events, PEERS_EVENTS, -1);
}

void router_wait(router *r) {
    struct epoll_event events[PEERS_EVENTS];
    pthread_mutex_lock(&r->lock);
    bool wait = r->waiting = !r->first;
    pthread_mutex_unlock(&r->lock);
    int n = wait ? events_of(r, events) : 0;
    pthread_mutex_lock(&r->lock);
    r->waiting = false;
    peers_serve(&r->peers, events, n);
    for (int i = 0; i < n; i++) {
        uint64_t count;
        ssize_t ignored =
            events[i].data.u64 == PEERS_ID_OWNER ? read(r->news, &count, sizeof count) : 0;
        (void)ignored;
    }
    pthread_mutex_unlock(&r->lock);
}

void router_wake(router *r) {
    uint64_t one = 1;
    ssize_t ignored = write(r->news, &one, sizeof one);
    (void)ignored;
}

/* Takes in some of what has come; false when nothing has. */
static bool look(router *r) {
    struct epoll_event events[PEERS_EVENTS];
    int n = epoll_wait(r->peers.epoll, events, PEERS_EVENTS, 0);
    peers_serve(&r->peers, events, n);
    return n > 0 && !(n == 1 && events[0].data.u64 == PEERS_ID_OWNER);
}

size_t router_queued(router *r) {
    size_t n = 0;
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < 1000 && look(r);
         i++) /* a client that never stops talking is not waited for */
        ;
    for (router_message *m = r->first; m; m = m->next)
        n++;
    pthread_mutex_unlock(&r->lock);
    return n;
}

bool router_has(router *r) {
    pthread_mutex_lock(&r->lock);
    bool has = r->first != NULL;
    pthread_mutex_unlock(&r->lock);
    return has;
}

router_message *router_take(router *r) {
    pthread_mutex_lock(&r->lock);
    router_message *m = r->first;
    if (m && !(r->first = m->next))
        r->last = &r->first;
    pthread_mutex_unlock(&r->lock);
    return m;
}

router_message *router_take_wanted(router *r, bool (*wanted)(const router_message *m)) {
    pthread_mutex_lock(&r->lock);
    router_message **at = &r->first, *m;
    while ((m = *at) && !wanted(m))
        at = &m->next;
    if (m && !(*at = m->next))
        r->last = at;
    pthread_mutex_unlock(&r->lock);
    return m;
}

bool router_send(router *r, const wire_span *frames, size_t n) {
    bool ok = true;
    pthread_mutex_lock(&r->lock);
    peer *p = find_identity(r, frames[0].data, frames[0].len);
    if (p) {
        for (size_t i = 1; i < n; i++)
            zmtp_put_frame(&p->out, i + 1 < n ? ZMTP_MORE : 0, frames[i]);
        ok = !p->out.failed;
        peers_flush(&r->peers, p);
        peers_sweep(&r->peers);
    }
    pthread_mutex_unlock(&r->lock);
    return ok;
}

int router_fd(const router *r) {
    return r->peers.epoll;
}

void router_attend(router *r) {
    pthread_mutex_lock(&r->lock);
    look(r);
    if (r->first && r->waiting)
        router_wake(r); /* its bytes are read: nothing else would tell the handling thread */
    pthread_mutex_unlock(&r->lock);
}

void router_close(router *r) {
    if (!r)
        return;
    peers_close(&r->peers);
    for (router_message *m = r->first, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    if (r->news >= 0)
        close(r->news);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
