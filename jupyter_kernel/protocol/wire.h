/* wire.h: Jupyter messages as ZeroMQ frames. Pure: no sockets, no threads, no printing.
 *
 * A message is   identities..., "<IDS|MSG>", HMAC, header, parent_header, metadata, content,
 * buffers...   where the middle four are JSON objects and the HMAC (lower-case hex) covers those
 * four texts in that order.
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html#the-wire-protocol */
#ifndef WARPBOOK_KERNEL_WIRE_H
#define WARPBOOK_KERNEL_WIRE_H

#include <jansson.h>
#include "runtime/base/base.h"

enum {
    WIRE_MAX_IDENTITIES = 8,     /* routing prefixes a message may carry */
    WIRE_MAX_FRAMES = 1024,      /* of one message, buffers included */
    WIRE_MAX_DEPTH = 256,        /* nested arrays and objects in one JSON text */
    WIRE_MAX_BYTES = 256 << 20,  /* of one JSON text */
    WIRE_SIGNATURE_SIZE = 129,   /* hex digits of the longest digest (SHA-512) and the NUL */
    WIRE_GUARD_DEFAULT = 1 << 14 /* signatures remembered, at least */
};

/* Bytes somebody else owns. */
typedef struct wire_span {
    const char *data;
    size_t len;
} wire_span;

/* ---- signatures --------------------------------------------------------------------------- */

/* The connection's HMAC key; may be used by several threads at once. */
typedef struct wire_key wire_key;

/* scheme: "hmac-sha256" and its SHA-2 siblings. An empty key turns signatures off, as the protocol
 * says. NULL with *err when the scheme is not known or memory runs out. */
wire_key *wire_key_new(const char *scheme, const char *key, wb_error *err);
void wire_key_free(wire_key *key);
bool wire_key_signs(const wire_key *key);

/* The hex HMAC over the four texts; "" when the key is empty. False when memory runs out. */
bool wire_sign(wire_key *key, const wire_span json[4], char out[WIRE_SIGNATURE_SIZE]);

/* ---- replay guard ------------------------------------------------------------------------- */

/* Remembers the last signatures seen, in two generations of hash sets. Not for two threads at
 * once. */
typedef struct wire_guard wire_guard;

wire_guard *wire_guard_new(size_t capacity); /* NULL when memory runs out */
void wire_guard_free(wire_guard *guard);
/* True the first time a signature is seen; false when it is a replay. */
bool wire_guard_admit(wire_guard *guard, const char *signature);

/* ---- messages ----------------------------------------------------------------------------- */

typedef enum wire_status {
    WIRE_OK,
    WIRE_NO_DELIMITER, /* no <IDS|MSG>, or too many identities */
    WIRE_TRUNCATED,    /* fewer than the five frames behind the delimiter */
    WIRE_TOO_LARGE,    /* too many frames, or a text too long or too deep */
    WIRE_UNSIGNED,     /* no signature where one is asked for */
    WIRE_BAD_SIGNATURE,
    WIRE_BAD_JSON,   /* the header is not JSON, or not an object */
    WIRE_BAD_HEADER, /* it lacks msg_id or msg_type */
    WIRE_NO_MEMORY
} wire_status;

/* A message that was received; everything in it is its own copy. */
typedef struct wire_message {
    wire_span identities[WIRE_MAX_IDENTITIES];
    size_t n_identities;
    wire_span header_text; /* as it came: what replies carry as parent_header */
    json_t *header, *parent, *metadata, *content;
    const char *type, *id; /* msg_type and msg_id, inside header */
    char signature[WIRE_SIGNATURE_SIZE];
    size_t n_buffers, size; /* size: bytes of the four texts */
    wb_error wrong;         /* text "": all could be read; else what could not, and is {} here */
    char *memory;           /* holds identities and header_text */
} wire_message;

/* Checks and takes apart. What can't be read behind a sound header is told in message->wrong, so
 * that it can be answered. On anything but WIRE_OK *message is empty and err (may be NULL) says
 * why; otherwise the caller frees it with wire_message_free. */
wire_status wire_parse(wire_key *key, const wire_span *frames, size_t n_frames,
                       wire_message *message, wb_error *err);
void wire_message_free(wire_message *message);

/* A message to send: frames[0..n) point into the arguments of wire_join and into itself. */
typedef struct wire_out {
    wire_span frames[WIRE_MAX_IDENTITIES + 6];
    size_t n;
    char signature[WIRE_SIGNATURE_SIZE];
} wire_out;

/* json: header, parent_header, metadata, content. False when memory runs out or there are too many
 * identities. */
bool wire_join(wire_key *key, const wire_span *identities, size_t n_identities,
               const wire_span json[4], wire_out *out);

/* Parses one JSON object with the limits above, and with what Python's json writes beyond JSON: an
 * integer beyond 64 bits becomes a real, NaN, an infinity and a number beyond a double null. NULL
 * with *err and *status (both may be NULL). */
json_t *wire_json(wire_span text, wire_status *status, wb_error *err);

#endif
