/* iopub.c: the XPUB socket, its lock, and the thread that sends gathered text. */
#include "jupyter_kernel/protocol/iopub.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

/* A message that is sent together with the next one. */
typedef struct item {
    struct item *next;
    char type[32];
    char *parent, *content;
} item;

struct iopub {
    const message_author *author;
    pthread_t thread;
    int wake; /* eventfd: text was gathered, or stop is set */

    pthread_mutex_t lock; /* protects the members below and the socket */
    void *socket;
    item *first, **last;
    wb_buf gathered; /* stream text to send, all of one stream of one request */
    int gathered_fd;
    wb_buf gathered_parent;
    double gathered_since;
    bool stop;
};

/* ---- under the lock ----------------------------------------------------------------------- */

static void send_text(iopub *p, const char *type, wire_span parent, const char *content) {
    char topic[96];
    int len = snprintf(topic, sizeof topic, "kernel.%s.%s", p->author->session, type);
    wire_span identity = {topic, (size_t)len};
    if (!content || !message_send(p->author, p->socket, &identity, 1, type, parent, (wire_span){0},
                                  (wire_span){content, strlen(content)}))
        fprintf(stderr, _("warpbook: a %s message was lost: %s\n"), type,
                content ? zmq_strerror(zmq_errno()) : _("out of memory"));
}

static void send_gathered(iopub *p) {
    if (p->gathered.len == 0)
        return;
    json_t *content = json_pack("{s:s, s:s%}", "name", p->gathered_fd == 2 ? "stderr" : "stdout",
                                "text", p->gathered.data, p->gathered.len);
    WB_SCOPED char *text = wb_json_dump(content, JSON_COMPACT);
    send_text(p, "stream", (wire_span){p->gathered_parent.data, p->gathered_parent.len}, text);
    wb_buf_clear(&p->gathered);
}

/* Sends gathered text, then the messages that wait. This keeps their order, because no text is
 * gathered while a message waits. */
static void send_waiting(iopub *p) {
    send_gathered(p);
    while (p->first) {
        item *it = p->first;
        p->first = it->next;
        send_text(p, it->type, (wire_span){it->parent, strlen(it->parent)}, it->content);
        WB_FREE(it->parent, it->content, it);
    }
    p->last = &p->first;
}

/* https://jupyter.org/enhancement-proposals/65-jupyter-xpub/ */
static void welcome(iopub *p, wire_span topic) {
    WB_SCOPED char *text =
        wb_json_dump(json_pack("{s:s%}", "subscription", topic.data, topic.len), JSON_COMPACT);
    if (text)
        message_send(p->author, p->socket, &topic, 1, "iopub_welcome", (wire_span){0},
                     (wire_span){0}, (wire_span){text, strlen(text)});
}

/* Reads new subscriptions: the byte 1, then the topic. Call it after every use of the socket.
 * Sending may already have read the event that the thread polls for (ZMQ_FD is edge-triggered). */
static void welcome_all(iopub *p) {
    zmq_msg_t m;
    zmq_msg_init(&m);
    while (zmq_msg_recv(&m, p->socket, ZMQ_DONTWAIT) >= 0) {
        const char *data = zmq_msg_data(&m);
        if (zmq_msg_size(&m) >= 1 && data[0] == 1)
            welcome(p, (wire_span){data + 1, zmq_msg_size(&m) - 1});
    }
    zmq_msg_close(&m);
}

/* ---- the thread --------------------------------------------------------------------------- */

/* Returns the milliseconds until gathered text is due, or -1 if there is none. */
static long due_in(const iopub *p) {
    if (p->gathered.len == 0)
        return -1;
    double left = p->gathered_since + IOPUB_GATHER_MS * 1e-3 - wb_now();
    return left > 0 ? (long)(left * 1e3) + 1 : 0;
}

