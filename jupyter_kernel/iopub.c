/* iopub.c: a queue, and the thread that empties it into the XPUB socket. */
#include "jupyter_kernel/iopub.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

/* Something to send: a message with its content as JSON text, or (fd > 0) text of a stream. */
typedef struct item {
    struct item *next;
    char type[32];
    int fd;
    char *parent, *metadata, *body;
    size_t parent_len, body_len;
} item;

struct iopub {
    void *socket;
    const message_author *author;
    pthread_t thread;
    int wake; /* eventfd: the queue is no longer empty, or stop is set */

    pthread_mutex_t lock;
    item *first, **last;
    bool stop;

    /* The thread's own: stream text that waits. */
    wb_buf gathered;
    int gathered_fd;
    char *gathered_parent;
    size_t gathered_parent_len;
    double gathered_since;
};

/* ---- the sending thread ------------------------------------------------------------------- */

static void send_text(iopub *p, const char *type, wire_span parent, wire_span metadata,
                      wire_span content) {
    char topic[96];
    int len = snprintf(topic, sizeof topic, "kernel.%s.%s", p->author->session, type);
    wire_span identity = {topic, (size_t)len};
    if (!message_send(p->author, p->socket, &identity, 1, type, parent, metadata, content))
        fprintf(stderr, "warpbook: a %s message was lost: %s\n", type, zmq_strerror(zmq_errno()));
}

static void flush_stream(iopub *p) {
    if (p->gathered.len == 0)
        return;
    json_t *content = json_pack("{s:s, s:s%}", "name", p->gathered_fd == 2 ? "stderr" : "stdout",
                                "text", p->gathered.data, p->gathered.len);
    char *text = content ? json_dumps(content, JSON_COMPACT) : NULL;
    if (text)
        send_text(p, "stream", (wire_span){p->gathered_parent, p->gathered_parent_len},
                  (wire_span){0}, (wire_span){text, strlen(text)});
    else
        fprintf(stderr, "warpbook: %zu bytes of a stream were lost: no memory, or not UTF-8\n",
                p->gathered.len);
    free(text);
    json_decref(content);
    wb_buf_clear(&p->gathered);
}

static void gather(iopub *p, item *it) {
    bool same = p->gathered.len > 0 && p->gathered_fd == it->fd &&
                p->gathered_parent_len == it->parent_len &&
                memcmp(p->gathered_parent, it->parent, it->parent_len) == 0;
    if (!same) {
        flush_stream(p);
        free(p->gathered_parent);
        p->gathered_parent = it->parent;
        p->gathered_parent_len = it->parent_len;
        p->gathered_fd = it->fd;
        p->gathered_since = wb_now();
        it->parent = NULL;
    }
    wb_buf_append(&p->gathered, it->body, it->body_len);
    if (p->gathered.len >= IOPUB_GATHER_BYTES)
        flush_stream(p);
}

static void free_item(item *it) {
    free(it->parent);
    free(it->metadata);
    free(it->body);
    free(it);
}

/* Sends what is queued; false when the thread shall end. */
static bool empty_queue(iopub *p) {
    uint64_t count;
    ssize_t ignored = read(p->wake, &count, sizeof count);
    (void)ignored;
    pthread_mutex_lock(&p->lock);
    item *it = p->first;
    bool stop = p->stop;
    p->first = NULL;
    p->last = &p->first;
    pthread_mutex_unlock(&p->lock);
    while (it) {
        item *next = it->next;
        if (it->fd) {
            gather(p, it);
        } else {
            flush_stream(p);
            wire_span metadata = {it->metadata, it->metadata ? strlen(it->metadata) : 0};
            send_text(p, it->type, (wire_span){it->parent, it->parent_len}, metadata,
                      (wire_span){it->body, it->body_len});
        }
        free_item(it);
        it = next;
    }
    return !stop;
}

/* A subscription is the byte 1 and the topic.
 * https://jupyter.org/enhancement-proposals/65-jupyter-xpub/ */
static void welcome(iopub *p) {
    message_frames f;
    while (message_receive(p->socket, ZMQ_DONTWAIT, &f)) {
        if (f.n == 1 && f.frames[0].len >= 1 && f.frames[0].data[0] == 1) {
            wire_span topic = {f.frames[0].data + 1, f.frames[0].len - 1};
            json_t *content = json_pack("{s:s%}", "subscription", topic.data, topic.len);
            char *text = content ? json_dumps(content, JSON_COMPACT) : NULL;
            if (text)
                message_send(p->author, p->socket, &topic, 1, "iopub_welcome", (wire_span){0},
                             (wire_span){0}, (wire_span){text, strlen(text)});
            free(text);
            json_decref(content);
        }
        message_frames_free(&f);
    }
}

