/* peers.h: the connections of a listening ZMTP socket. Accepts them, shakes hands, takes what comes
 * apart into messages, and writes without ever waiting. What is done with a message is the
 * owner's matter (router.c, xpub.c), who also keeps two threads from being here at once. */
#ifndef WARPBOOK_KERNEL_PEERS_H
#define WARPBOOK_KERNEL_PEERS_H

#include <sys/epoll.h>

#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/zmtp.h"

enum {
    PEERS_EVENTS = 16,    /* taken in at once */
    PEERS_UNOPENED = 128, /* connections that have not shaken hands; one more ends the oldest */
    PEERS_LINGER_MS = 1000
};
enum { PEERS_ID_LISTENER, PEERS_ID_OWNER, PEERS_ID_FIRST }; /* what epoll calls things by */

typedef struct peer {
    struct peer *next; /* one that came before it */
    uint64_t id;       /* what epoll calls it by: never used twice */
    int fd;
    enum { PEER_GREETING, PEER_HANDSHAKE, PEER_OPEN } state;
    char identity[ZMTP_MAX_IDENTITY]; /* "": it gave itself none */
    size_t identity_len;
    wb_buf topics;   /* the owner's, freed with the peer */
    wb_buf in, out;  /* bytes not yet understood; bytes not yet sent */
    size_t sent;     /* of `out` */
    size_t scanned;  /* of `in`: whole frames of a message whose end has not come */
    size_t n_frames; /* among them, commands not counted */
    bool writing;    /* epoll tells when it can be written to */
    bool broken;     /* to be closed by peers_sweep */
    bool missing;    /* the owner's */
} peer;

/* What an owner is to its peers. */
typedef struct peers_role {
    const char *type;            /* the socket type that READY names */
    const char *const *partners; /* those it may be connected to; NULL ends them */
    size_t max_message;          /* bytes; a peer that sends more is thrown out */
    /* It has shaken hands and said who it is. NULL: nothing to do. */
    void (*opened)(void *owner, peer *p);
    /* Its next message: n frames, commands among them, as they came. False: throw it out. */
    bool (*message)(void *owner, peer *p, wire_span frames, size_t n);
    /* A command that is not of the connection itself. NULL: ignored. False: throw it out. */
    bool (*command)(void *owner, peer *p, wire_span body);
} peers_role;

typedef struct peers {
    const peers_role *role;
    void *owner;
    int epoll, listener;
    peer *first; /* the one that came last */
    uint64_t last_id;
    int spare; /* a descriptor to be given up when there are no more */
} peers;

/* Whether the connection is one for these sockets: TCP, a numeric address, no encryption. */
bool peers_suit(const connection *c);
/* False with *err; peers_close either way. */
bool peers_open(peers *all, const connection *c, int port, const peers_role *role, void *owner,
                wb_error *err);
/* Ends the connections; what was sent gets up to a second to leave. */
void peers_close(peers *all);

bool peers_watch(peers *all, int how, int fd, uint64_t id, uint32_t events); /* epoll_ctl */
/* Takes in what epoll_wait on all->epoll said, and sweeps. */
void peers_serve(peers *all, const struct epoll_event *events, int n);
/* Sends of p->out what the connection takes now; the rest follows when epoll says so. */
void peers_flush(peers *all, peer *p);
/* Frees those that are broken. */
void peers_sweep(peers *all);

#endif
