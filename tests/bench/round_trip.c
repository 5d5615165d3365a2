/* round_trip.c: a Jupyter client as small as can be, that times round trips of one kernel.
 *
 *     round_trip KEY SHELL_PORT IOPUB_PORT HB_PORT
 *
 * Through libzmq, a DEALER and a SUB, as every client does it.
 *
 * On stdin come lines `kernel_info N`, `execute N` or `echo N` (the frames of a kernel_info_request
 * to the heartbeat socket and back): N trips, one after the other. Each line is answered by N lines
 * with the microseconds from sending the request to having its reply, and to having its idle status
 * off IOPub. All requests of a line are signed before the first is sent; that replies belong to
 * them is checked after the last. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <zmq.h>

#include "jupyter_kernel/protocol/wire.h"

enum { MAX_TRIPS = 1000 };
static const int patience_ms = 10000; /* then the kernel is said not to answer */

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void must(bool ok, const char *what) {
    if (!ok)
        die(what);
}

/* ---- sockets ---------------------------------------------------------------------------- */

static void *open_socket(void *context, int type, int port) {
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%d", port);
    void *s = zmq_socket(context, type);
    must(s && zmq_setsockopt(s, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms) == 0 &&
             zmq_connect(s, endpoint) == 0,
         endpoint);
    if (type == ZMQ_SUB)
        must(zmq_setsockopt(s, ZMQ_SUBSCRIBE, "", 0) == 0, "subscribe");
    return s;
}

static void send_frames(void *s, const wire_out *m) {
    for (size_t i = 0; i < m->n; i++)
        must(zmq_send(s, m->frames[i].data, m->frames[i].len, i + 1 < m->n ? ZMQ_SNDMORE : 0) >= 0,
             "send");
}

/* The frames of the next message, one behind the other. */
static void receive(void *s, wb_buf *text) {
    bool more = true;
    wb_buf_clear(text);
    while (more) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        must(zmq_msg_recv(&part, s, 0) >= 0, "receive");
        wb_buf_append(text, zmq_msg_data(&part), zmq_msg_size(&part));
        more = zmq_msg_more(&part);
        zmq_msg_close(&part);
    }
}

/* ---- requests ----------------------------------------------------------------------------- */

typedef struct client {
    void *shell, *iopub, *hb;
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
    send_frames(echo ? c->hb : c->shell, &t->request);
    receive(echo ? c->hb : c->shell, &t->reply);
    t->reply_us = (wb_now() - began) * 1e6;
    do
        if (!echo)
            receive(c->iopub, output);
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

static void open_all(client *c, int shell, int iopub, int hb) {
    void *context = zmq_ctx_new();
    c->iopub = open_socket(context, ZMQ_SUB, iopub);
    c->shell = open_socket(context, ZMQ_DEALER, shell);
    c->hb = open_socket(context, ZMQ_DEALER, hb);
    usleep(500000); /* nothing tells every client that its subscription has come through */
}

int main(int argc, char **argv) {
    static client c;
    unsigned char bytes[16];
    char what[32];
    int n;
    if (argc != 5) {
        fprintf(stderr, "usage: round_trip KEY SHELL_PORT IOPUB_PORT HB_PORT\n");
        return 2;
    }
    must(getrandom(bytes, sizeof bytes, 0) == sizeof bytes, "getrandom");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(c.session + 2 * i, 3, "%02x", bytes[i]);
    must((c.key = wire_key_new("hmac-sha256", argv[1], NULL)) != NULL, "key");
    open_all(&c, atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    while (scanf("%31s %d", what, &n) == 2 && n >= 0 && n <= MAX_TRIPS)
        run(&c, what, n);
    return 0;
}