static void *run(void *argument) {
    iopub *p = argument;
    bool running = true;
    while (running) {
        zmq_pollitem_t items[2] = {{p->socket, 0, ZMQ_POLLIN, 0}, {NULL, p->wake, ZMQ_POLLIN, 0}};
        long wait = -1;
        if (p->gathered.len > 0) {
            double left = p->gathered_since + IOPUB_GATHER_MS * 1e-3 - wb_now();
            wait = left > 0 ? (long)(left * 1e3) + 1 : 0;
        }
        if (zmq_poll(items, 2, wait) < 0 && zmq_errno() != EINTR)
            break;
        if (items[0].revents)
            welcome(p);
        if (items[1].revents)
            running = empty_queue(p);
        if (p->gathered.len > 0 && wb_now() - p->gathered_since >= IOPUB_GATHER_MS * 1e-3)
            flush_stream(p);
    }
    flush_stream(p);
    return NULL;
}

/* ---- what other threads call -------------------------------------------------------------- */

iopub *iopub_start(const connection *c, void *zmq, const message_author *author, wb_error *err) {
    iopub *p = calloc(1, sizeof *p);
    if (!p) {
        wb_fail(err, ENOMEM, "out of memory");
        return NULL;
    }
    p->author = author;
    p->last = &p->first;
    pthread_mutex_init(&p->lock, NULL);
    p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->socket = connection_bind(c, zmq, ZMQ_XPUB, c->iopub, err);
    int verbose = 1; /* every subscriber is told of, also a second one to the same topic */
    bool ok = p->wake >= 0 && p->socket &&
              zmq_setsockopt(p->socket, ZMQ_XPUB_VERBOSE, &verbose, sizeof verbose) == 0;
    if (ok && pthread_create(&p->thread, NULL, run, p) == 0)
        return p;
    if (p->socket) {
        wb_fail(err, errno, "the IOPub thread can't be started: %s", strerror(errno));
        zmq_close(p->socket);
    }
    if (p->wake >= 0)
        close(p->wake);
    free(p);
    return NULL;
}

static void wake(iopub *p) {
    uint64_t one = 1;
    ssize_t ignored = write(p->wake, &one, sizeof one);
    (void)ignored;
}

void iopub_stop(iopub *p) {
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_mutex_unlock(&p->lock);
    wake(p);
    pthread_join(p->thread, NULL);
    zmq_close(p->socket);
    close(p->wake);
    pthread_mutex_destroy(&p->lock);
    wb_buf_free(&p->gathered);
    free(p->gathered_parent);
    free(p);
}

static void queue(iopub *p, item *it) {
    pthread_mutex_lock(&p->lock);
    bool was_empty = p->first == NULL;
    *p->last = it;
    p->last = &it->next;
    pthread_mutex_unlock(&p->lock);
    if (was_empty)
        wake(p);
}

static char *copy(const char *data, size_t len) {
    char *text = malloc(len + 1);
    if (text && len)
        memcpy(text, data, len);
    if (text)
        text[len] = '\0';
    return text;
}

static item *new_item(const char *type, wire_span parent) {
    item *it = calloc(1, sizeof *it);
    if (!it)
        return NULL;
    snprintf(it->type, sizeof it->type, "%s", type);
    it->parent = copy(parent.data, parent.len);
    it->parent_len = parent.len;
    return it;
}

void iopub_send(iopub *p, const char *type, wire_span parent, json_t *metadata, json_t *content) {
    item *it = new_item(type, parent);
    if (it) {
        it->body = json_dumps(content, JSON_COMPACT);
        it->body_len = it->body ? strlen(it->body) : 0;
        it->metadata = metadata ? json_dumps(metadata, JSON_COMPACT) : NULL;
    }
    json_decref(content);
    json_decref(metadata);
    if (it && it->body && it->parent) {
        queue(p, it);
        return;
    }
    fprintf(stderr, "warpbook: a %s message was lost: out of memory\n", type);
    if (it)
        free_item(it);
}

void iopub_stream(iopub *p, wire_span parent, int fd, const char *text, size_t len) {
    item *it = new_item("stream", parent);
    if (it) {
        it->fd = fd;
        it->body = copy(text, len);
        it->body_len = len;
    }
    if (it && it->body && it->parent) {
        queue(p, it);
        return;
    }
    fprintf(stderr, "warpbook: %zu bytes of a stream were lost: out of memory\n", len);
    if (it)
        free_item(it);
}

void iopub_status(iopub *p, wire_span parent, const char *state) {
    iopub_send(p, "status", parent, NULL, json_pack("{s:s}", "execution_state", state));
}
