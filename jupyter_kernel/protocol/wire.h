/* wire.h: Jupyter messages as ZeroMQ frames. Pure: no sockets, no threads, no printing.
 *
 * A message is   identities..., "<IDS|MSG>", HMAC, header, parent_header, metadata, content,
 * buffers...   The middle four are JSON objects. The HMAC (lower-case hex) covers their texts in
 * that order. https://jupyter-client.readthedocs.io/en/stable/messaging.html#the-wire-protocol */
#pragma once

#include <jansson.h>
#include "runtime/base/base.h"

enum {
    WIRE_MAX_IDENTITIES = 8,     /* routing prefixes a message may carry */
    WIRE_MAX_FRAMES = 1024,      /* in one message, buffers included */
    WIRE_MAX_DEPTH = 256,        /* nested arrays and objects in one JSON text */
    WIRE_MAX_BYTES = 256 << 20,  /* in one JSON text */
    WIRE_SIGNATURE_SIZE = 129,   /* hex digits of the longest digest (SHA-512) and the NUL */
    WIRE_GUARD_DEFAULT = 1 << 14 /* signatures remembered, at least */
};

/* Borrowed bytes. */
typedef struct wire_span {
    const char *data;
    size_t len;
} wire_span;

/* ---- signatures --------------------------------------------------------------------------- */

/* The connection's HMAC key. Several threads may use it at once. */
typedef struct wire_key wire_key;

/* scheme: "hmac-sha256" or another SHA-2 scheme. An empty key turns signatures off, as the protocol
 * says. NULL with *err if the scheme is unknown or memory runs out. */
wire_key *wire_key_new(const char *scheme, const char *key, wb_error *err);
void wire_key_free(wire_key *key);
bool wire_key_signs(const wire_key *key);

/* Writes the hex HMAC over the four texts; "": the key is empty. False when memory runs out. */
bool wire_sign(wire_key *key, const wire_span json[4], char out[WIRE_SIGNATURE_SIZE]);

/* ---- replay guard ------------------------------------------------------------------------- */

/* Remembers recent signatures in two generations of hash sets. One thread at a time may use it. */
typedef struct wire_guard wire_guard;

wire_guard *wire_guard_new(size_t capacity); /* NULL when memory runs out */
void wire_guard_free(wire_guard *guard);
/* Returns true the first time it sees a signature, and false for a replay. */
bool wire_guard_admit(wire_guard *guard, const char *signature);

/* ---- messages ----------------------------------------------------------------------------- */

/* A received message, with its own copies of everything. */
typedef struct wire_message {
    wire_span identities[WIRE_MAX_IDENTITIES];
    size_t n_identities;
    wire_span header_text; /* as received; replies carry it as parent_header */
    json_t *header, *parent, *metadata, *content;
    const char *type, *id; /* msg_type and msg_id, inside header */
    char signature[WIRE_SIGNATURE_SIZE];
    size_t n_buffers, size; /* size: bytes of the four texts */
    wb_error wrong;         /* text "": none; else which text could not be read and is {} */
    char *memory;           /* holds identities and header_text */
} wire_message;

/* Checks and parses a message. If a text other than the header can't be read, message->wrong says
 * so, and the message can still be answered. If the result is false, *message is empty and err (may
 * be NULL) says why. Else the caller frees it with wire_message_free. */
bool wire_parse(wire_key *key, const wire_span *frames, size_t n_frames, wire_message *message,
                wb_error *err);
void wire_message_free(wire_message *message);

/* A message to send. Its frames point into the arguments of wire_join and into itself. */
typedef struct wire_out {
    wire_span frames[WIRE_MAX_IDENTITIES + 6];
    size_t n;
    char signature[WIRE_SIGNATURE_SIZE];
} wire_out;

/* json: header, parent_header, metadata, content. False: out of memory, or too many identities. */
bool wire_join(wire_key *key, const wire_span *identities, size_t n_identities,
               const wire_span json[4], wire_out *out);

/* Parses one JSON object with the limits above. It also accepts Python's extensions: an integer
 * beyond 64 bits becomes a real; NaN, infinities and numbers beyond a double become null. NULL with
 * *err (may be NULL) if it fails. */
json_t *wire_json(wire_span text, wb_error *err);
