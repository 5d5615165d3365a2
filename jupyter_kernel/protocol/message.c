/* message.c: headers, and frames to and from the channels. */
#include "jupyter_kernel/protocol/message.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

bool message_author_init(message_author *author, wire_key *key, wb_error *err) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return wb_fail(err, errno, "no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(author->session + 2 * i, 3, "%02x", bytes[i]);
    author->key = key;
    return true;
}

wire_span message_header(const message_author *author, const char *type,
                         char out[MESSAGE_HEADER_SIZE]) {
    static atomic_ulong count;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tm utc;
    gmtime_r(&now.tv_sec, &utc);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    int len = snprintf(out, MESSAGE_HEADER_SIZE,
                       "{\"msg_id\":\"%s_%lu\",\"msg_type\":\"%s\",\"session\":\"%s\","
                       "\"username\":\"warpbook\",\"date\":\"%s.%06ldZ\",\"version\":\"%s\"}",
                       author->session, atomic_fetch_add(&count, 1), type, author->session, date,
                       now.tv_nsec / 1000, MESSAGE_VERSION);
    return (wire_span){out, (size_t)len};
}

static bool send_frames(void *socket, const wire_out *out) {
    for (size_t i = 0; i < out->n; i++) {
        int more = i + 1 < out->n ? ZMQ_SNDMORE : 0;
        while (zmq_send(socket, out->frames[i].data, out->frames[i].len, more) < 0)
            if (zmq_errno() != EINTR)
                return false;
    }
    return true;
}

bool message_send(const message_author *author, message_port to, const wire_span *identities,
                  size_t n_identities, const char *type, wire_span parent, wire_span metadata,
                  wire_span content) {
    char header[MESSAGE_HEADER_SIZE];
    static const wire_span empty = {"{}", 2};
    wire_span json[4] = {message_header(author, type, header), parent.len ? parent : empty,
                         metadata.len ? metadata : empty, content};
    wire_out out;
    if (!wire_join(author->key, identities, n_identities, json, &out))
        return false;
    return to.router ? router_send(to.router, out.frames, out.n)
           : to.xpub ? xpub_send(to.xpub, out.frames, out.n)
                     : send_frames(to.zmq, &out);
}

static bool grow(message_frames *f) {
    size_t cap = 2 * f->cap;
    bool few = f->parts == f->few_parts;
    zmq_msg_t *parts = malloc(cap * sizeof *parts);
    wire_span *frames = malloc(cap * sizeof *frames);
    if (!parts || !frames) {
        free(parts);
        free(frames);
        return false;
    }
    memcpy(parts, f->parts, f->n * sizeof *parts);
    if (!few) {
        free(f->parts);
        free(f->frames);
    }
    f->parts = parts;
    f->frames = frames; /* filled at the end */
    f->cap = cap;
    return true;
}

void message_of(router_message *taken, message_frames *f) {
    f->taken = taken;
    f->frames = taken->frames;
    f->n = taken->n;
}

static bool take_frames(router *r, message_frames *f) {
    router_message *taken = router_take(r);
    if (taken)
        message_of(taken, f);
    return taken != NULL;
}

static bool receive_frames(void *socket, int flags, message_frames *f) {
    f->taken = NULL;
    f->parts = f->few_parts;
    f->frames = f->few_frames;
    f->n = 0;
    f->cap = WB_COUNT(f->few_parts);
    bool more = true, room = true;
    while (more) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        int got;
        do
            got = zmq_msg_recv(&part, socket, flags);
        while (got < 0 && zmq_errno() == EINTR && f->n > 0);
        if (got < 0) {
            message_frames_free(f);
            return false;
        }
        more = zmq_msg_more(&part);
        room = room && f->n <= WIRE_MAX_FRAMES && (f->n < f->cap || grow(f));
        if (room)
            f->parts[f->n++] = part;
        else
            zmq_msg_close(&part);
    }
    /* Only now: a zmq_msg_t holds short frames inside itself, and grow() moves it. */
    for (size_t i = 0; i < f->n; i++)
        f->frames[i] = (wire_span){zmq_msg_data(&f->parts[i]), zmq_msg_size(&f->parts[i])};
    if (!room && f->n <= WIRE_MAX_FRAMES) {
        message_frames_free(f);
        errno = ENOMEM;
        return false;
    }
    return true;
}

bool message_receive(message_port from, int flags, message_frames *f) {
    return from.router ? take_frames(from.router, f) : receive_frames(from.zmq, flags, f);
}

void message_frames_free(message_frames *f) {
    if (f->taken) {
        free(f->taken);
        *f = (message_frames){.taken = NULL};
        return;
    }
    for (size_t i = 0; i < f->n; i++)
        zmq_msg_close(&f->parts[i]);
    if (f->parts != f->few_parts) {
        free(f->parts);
        free(f->frames);
    }
    f->n = 0;
}
