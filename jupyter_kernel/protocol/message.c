/* message.c: headers, frames and signatures of whole messages. */
#include "jupyter_kernel/protocol/message.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>
#include <zmq.h>

enum { HEADER_SIZE = 320 };

bool message_author_init(message_author *author, wire_key *key, wb_error *err) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return wb_fail(err, errno, _("no random numbers: %s"), strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(author->session + 2 * i, 3, "%02x", bytes[i]);
    author->key = key;
    author->guard = wire_guard_new(WIRE_GUARD_DEFAULT);
    pthread_mutex_init(&author->lock, NULL);
    return author->guard || wb_fail(err, ENOMEM, _("out of memory"));
}

void message_author_free(message_author *author) {
    wire_guard_free(author->guard);
    wire_key_free(author->key);
    pthread_mutex_destroy(&author->lock);
}

/* ---- sending ------------------------------------------------------------------------------ */

/* Writes the JSON of a new header with a new message id. */
static wire_span new_header(const message_author *author, const char *type, char out[HEADER_SIZE]) {
    static atomic_ulong count;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tm utc;
    gmtime_r(&now.tv_sec, &utc);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    int len = snprintf(out, HEADER_SIZE,
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

bool message_send(const message_author *author, void *socket, const wire_span *identities,
                  size_t n_identities, const char *type, wire_span parent, wire_span metadata,
                  wire_span content) {
    char header[HEADER_SIZE];
    static const wire_span empty = {"{}", 2};
    wire_span json[4] = {new_header(author, type, header), parent.len ? parent : empty,
                         metadata.len ? metadata : empty, content};
    wire_out out;
    return wire_join(author->key, identities, n_identities, json, &out) &&
           send_frames(socket, &out);
}

/* ---- receiving ---------------------------------------------------------------------------- */

/* One multipart message. The spans point into the parts, so it must not move. Few parts need no
 * malloc. */
typedef struct frames {
    zmq_msg_t *parts, few_parts[12];
    wire_span *spans, few_spans[12];
    size_t n, cap;
} frames;

static void free_frames(frames *f) {
    for (size_t i = 0; i < f->n; i++)
        zmq_msg_close(&f->parts[i]);
    if (f->parts != f->few_parts)
        WB_FREE(f->parts, f->spans);
    f->n = 0;
}

static bool grow(frames *f) {
    size_t cap = 2 * f->cap;
    bool few = f->parts == f->few_parts;
    zmq_msg_t *parts = malloc(cap * sizeof *parts);
    wire_span *spans = malloc(cap * sizeof *spans);
    if (!parts || !spans) {
        WB_FREE(parts, spans);
        return false;
    }
    memcpy(parts, f->parts, f->n * sizeof *parts);
    if (!few)
        WB_FREE(f->parts, f->spans);
    f->parts = parts;
    f->spans = spans; /* filled in by receive_frames */
    f->cap = cap;
    return true;
}

/* Drops frames beyond WIRE_MAX_FRAMES. n is then WIRE_MAX_FRAMES + 1, which wire_parse refuses. */
static message_status receive_frames(void *socket, frames *f) {
    *f = (frames){.parts = f->few_parts, .spans = f->few_spans, .cap = WB_COUNT(f->few_parts)};
    bool more = true, room = true;
    while (more) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        int got;
        do
            got = zmq_msg_recv(&part, socket, ZMQ_DONTWAIT);
        while (got < 0 && zmq_errno() == EINTR);
        if (got < 0) {
            free_frames(f);
            return MESSAGE_NONE;
        }
        more = zmq_msg_more(&part);
        room = room && f->n <= WIRE_MAX_FRAMES && (f->n < f->cap || grow(f));
        if (room)
            f->parts[f->n++] = part;
        else
            zmq_msg_close(&part);
    }
    /* Do this last: a zmq_msg_t holds short frames inside itself, and grow() moves it. */
    for (size_t i = 0; i < f->n; i++)
        f->spans[i] = (wire_span){zmq_msg_data(&f->parts[i]), zmq_msg_size(&f->parts[i])};
    if (room || f->n > WIRE_MAX_FRAMES)
        return MESSAGE_OK;
    free_frames(f);
    fprintf(stderr, _("warpbook: a message was lost: out of memory\n"));
    return MESSAGE_REFUSED;
}

static bool is_replay(message_author *author, const wire_message *m) {
    if (!wire_key_signs(author->key))
        return false;
    pthread_mutex_lock(&author->lock);
    bool fresh = wire_guard_admit(author->guard, m->signature);
    pthread_mutex_unlock(&author->lock);
    return !fresh;
}

message_status message_receive(message_author *author, void *socket, const char *channel,
                               wire_message *message) {
    frames f;
    message_status status = receive_frames(socket, &f);
    if (status != MESSAGE_OK)
        return status;
    wb_error err = {0};
    bool ok = wire_parse(author->key, f.spans, f.n, message, &err);
    free_frames(&f);
    if (ok && is_replay(author, message)) {
        wb_fail(&err, 1, _("it came before (a replay)"));
        wire_message_free(message);
        ok = false;
    }
    if (!ok)
        fprintf(stderr, _("warpbook: refused a message on %s: %s\n"), channel, err.text);
    return ok ? MESSAGE_OK : MESSAGE_REFUSED;
}
