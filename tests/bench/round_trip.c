/* round_trip.c: a Jupyter client as small as can be, that times round trips of one kernel.
 *
 *     round_trip zmq|zmtp KEY SHELL_PORT IOPUB_PORT HB_PORT
 *
 * zmq: through libzmq, a DEALER and a SUB, as every client does it. zmtp: two TCP connections that
 * are read without ever sleeping, so that no thread of the client's is woken: what is left is the
 * kernel's own part, and the system's.
 *
 * On stdin come lines `kernel_info N`, `execute N` or `echo N` (the frames of a kernel_info_request
 * to the heartbeat socket and back): N trips, one after the other. Each line is answered by N lines
 * with the microseconds from sending the request to having its reply, and to having its idle status
 * off IOPub. All requests of a line are signed before the first is sent; that replies belong to
 * them is checked after the last. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include "jupyter_kernel/protocol/wire.h"
#include "jupyter_kernel/protocol/zmtp.h"

enum { MAX_TRIPS = 1000, ROOM = 1 << 16 };
static const int patience_ms = 10000; /* then the kernel is said not to answer */

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void must(bool ok, const char *what) {
    if (!ok)
        die(what);
}

/* ---- a channel ---------------------------------------------------------------------------- */

typedef struct channel {
    void *zmq;      /* or, when NULL: */
    int fd;         /* a connection, and */
    wb_buf in, out; /* its bytes: not yet understood, not yet sent */
} channel;

static void open_zmq(channel *c, void *context, int type, int port) {
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%d", port);
    c->zmq = zmq_socket(context, type);
    must(c->zmq && zmq_setsockopt(c->zmq, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms) == 0 &&
             zmq_connect(c->zmq, endpoint) == 0,
         endpoint);
    if (type == ZMQ_SUB)
        must(zmq_setsockopt(c->zmq, ZMQ_SUBSCRIBE, "", 0) == 0, "subscribe");
}

static void flush(channel *c) {
    while (c->out.len > 0) {
        ssize_t n = send(c->fd, c->out.data, c->out.len, MSG_NOSIGNAL);
        must(n > 0, "send");
        wb_buf_consume(&c->out, (size_t)n);
    }
}

static void fill(channel *c) {
    must(wb_buf_reserve(&c->in, ROOM), "memory");
    ssize_t n;
    while ((n = recv(c->fd, c->in.data + c->in.len, ROOM, MSG_DONTWAIT)) < 0)
        ;
    must(n > 0, "the kernel ended the connection");
    c->in.len += (size_t)n;
}

static void open_zmtp(channel *c, const char *type, int port) {
    int yes = 1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(c->fd, (struct sockaddr *)&to, sizeof to) == 0, "connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    zmtp_put_greeting(&c->out);
    zmtp_put_ready(&c->out, type);
    flush(c);
    while (c->in.len < ZMTP_GREETING_SIZE)
        fill(c);
    wb_buf_consume(&c->in, ZMTP_GREETING_SIZE);
    zmtp_frame ready;
    while (zmtp_read_frame((wire_span){c->in.data, c->in.len}, ROOM, &ready) == ZMTP_PARTIAL)
        fill(c);
    if (strcmp(type, "SUB") == 0) /* to all; as a message, which 3.0 and 3.1 both know */
        zmtp_put_frame(&c->out, 0, (wire_span){"\1", 1});
    flush(c);
}

static void send_frames(channel *c, const wire_out *m) {
    for (size_t i = 0; i < m->n; i++) {
        bool more = i + 1 < m->n;
        if (c->zmq)
            must(zmq_send(c->zmq, m->frames[i].data, m->frames[i].len, more ? ZMQ_SNDMORE : 0) >= 0,
                 "send");
        else
            zmtp_put_frame(&c->out, more ? ZMTP_MORE : 0, m->frames[i]);
    }
    if (!c->zmq)
        flush(c);
}

static bool receive_part_zmq(channel *c, wb_buf *text) {
    zmq_msg_t part;
    zmq_msg_init(&part);
    must(zmq_msg_recv(&part, c->zmq, 0) >= 0, "receive");
    wb_buf_append(text, zmq_msg_data(&part), zmq_msg_size(&part));
    bool more = zmq_msg_more(&part);
    zmq_msg_close(&part);
    return more;
}

static bool receive_part_zmtp(channel *c, wb_buf *text) {
    zmtp_frame f;
    while (zmtp_read_frame((wire_span){c->in.data, c->in.len}, ROOM, &f) == ZMTP_PARTIAL)
        fill(c);
    bool more = f.flags & (ZMTP_MORE | ZMTP_COMMAND); /* commands are none of the message */
    if (!(f.flags & ZMTP_COMMAND))
        wb_buf_append(text, f.body.data, f.body.len);
    wb_buf_consume(&c->in, f.size);
    return more;
}

