/* peers.c: listening, reading, writing and ending. */
#include "jupyter_kernel/protocol/peers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 65536, BACKLOG = 128 };
static const size_t kept_room = (size_t)1 << 20; /* a buffer larger than this is given back */

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

bool peers_suit(const connection *c) {
    struct sockaddr_storage address;
    return strcmp(c->transport, "tcp") == 0 && !c->curve_secretkey[0] &&
           address_of(c, c->shell, &address) != 0;
}

bool peers_watch(peers *all, int how, int fd, uint64_t id, uint32_t events) {
    struct epoll_event event = {.events = events, .data.u64 = id};
    return epoll_ctl(all->epoll, how, fd, &event) == 0;
}

static int open_spare(void) {
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool peers_open(peers *all, const connection *c, int port, const peers_role *role, void *owner,
                wb_error *err) {
    struct sockaddr_storage address;
    socklen_t size = address_of(c, port, &address);
    int yes = 1;
    *all = (peers){.role = role, .owner = owner, .last_id = PEERS_ID_FIRST};
    all->spare = open_spare();
    all->epoll = epoll_create1(EPOLL_CLOEXEC);
    all->listener = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (all->epoll >= 0 && all->listener >= 0 &&
        setsockopt(all->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(all->listener, (struct sockaddr *)&address, size) == 0 &&
        listen(all->listener, BACKLOG) == 0 &&
        peers_watch(all, EPOLL_CTL_ADD, all->listener, PEERS_ID_LISTENER, EPOLLIN))
        return true;
    return wb_fail(err, 1, "can't listen on tcp://%s:%d: %s", c->ip, port, strerror(errno));
}

/* ---- writing ------------------------------------------------------------------------------ */

static void give_back(wb_buf *b) {
    if (b->len == 0 && b->cap > kept_room)
        wb_buf_free(b);
}

void peers_flush(peers *all, peer *p) {
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
        p->broken =
            !peers_watch(all, EPOLL_CTL_MOD, p->fd, p->id, EPOLLIN | (rest ? EPOLLOUT : 0u));
    }
    give_back(&p->out);
}

/* ---- reading ------------------------------------------------------------------------------ */

static void forget_message(peer *p) {
    wb_buf_consume(&p->in, p->scanned);
    p->scanned = p->n_frames = 0;
}

static void take_message(peers *all, peer *p) {
    p->broken |=
        !all->role->message(all->owner, p, (wire_span){p->in.data, p->scanned}, p->n_frames);
    forget_message(p);
}

static void open_peer(peers *all, peer *p, wire_span properties) {
    wire_span identity;
    if (zmtp_read_ready(properties, all->role->partners, &identity) != ZMTP_OK) {
        p->broken = true;
        return;
    }
    memcpy(p->identity, identity.data, identity.len);
    p->identity_len = identity.len;
    p->state = PEER_OPEN;
    if (all->role->opened)
        all->role->opened(all->owner, p);
}

static void on_command(peers *all, peer *p, wire_span body) {
    wire_span data;
    if (p->state == PEER_HANDSHAKE) {
        if (zmtp_is_command(body, "READY", &data))
            open_peer(all, p, data);
        else
            p->broken = true;
    } else if (zmtp_is_command(body, "PING", &data)) {
        if (p->out.len < kept_room) /* behind so much it would come too late */
            zmtp_put_pong(&p->out, data);
    } else if (zmtp_is_command(body, "ERROR", &data)) {
        p->broken = true;
    } else if (all->role->command) {
        p->broken |= !all->role->command(all->owner, p, body);
    }
}

/* Understands one more frame; false when it is not whole yet. */
static bool step(peers *all, peer *p) {
    zmtp_frame f;
    wire_span rest = {p->in.data + p->scanned, p->in.len - p->scanned};
    zmtp_status status = p->scanned > all->role->max_message ? ZMTP_REFUSED
                         : p->state == PEER_GREETING
                             ? zmtp_read_greeting(rest)
                             : zmtp_read_frame(rest, all->role->max_message, &f);
    p->broken |= status == ZMTP_REFUSED;
    if (status != ZMTP_OK)
        return false;
    if (p->state == PEER_GREETING) {
        zmtp_put_ready(&p->out, all->role->type);
        p->state = PEER_HANDSHAKE;
        wb_buf_consume(&p->in, ZMTP_GREETING_SIZE);
        return true;
    }
    p->scanned += f.size;
    if (f.flags & ZMTP_COMMAND) {
        on_command(all, p, f.body);
        if (p->n_frames == 0) { /* not in the midst of a message */
            wb_buf_consume(&p->in, p->scanned);
            p->scanned = 0;
        }
    } else if (p->state == PEER_HANDSHAKE) {
        p->broken = true; /* a message before READY */
    } else {
        p->n_frames++;
        if (!(f.flags & ZMTP_MORE))
            take_message(all, p);
    }
    return true;
}

/* Once an event, so that no peer keeps the others waiting; what is left is another event. */
static void receive(peers *all, peer *p) {
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
    while (!p->broken && p->in.len > p->scanned && step(all, p))
        ;
    give_back(&p->in);
    peers_flush(all, p);
}

/* ---- connections -------------------------------------------------------------------------- */

/* Whoever connects and says nothing holds a descriptor: there is an end to that. */
static void end_oldest_unopened(peers *all) {
    peer *oldest = NULL;
    int n = 0;
    for (peer *p = all->first; p; p = p->next)
        if (p->state != PEER_OPEN && !p->broken) {
            oldest = p;
            n++;
        }
    if (n > PEERS_UNOPENED)
        oldest->broken = true;
}

static void add_peer(peers *all, int fd) {
    int yes = 1;
    peer *p = calloc(1, sizeof *p);
    if (p)
        *p = (peer){.next = all->first, .id = ++all->last_id, .fd = fd};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (!p || !peers_watch(all, EPOLL_CTL_ADD, fd, p->id, EPOLLIN)) {
        close(fd);
        free(p);
        return;
    }
    all->first = p;
    zmtp_put_greeting(&p->out);
    peers_flush(all, p);
    end_oldest_unopened(all);
}

/* Out of descriptors: the next newcomer is turned away, by means of one that is kept for that, and
 * tries again (else it would be reported again and again). False: there is none. */
static bool turn_away(peers *all) {
    if (all->spare >= 0)
        close(all->spare);
    int fd = accept4(all->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    bool more = fd >= 0;
    if (more)
        close(fd);
    all->spare = open_spare();
    if (all->spare < 0)
        usleep(1000); /* somebody else took it */
    return more;
}

static void accept_peers(peers *all) {
    bool more = true;
    for (int i = 0; i < BACKLOG && more; i++) {
        int fd = accept4(all->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        more = fd >= 0 || ((errno == EMFILE || errno == ENFILE) && turn_away(all));
        if (fd >= 0)
            add_peer(all, fd);
    }
}

static void free_peer(peer *p) {
    /* What is unread would make the close a reset, which overtakes what we sent. */
    for (int i = 0; i < 64 && recv(p->fd, NULL, CHUNK, MSG_DONTWAIT | MSG_TRUNC) > 0; i++)
        ;
    close(p->fd);
    wb_buf_free(&p->in);
    wb_buf_free(&p->out);
    wb_buf_free(&p->topics);
    free(p);
}

void peers_sweep(peers *all) {
    for (peer **at = &all->first; *at;) {
        peer *p = *at;
        if (!p->broken) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        free_peer(p);
    }
}

static void on_event(peers *all, const struct epoll_event *event) {
    if (event->data.u64 == PEERS_ID_LISTENER)
        accept_peers(all);
    for (peer *p = all->first; p; p = p->next) {
        if (p->id != event->data.u64 || p->broken)
            continue; /* another thread may have closed it meanwhile */
        if (event->events & EPOLLOUT)
            peers_flush(all, p);
        if (event->events & ~(uint32_t)EPOLLOUT)
            receive(all, p);
    }
}

void peers_serve(peers *all, const struct epoll_event *events, int n) {
    for (int i = 0; i < n; i++)
        on_event(all, &events[i]);
    peers_sweep(all);
}

/* Lets what was sent leave. */
static void drain(peers *all) {
    double until = wb_now() + PEERS_LINGER_MS * 1e-3;
    for (peer *p = all->first; p; p = p->next)
        while (p->out.len > 0 && !p->broken && wb_now() < until) {
            struct pollfd item = {p->fd, POLLOUT, 0};
            poll(&item, 1, (int)((until - wb_now()) * 1e3) + 1);
            peers_flush(all, p);
        }
}

void peers_close(peers *all) {
    drain(all);
    for (peer *p = all->first, *next; p; p = next) {
        next = p->next;
        free_peer(p);
    }
    const int fds[] = {all->listener, all->epoll, all->spare};
    for (size_t i = 0; i < WB_COUNT(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
}
