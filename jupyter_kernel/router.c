/* router.c: connections, their bytes, and the queue of messages. */
#include "jupyter_kernel/router.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "jupyter_kernel/zmtp.h"

enum { CHUNK = 65536, BACKLOG = 128, EVENTS = 16 };
static const size_t max_message = (size_t)1 << 30;
static const size_t kept_room = (size_t)1 << 20; /* a buffer larger than this is given back */
static const double linger_s = 1.0;

typedef struct peer {
    struct peer *next;
    uint64_t id; /* what epoll calls it by: never used twice */
    int fd;
    enum { GREETING, HANDSHAKE, OPEN } state;
    char identity[ZMTP_MAX_IDENTITY];
    size_t identity_len;
    wb_buf in, out;  /* bytes not yet understood; bytes not yet sent */
    size_t sent;     /* of `out` */
    size_t scanned;  /* of `in`: whole frames of a message whose end has not come */
    size_t n_frames; /* among them, commands not counted */
    bool writing;    /* epoll tells when it can be written to */
    bool broken;     /* to be closed */
} peer;

struct router {
    int epoll, listener, news; /* news: eventfd that ends a wait */
    pthread_mutex_t lock;      /* for all below */
    peer *peers;
    uint64_t last_id;
    router_message *first, **last;
    bool waiting; /* the handling thread is in router_wait */
    bool deaf;    /* out of descriptors: new connections wait until one ends */
};

enum { ID_LISTENER, ID_NEWS, ID_PEERS }; /* what epoll calls things by */

/* ---- opening ------------------------------------------------------------------------------ */