/* The frames of the next message, one behind the other. */
static void receive(channel *c, wb_buf *text) {
    wb_buf_clear(text);
    while (c->zmq ? receive_part_zmq(c, text) : receive_part_zmtp(c, text))
        ;
}

/* ---- requests ----------------------------------------------------------------------------- */

typedef struct client {
    channel shell, iopub, hb;
    wire_key *key;
    char session[33];
    unsigned long sent;
} client;

typedef struct trip {
    char id[48], header[256];
    wire_out request;
    wb_buf reply;
    double reply_us, idle_us;
} trip;

static const char empty_cell[] = "{\"code\":\"\",\"silent\":false,\"store_history\":true,"
                                 "\"user_expressions\":{},\"allow_stdin\":false}";

static void prepare(client *c, const char *what, trip *t) {
    static const wire_span empty = {"{}", 2};
    bool execute = strcmp(what, "execute") == 0;
    snprintf(t->id, sizeof t->id, "%s_%06lu", c->session, c->sent++);
    int len = snprintf(t->header, sizeof t->header,
                       "{\"msg_id\":\"%s\",\"msg_type\":\"%s_request\",\"session\":\"%s\","
                       "\"username\":\"bench\",\"version\":\"5.3\","
                       "\"date\":\"2026-01-01T00:00:00.000000Z\"}",
                       t->id, execute ? "execute" : "kernel_info", c->session);
    wire_span json[4] = {{t->header, (size_t)len}, empty, empty, empty};
    if (execute)
        json[3] = (wire_span){empty_cell, sizeof empty_cell - 1};
    must(wire_join(c->key, NULL, 0, json, &t->request), "sign");
}

static bool holds(const wb_buf *text, const char *word) {
    return memmem(text->data, text->len, word, strlen(word)) != NULL;
}

static void go(client *c, bool echo, trip *t, wb_buf *output) {
    double began = wb_now();
    send_frames(echo ? &c->hb : &c->shell, &t->request);
    receive(echo ? &c->hb : &c->shell, &t->reply);
    t->reply_us = (wb_now() - began) * 1e6;
    do
        if (!echo)
            receive(&c->iopub, output);
    while (!echo && !(holds(output, "\"idle\"") && holds(output, t->id)));
    t->idle_us = (wb_now() - began) * 1e6;
}

static void run(client *c, const char *what, int n) {
    static trip trips[MAX_TRIPS];
    wb_buf output = {0};
    for (int i = 0; i < n; i++)
        prepare(c, what, &trips[i]);
    for (int i = 0; i < n; i++)
        go(c, strcmp(what, "echo") == 0, &trips[i], &output);
    for (int i = 0; i < n; i++) {
        must(holds(&trips[i].reply, trips[i].id), "the reply to something else");
        printf("%.2f %.2f\n", trips[i].reply_us, trips[i].idle_us);
    }
    fflush(stdout);
    wb_buf_free(&output);
}

static void open_all(client *c, bool zmq, int shell, int iopub, int hb) {
    if (zmq) {
        void *context = zmq_ctx_new();
        open_zmq(&c->iopub, context, ZMQ_SUB, iopub);
        open_zmq(&c->shell, context, ZMQ_DEALER, shell);
        open_zmq(&c->hb, context, ZMQ_DEALER, hb);
    } else {
        open_zmtp(&c->iopub, "SUB", iopub);
        open_zmtp(&c->shell, "DEALER", shell);
        open_zmtp(&c->hb, "DEALER", hb);
    }
    usleep(500000); /* nothing tells every client that its subscription has come through */
}

int main(int argc, char **argv) {
    static client c;
    unsigned char bytes[16];
    char what[32];
    int n;
    if (argc != 6) {
        fprintf(stderr, "usage: round_trip zmq|zmtp KEY SHELL_PORT IOPUB_PORT HB_PORT\n");
        return 2;
    }
    must(getrandom(bytes, sizeof bytes, 0) == sizeof bytes, "getrandom");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(c.session + 2 * i, 3, "%02x", bytes[i]);
    must((c.key = wire_key_new("hmac-sha256", argv[2], NULL)) != NULL, "key");
    open_all(&c, strcmp(argv[1], "zmq") == 0, atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
    while (scanf("%31s %d", what, &n) == 2 && n >= 0 && n <= MAX_TRIPS)
        run(&c, what, n);
    return 0;
}
