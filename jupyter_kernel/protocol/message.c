/* message.c: headers, frames and signatures of whole messages. */
#include "jupyter_kernel/protocol/message.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>
#include <zmq.h>

#include "runtime/base/scoped.h"

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

void message_now(char date[40]) {
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t n = strftime(date, 40, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(date + n, 40 - n, ".%06ldZ", now.tv_nsec / 1000);
}

/* Writes the JSON of a new header with a new message id. */
static wire_span new_header(const message_author *author, const char *type, char out[HEADER_SIZE]) {
    static atomic_ulong count;
    char date[40];
    message_now(date);
    int len = snprintf(out, HEADER_SIZE,
                       "{\"msg_id\":\"%s_%lu\",\"msg_type\":\"%s\",\"session\":\"%s\","
                       "\"username\":\"warpbook\",\"date\":\"%s\",\"version\":\"%s\"}",
                       author->session, atomic_fetch_add(&count, 1), type, author->session, date,
                       MESSAGE_VERSION);
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

/* One multipart message. The spans point into the parts, so it must not move. */
typedef struct frames {
    zmq_msg_t parts[WIRE_MAX_FRAMES + 1];
    wire_span spans[WIRE_MAX_FRAMES + 1];
    size_t n;
} frames;

static void free_frames(frames *f) {
    for (size_t i = 0; i < f->n; i++)
        zmq_msg_close(&f->parts[i]);
}

/* Drops frames beyond WIRE_MAX_FRAMES. n is then WIRE_MAX_FRAMES + 1, which wire_parse refuses.
 * Returns false if there is no message. */
static bool receive_frames(void *socket, frames *f) {
    f->n = 0;
    for (bool more = true; more;) {
        zmq_msg_t dropped, *part = f->n <= WIRE_MAX_FRAMES ? &f->parts[f->n] : &dropped;
        zmq_msg_init(part);
        int got;
        do
            got = zmq_msg_recv(part, socket, ZMQ_DONTWAIT);
        while (got < 0 && zmq_errno() == EINTR);
        if (got < 0) {
            free_frames(f);
            return false;
        }
        more = zmq_msg_more(part);
        if (part == &dropped)
            zmq_msg_close(part);
        else
            f->spans[f->n++] = (wire_span){zmq_msg_data(part), zmq_msg_size(part)};
    }
    return true;
}

static bool is_replay(message_author *author, const wire_message *m) {
    WB_LOCKED(&author->lock);
    return wire_key_signs(author->key) && !wire_guard_admit(author->guard, m->signature);
}

message_status message_receive(message_author *author, void *socket, const char *channel,
                               wire_message *message) {
    frames f; /* 80 KB on the stack */
    if (!receive_frames(socket, &f))
        return MESSAGE_NONE;
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