static socklen_t address_of(const connection *c, int port, struct sockaddr_storage *to) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)to;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
    *to = (struct sockaddr_storage){0};
    if (inet_pton(AF_INET, c->ip, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        return sizeof *v4;
    }
    if (inet_pton(AF_INET6, c->ip, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        return sizeof *v6;
    }
    return 0;
}

bool router_suits(const connection *c) {
    struct sockaddr_storage address;
    return strcmp(c->transport, "tcp") == 0 && !c->curve_secretkey[0] &&
           address_of(c, c->shell, &address) != 0;
}

static bool watch(router *r, int how, int fd, uint64_t id, uint32_t events) {
    struct epoll_event event = {.events = events, .data.u64 = id};
    return epoll_ctl(r->epoll, how, fd, &event) == 0;
}

router *router_open(const connection *c, int port, wb_error *err) {
    struct sockaddr_storage address;
    socklen_t size = address_of(c, port, &address);
    router *r = calloc(1, sizeof *r);
    if (!r) {
        wb_fail(err, ENOMEM, "out of memory");
        return NULL;
    }
    int yes = 1;
    r->last = &r->first;
    r->last_id = ID_PEERS;
    pthread_mutex_init(&r->lock, NULL);
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    r->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    r->listener = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (r->epoll >= 0 && r->news >= 0 && r->listener >= 0 &&
        setsockopt(r->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(r->listener, (struct sockaddr *)&address, size) == 0 &&
        listen(r->listener, BACKLOG) == 0 &&
        watch(r, EPOLL_CTL_ADD, r->listener, ID_LISTENER, EPOLLIN) &&
        watch(r, EPOLL_CTL_ADD, r->news, ID_NEWS, EPOLLIN))
        return r;
    wb_fail(err, 1, "can't listen on tcp://%s:%d: %s", c->ip, port, strerror(errno));
    router_close(r);
    return NULL;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void give_back(wb_buf *b) {
    if (b->len == 0 && b->cap > kept_room)
        wb_buf_free(b);
}

/* Sends what the connection takes now; the rest follows when epoll says so. */
static void flush(router *r, peer *p) {
    p->broken |= p->out.failed;
    while (p->sent < p->out.len && !p->broken) {
        ssize_t n =
            send(p->fd, p->out.data + p->sent, p->out.len - p->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0)
            p->sent += (size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            break;
        else if (errno != EINTR)
            p->broken = true;
    }
    if (p->sent > p->out.len / 2) { /* rarely: it moves what is left */
        wb_buf_consume(&p->out, p->sent);
        p->sent = 0;
    }
    bool rest = p->out.len > 0;
    if (rest != p->writing && !p->broken) {
        p->writing = rest;
        p->broken = !watch(r, EPOLL_CTL_MOD, p->fd, p->id, EPOLLIN | (rest ? EPOLLOUT : 0u));
    }
    give_back(&p->out);
}

static peer *find_identity(router *r, const char *identity, size_t len) {
    for (peer *p = r->peers; p; p = p->next)
        if (p->state == OPEN && !p->broken && p->identity_len == len &&
            memcmp(p->identity, identity, len) == 0)
            return p;
    return NULL;
}

/* ---- reading ------------------------------------------------------------------------------ */

static void queue(router *r, router_message *m) {
    *r->last = m;
    r->last = &m->next;
}

/* The frames in the first `scanned` bytes of what came, behind the identity, as one message. */
static void take_message(router *r, peer *p) {
    size_t n = 1 + (p->n_frames < WIRE_MAX_FRAMES ? p->n_frames : WIRE_MAX_FRAMES);
    router_message *m = malloc(sizeof *m + n * sizeof m->frames[0] + p->identity_len + p->scanned);
    if (!m) {
        p->broken = true;
        return;
    }
    char *at = (char *)&m->frames[n];
    *m = (router_message){.n = n};
    m->frames[0] = (wire_span){at, p->identity_len};
    memcpy(at, p->identity, p->identity_len);
    at += p->identity_len;
    memcpy(at, p->in.data, p->scanned);
    size_t i = 1;
    zmtp_frame f;
    for (wire_span in = {at, p->scanned}; i < n && zmtp_read_frame(in, max_message, &f) == ZMTP_OK;
         in = (wire_span){in.data + f.size, in.len - f.size})
        if (!(f.flags & ZMTP_COMMAND))
            m->frames[i++] = f.body;
    queue(r, m);
    wb_buf_consume(&p->in, p->scanned);
    p->scanned = p->n_frames = 0;
}

/* A newcomer's identity; one that names none gets one that nobody can name (28/REQREP). */
static void open_peer(router *r, peer *p, wire_span identity) {
    if (identity.len > 0) {
        memcpy(p->identity, identity.data, identity.len);
        p->identity_len = identity.len;
    } else {
        uint32_t number = (uint32_t)p->id;
        p->identity[0] = 0;
        memcpy(p->identity + 1, &number, sizeof number);
        p->identity_len = 1 + sizeof number;
    }
    peer *before = find_identity(r, p->identity, p->identity_len);
    if (before)
        before->broken = true; /* the newcomer takes it over */
    p->state = OPEN;
}

static void on_command(router *r, peer *p, wire_span body) {
    wire_span data, identity;
    if (p->state == HANDSHAKE) {
        if (zmtp_is_command(body, "READY", &data) && zmtp_read_ready(data, &identity) == ZMTP_OK)
            open_peer(r, p, identity);
        else
            p->broken = true;
    } else if (zmtp_is_command(body, "PING", &data)) {
        zmtp_put_pong(&p->out, data);
    } else if (zmtp_is_command(body, "ERROR", &data)) {
        p->broken = true;
    }
}

/* Understands one more frame; false when it is not whole yet. */
static bool step(router *r, peer *p) {
    zmtp_frame f;
    wire_span rest = {p->in.data + p->scanned, p->in.len - p->scanned};
    zmtp_status status = p->scanned > max_message ? ZMTP_REFUSED
                         : p->state == GREETING   ? zmtp_read_greeting(rest)
                                                  : zmtp_read_frame(rest, max_message, &f);
    p->broken |= status == ZMTP_REFUSED;
    if (status != ZMTP_OK)
        return false;
    if (p->state == GREETING) {
        zmtp_put_ready(&p->out);
        p->state = HANDSHAKE;
        wb_buf_consume(&p->in, ZMTP_GREETING_SIZE);
        return true;
    }
    p->scanned += f.size;
    if (f.flags & ZMTP_COMMAND) {
        on_command(r, p, f.body);
        if (p->n_frames == 0) { /* not in the midst of a message */
            wb_buf_consume(&p->in, p->scanned);
            p->scanned = 0;
        }
    } else if (p->state == HANDSHAKE) {
        p->broken = true; /* a message before READY */
    } else {
        p->n_frames++;
        if (!(f.flags & ZMTP_MORE))
            take_message(r, p);
    }
    return true;
}

/* Once an event, so that no peer keeps the others waiting; what is left is another event. */
static void receive(router *r, peer *p) {
    if (!wb_buf_reserve(&p->in, CHUNK)) {
        p->broken = true;
        return;
    }
    size_t room = p->in.cap - p->in.len - 1; /* the last is the NUL's */
    ssize_t n = recv(p->fd, p->in.data + p->in.len, room, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (n <= 0) {
        p->broken = true;
        return;
    }
    p->in.len += (size_t)n;
    p->in.data[p->in.len] = '\0';
    while (!p->broken && p->in.len > p->scanned && step(r, p))
        ;
    give_back(&p->in);
    flush(r, p);
}

/* ---- connections -------------------------------------------------------------------------- */

static void add_peer(router *r, int fd) {
    int yes = 1;
    peer *p = calloc(1, sizeof *p);
    if (p)
        *p = (peer){.next = r->peers, .id = ++r->last_id, .fd = fd};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (!p || !watch(r, EPOLL_CTL_ADD, fd, p->id, EPOLLIN)) {
        close(fd);
        free(p);
        return;
    }
    r->peers = p;
    zmtp_put_greeting(&p->out);
    flush(r, p);
}

static void accept_peers(router *r) {
    int fd;
    while ((fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
        add_peer(r, fd);
    if (errno == EMFILE || errno == ENFILE) {
        r->deaf = true;
        watch(r, EPOLL_CTL_MOD, r->listener, ID_LISTENER, 0);
    }
}

static void free_peer(peer *p) {
    static char
        rest[CHUNK]; /* unread, they'd make the close a reset, which overtakes what we sent */
    for (int i = 0; i < 64 && recv(p->fd, rest, sizeof rest, MSG_DONTWAIT) > 0; i++)
        ;
    close(p->fd);
    wb_buf_free(&p->in);
    wb_buf_free(&p->out);
    free(p);
}

static void close_broken(router *r) {
    for (peer **at = &r->peers; *at;) {
        peer *p = *at;
        if (!p->broken) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        free_peer(p);
        if (r->deaf)
            watch(r, EPOLL_CTL_MOD, r->listener, ID_LISTENER, EPOLLIN);
        r->deaf = false;
    }
}

static void on_event(router *r, const struct epoll_event *event) {
    if (event->data.u64 == ID_LISTENER)
        accept_peers(r);
    for (peer *p = r->peers; p; p = p->next) {
        if (p->id != event->data.u64 || p->broken)
            continue; /* another thread may have closed it meanwhile */
        if (event->events & EPOLLOUT)
            flush(r, p);
        if (event->events & ~(uint32_t)EPOLLOUT)
            receive(r, p);
    }
}

/* Under the lock. */
static void serve_events(router *r, const struct epoll_event *events, int n) {
    for (int i = 0; i < n; i++)
        on_event(r, &events[i]);
    close_broken(r);
}

/* ---- what threads call --------------------------------------------------------------------- */

void router_wait(router *r) {
    struct epoll_event events[EVENTS];
    pthread_mutex_lock(&r->lock);
    bool wait = r->waiting = !r->first;
    pthread_mutex_unlock(&r->lock);
    int n = wait ? epoll_wait(r->epoll, events, EVENTS, -1) : 0;
    pthread_mutex_lock(&r->lock);
    r->waiting = false;
    serve_events(r, events, n);
    for (int i = 0; i < n; i++) {
        uint64_t count;
        ssize_t ignored = events[i].data.u64 == ID_NEWS ? read(r->news, &count, sizeof count) : 0;
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
    struct epoll_event events[EVENTS];
    int n = epoll_wait(r->epoll, events, EVENTS, 0);
    serve_events(r, events, n);
    return n > 0 && !(n == 1 && events[0].data.u64 == ID_NEWS);
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
    if (!r->first)
        look(r);
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
        flush(r, p);
        close_broken(r);
    }
    pthread_mutex_unlock(&r->lock);
    return ok;
}

int router_fd(const router *r) {
    return r->epoll;
}

void router_attend(router *r) {
    pthread_mutex_lock(&r->lock);
    look(r);
    if (r->first && r->waiting)
        router_wake(r); /* its bytes are read: nothing else would tell the handling thread */
    pthread_mutex_unlock(&r->lock);
}

/* Lets what was sent leave. */
static void drain(router *r) {
    double until = wb_now() + linger_s;
    for (peer *p = r->peers; p; p = p->next)
        while (p->out.len > 0 && !p->broken && wb_now() < until) {
            struct pollfd item = {p->fd, POLLOUT, 0};
            poll(&item, 1, (int)((until - wb_now()) * 1e3) + 1);
            flush(r, p);
        }
}

void router_close(router *r) {
    if (!r)
        return;
    drain(r);
    for (peer *p = r->peers, *next; p; p = next) {
        next = p->next;
        free_peer(p);
    }
    for (router_message *m = r->first, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    const int fds[] = {r->listener, r->news, r->epoll};
    for (size_t i = 0; i < WB_COUNT(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
