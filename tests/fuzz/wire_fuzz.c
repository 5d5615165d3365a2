/* wire_fuzz.c: wire_parse on arbitrary frames. The input is a list of frames: two bytes of length
 * (little-endian), then the bytes. A frame of length 0xffff is replaced by the right signature of
 * the four frames that follow, so that the fuzzer gets past the HMAC. */
#include "jupyter_kernel/protocol/wire.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t split(const uint8_t *data, size_t size, wire_span *frames, size_t *sign_at) {
    size_t n = 0;
    while (size >= 2 && n < MAX_FRAMES) {
        size_t len = data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        if (len == 0xffff) {
            *sign_at = n;
            len = 0;
        }
        if (len > size)
            len = size;
        frames[n++] = (wire_span){(const char *)data, len};
        data += len;
        size -= len;
    }
    return n;
}

/* wire_json reads every text that jansson reads, as the same value. */
static void same_json(wire_span text) {
    json_t *ours = wire_json(text, NULL);
    json_t *theirs = json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
    if (json_is_object(theirs) && (ours ? !json_equal(ours, theirs) : text.len < WIRE_MAX_DEPTH))
        abort();
    json_decref(ours);
    json_decref(theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static wire_key *key;
    if (!key)
        key = wire_key_new("hmac-sha256", "fuzz", NULL);
    wire_span frames[MAX_FRAMES];
    size_t sign_at = MAX_FRAMES, n = split(data, size, frames, &sign_at);
    same_json((wire_span){(const char *)data, size});
    for (size_t i = 0; i < n; i++)
        same_json(frames[i]);
    char signature[WIRE_SIGNATURE_SIZE];
    if (sign_at + 4 < n && wire_sign(key, frames + sign_at + 1, signature))
        frames[sign_at] = (wire_span){signature, strlen(signature)};
    wire_message m;
    wb_error err = {0};
    if (wire_parse(key, frames, n, &m, &err)) {
        wire_span json[4] = {m.header_text, {"{}", 2}, {"{}", 2}, {"{}", 2}};
        wire_out out;
        if (!m.type || !m.id || !wire_join(key, m.identities, m.n_identities, json, &out))
            abort();
        wire_message again;
        if (!wire_parse(key, out.frames, out.n, &again, &err))
            abort();
        wire_message_free(&again);
    } else if (!err.text[0]) {
        abort();
    }
    wire_message_free(&m);
    return 0;
}