static void *run(void *argument) {
    iopub *p = argument;
    int socket_fd = -1; /* readable when the socket has an event */
    size_t size = sizeof socket_fd;
    zmq_getsockopt(p->socket, ZMQ_FD, &socket_fd, &size);
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        long wait = due_in(p);
        pthread_mutex_unlock(&p->lock);
        zmq_pollitem_t items[2] = {{NULL, socket_fd, ZMQ_POLLIN, 0},
                                   {NULL, p->wake, ZMQ_POLLIN, 0}};
        zmq_poll(items, 2, wait);
        uint64_t count;
        if (items[1].revents)
            (void)!read(p->wake, &count, sizeof count);
        pthread_mutex_lock(&p->lock);
        if (due_in(p) == 0)
            send_gathered(p);
        welcome_all(p);
    }
    send_waiting(p);
    welcome_all(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void wake(iopub *p) {
    (void)!write(p->wake, &(uint64_t){1}, sizeof(uint64_t));
}

/* ---- for any thread ------------------------------------------------------------------------- */

static bool open_socket(iopub *p, const connection *c, void *zmq, wb_error *err) {
    int verbose = 1; /* report every subscriber, also a second one to the same topic */
    p->socket = connection_bind(c, zmq, ZMQ_XPUB, c->iopub, IOPUB_BACKLOG, err);
    return p->socket &&
           (zmq_setsockopt(p->socket, ZMQ_XPUB_VERBOSE, &verbose, sizeof verbose) == 0 ||
            wb_fail(err, 1, "IOPub: %s", zmq_strerror(zmq_errno())));
}

static void free_iopub(iopub *p) {
    if (p->socket)
        zmq_close(p->socket);
    if (p->wake >= 0)
        close(p->wake);
    pthread_mutex_destroy(&p->lock);
    WB_BUF_FREE(&p->gathered, &p->gathered_parent);
    free(p);
}

iopub *iopub_start(const connection *c, void *zmq, const message_author *author, wb_error *err) {
    iopub *p = calloc(1, sizeof *p);
    if (!p) {
        wb_fail(err, ENOMEM, _("out of memory"));
        return NULL;
    }
    p->author = author;
    p->last = &p->first;
    pthread_mutex_init(&p->lock, NULL);
    p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool ok = open_socket(p, c, zmq, err);
    if (ok && (p->wake < 0 || pthread_create(&p->thread, NULL, run, p) != 0))
        ok = wb_fail(err, errno, _("the IOPub thread can't be started: %s"), strerror(errno));
    if (ok)
        return p;
    free_iopub(p);
    return NULL;
}

void iopub_stop(iopub *p) {
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_mutex_unlock(&p->lock);
    wake(p);
    pthread_join(p->thread, NULL);
    free_iopub(p);
}

static void send_now(iopub *p, const char *type, wire_span parent, const char *content) {
    WB_LOCKED(&p->lock);
    send_waiting(p);
    send_text(p, type, parent, content);
    welcome_all(p);
}

void iopub_send(iopub *p, const char *type, wire_span parent, json_t *content) {
    WB_SCOPED char *text = wb_json_dump(content, JSON_COMPACT);
    send_now(p, type, parent, text);
}

static const char *status_text(const char *state) {
    return strcmp(state, "busy") == 0   ? "{\"execution_state\":\"busy\"}"
           : strcmp(state, "idle") == 0 ? "{\"execution_state\":\"idle\"}"
                                        : "{\"execution_state\":\"starting\"}";
}

void iopub_status(iopub *p, wire_span parent, const char *state) {
    send_now(p, "status", parent, status_text(state));
}

/* Steals `content`. */
static void send_soon(iopub *p, const char *type, wire_span parent, char *content) {
    item *it = calloc(1, sizeof *it);
    char *copy = it && content ? strndup(parent.data, parent.len) : NULL;
    if (!copy) {
        free(it);
        send_now(p, type, parent, content);
        free(content);
        return;
    }
    snprintf(it->type, sizeof it->type, "%s", type);
    it->content = content;
    it->parent = copy;
    WB_LOCKED(&p->lock);
    if (p->gathered.len > 0) {
        send_gathered(p);
        welcome_all(p);
    }
    *p->last = it;
    p->last = &it->next;
}

void iopub_busy_soon(iopub *p, wire_span parent) {
    send_soon(p, "status", parent, strdup(status_text("busy")));
}

void iopub_input_soon(iopub *p, wire_span parent, json_t *content) {
    send_soon(p, "execute_input", parent, wb_json_dump(content, JSON_COMPACT));
}

void iopub_flush(iopub *p) {
    WB_LOCKED(&p->lock);
    if (p->first) {
        send_waiting(p);
        welcome_all(p);
    }
}

/* Returns how many bytes of the text fit into the gathered message, in whole code points. */
static size_t fitting(const iopub *p, const char *text, size_t len) {
    size_t room = IOPUB_TEXT_BYTES - p->gathered.len;
    if (len <= room)
        return len;
    for (int i = 0; i < 3 && room > 0 && ((unsigned char)text[room] & 0xc0) == 0x80; i++)
        room--;
    return room;
}

/* Begins a new message for text of another stream or request. */
static void begin_gathering(iopub *p, wire_span parent, int fd) {
    send_waiting(p);
    wb_buf_clear(&p->gathered_parent);
    wb_buf_append(&p->gathered_parent, parent.data, parent.len);
    p->gathered_fd = fd;
    p->gathered_since = wb_now();
}

static bool continues(const iopub *p, wire_span parent, int fd) {
    return p->gathered.len > 0 && p->gathered_fd == fd && p->gathered_parent.len == parent.len &&
           memcmp(p->gathered_parent.data, parent.data, parent.len) == 0;
}

void iopub_stream(iopub *p, wire_span parent, int fd, const char *text, size_t len) {
    pthread_mutex_lock(&p->lock);
    bool begun = false;
    while (len > 0) {
        if (!continues(p, parent, fd)) {
            begin_gathering(p, parent, fd);
            begun = true;
        }
        size_t n = fitting(p, text, len);
        if (!wb_buf_append(&p->gathered, text, n)) {
            fprintf(stderr, _("warpbook: %zu bytes of a stream were lost: out of memory\n"), len);
            break;
        }
        text += n;
        len -= n;
        if (len > 0 || p->gathered.len == IOPUB_TEXT_BYTES)
            send_gathered(p);
    }
    welcome_all(p);
    begun = begun && p->gathered.len > 0;
    pthread_mutex_unlock(&p->lock);
    if (begun)
        wake(p);
}
