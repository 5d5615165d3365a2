/* wire.c: splits, checks, signs and joins Jupyter messages. */
#include "jupyter_kernel/protocol/wire.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

static const char delimiter[] = "<IDS|MSG>";

/* ---- signatures --------------------------------------------------------------------------- */

/* One keyed context behind a lock. Restarting it with the same key costs a fifth of a copy. */
struct wire_key {
    EVP_MAC_CTX *context; /* NULL: the key is empty */
    pthread_mutex_t lock;
};

static EVP_MAC_CTX *keyed_context(const char *digest, const char *key) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_end(),
    };
    if (context && !EVP_MAC_init(context, (const unsigned char *)key, strlen(key), params)) {
        EVP_MAC_CTX_free(context);
        context = NULL;
    }
    return context;
}

wire_key *wire_key_new(const char *scheme, const char *key, wb_error *err) {
    static const char *const known[][2] = {{"hmac-sha256", "SHA256"},
                                           {"hmac-sha224", "SHA224"},
                                           {"hmac-sha384", "SHA384"},
                                           {"hmac-sha512", "SHA512"}};
    const char *digest = NULL;
    for (size_t i = 0; i < WB_COUNT(known); i++)
        if (strcmp(scheme, known[i][0]) == 0)
            digest = known[i][1];
    if (!digest) {
        wb_fail(err, 1, _("signature_scheme \"%s\" is not known; hmac-sha256 is the usual one"),
                scheme);
        return NULL;
    }
    wire_key *k = calloc(1, sizeof *k);
    if (k)
        pthread_mutex_init(&k->lock, NULL);
    if (k && *key)
        k->context = keyed_context(digest, key);
    if (!k || (*key && !k->context)) {
        wire_key_free(k);
        wb_fail(err, 1, _("the message signatures can't be set up: out of memory"));
        return NULL;
    }
    return k;
}

void wire_key_free(wire_key *key) {
    if (!key)
        return;
    EVP_MAC_CTX_free(key->context);
    pthread_mutex_destroy(&key->lock);
    free(key);
}

bool wire_key_signs(const wire_key *key) {
    return key->context != NULL;
}

bool wire_sign(wire_key *key, const wire_span json[4], char out[WIRE_SIGNATURE_SIZE]) {
    out[0] = '\0';
    if (!key->context)
        return true;
    unsigned char digest[64];
    size_t len = 0;
    pthread_mutex_lock(&key->lock);
    bool ok = EVP_MAC_init(key->context, NULL, 0, NULL);
    for (int i = 0; i < 4 && ok; i++)
        ok = EVP_MAC_update(key->context, (const unsigned char *)json[i].data, json[i].len);
    ok = ok && EVP_MAC_final(key->context, digest, &len, sizeof digest);
    pthread_mutex_unlock(&key->lock);
    for (size_t i = 0; i < len && ok; i++) {
        out[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    out[ok ? 2 * len : 0] = '\0';
    return ok;
}

/* ---- replay guard ------------------------------------------------------------------------- */

/* A signature is stored as its first 64 bits. They are uniformly distributed, and only the owner of
 * the key could choose them. 0 marks an empty slot. */
struct wire_guard {
    size_t capacity, slots, used;
    uint64_t *now, *before;
};

wire_guard *wire_guard_new(size_t capacity) {
    wire_guard *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->capacity = capacity;
    g->slots = 16;
    while (g->slots < 2 * capacity)
        g->slots *= 2;
    g->now = calloc(g->slots, sizeof *g->now);
    g->before = calloc(g->slots, sizeof *g->before);
    if (!g->now || !g->before) {
        wire_guard_free(g);
        return NULL;
    }
    return g;
}

void wire_guard_free(wire_guard *guard) {
    if (!guard)
        return;
    WB_FREE(guard->now, guard->before, guard);
}

static uint64_t signature_name(const char *signature) {
    char digits[17] = {0};
    strncpy(digits, signature, 16);
    uint64_t name = strtoull(digits, NULL, 16);
    return name ? name : 1;
}

/* Returns the slot that holds `name`, or the empty slot where it belongs. */
static uint64_t *find_slot(const wire_guard *g, uint64_t *table, uint64_t name) {
    size_t i = name & (g->slots - 1);
    while (table[i] && table[i] != name)
        i = (i + 1) & (g->slots - 1);
    return &table[i];
}

bool wire_guard_admit(wire_guard *g, const char *signature) {
    uint64_t name = signature_name(signature);
    uint64_t *slot = find_slot(g, g->now, name);
    if (*slot || *find_slot(g, g->before, name))
        return false;
    if (g->used == g->capacity) {
        uint64_t *oldest = g->before;
        g->before = g->now;
        g->now = oldest;
        memset(g->now, 0, g->slots * sizeof *g->now);
        g->used = 0;
        slot = find_slot(g, g->now, name);
    }
    *slot = name;
    g->used++;
    return true;
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* Returns true if arrays and objects nest deeper than WIRE_MAX_DEPTH, outside strings. */
static bool too_deep(wire_span text) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > WIRE_MAX_DEPTH)
                return true;
        } else if (c == '}' || c == ']') {
            depth--;
        }
    }
    return false;
}

/* Returns true if an integer does not fit json_int_t. */
static bool over_integer(const char *number) {
    errno = 0;
    strtoll(number, NULL, 10);
    return errno == ERANGE;
}

/* Rewrites a token (not a string) of Python's JSON so that jansson reads it. An integer beyond 64
 * bits becomes a real. NaN, infinities and numbers beyond a double become null. */
static void put_readable(wb_buf *out, const char *token, size_t len) {
    char number[400]; /* no double has more digits before its point */
    snprintf(number, sizeof number, "%.*s", (int)len, token);
    bool integer = strspn(number, "-0123456789") == len;
    bool infinite = strcmp(number, "NaN") == 0 || strcmp(number, "Infinity") == 0 ||
                    strcmp(number, "-Infinity") == 0 || len >= sizeof number ||
                    (strspn(number, "+-.eE0123456789") == len && isinf(strtod(number, NULL)));
    wb_buf_append(out, infinite ? "null" : token, infinite ? 4 : len);
    if (!infinite && integer && over_integer(number))
        wb_buf_append(out, ".0", 2);
}

static bool in_token(char c) {
    return isalnum((unsigned char)c) || c == '-' || c == '+' || c == '.';
}

static bool make_readable(wire_span text, wb_buf *out) {
    const char *p = text.data, *end = p + text.len;
    while (p < end) {
        const char *begin = p;
        if (in_token(*p)) {
            while (p < end && in_token(*p))
                p++;
            put_readable(out, begin, (size_t)(p - begin));
            continue;
        }
        if (*p++ == '"') {
            while (p < end && *p != '"')
                p += *p == '\\' && p + 1 < end ? 2 : 1;
            p += p < end;
        }
        wb_buf_append(out, begin, (size_t)(p - begin));
    }
    return !out->failed;
}

static json_t *load(wire_span text, json_error_t *why) {
    return json_loadb(text.data, text.len, JSON_ALLOW_NUL, why);
}

/* Numbers that jansson can't hold are rare, so the text is rewritten only after an error. */
static json_t *load_leniently(wire_span text, json_error_t *why) {
    json_t *value = load(text, why);
    enum json_error_code code = json_error_code(why);
    if (!value && (code == json_error_numeric_overflow || code == json_error_invalid_syntax)) {
        WB_SCOPED_BUF wb_buf readable = {0};
        *why = (json_error_t){0};
        if (make_readable(text, &readable))
            value = load((wire_span){readable.data ? readable.data : "", readable.len}, why);
    }
    return value;
}

json_t *wire_json(wire_span text, wb_error *err) {
    if (text.len > WIRE_MAX_BYTES || too_deep(text)) {
        wb_fail(err, 1, _("a JSON text of %zu bytes is longer than %d MiB or nests deeper than %d"),
                text.len, WIRE_MAX_BYTES >> 20, WIRE_MAX_DEPTH);
        return NULL;
    }
    json_error_t why = {0};
    json_t *value = load_leniently(text, &why);
    if (json_is_object(value))
        return value;
    if (!value && !why.text[0]) /* jansson gives no other reason here */
        wb_fail(err, 1, _("out of memory while reading JSON"));
    else
        wb_fail(err, 1, _("not a JSON object: %s"), value ? _("another type") : why.text);
    json_decref(value);
    return NULL;
}

/* ---- messages ----------------------------------------------------------------------------- */

static bool is_delimiter(wire_span frame) {
    return frame.len == sizeof delimiter - 1 && memcmp(frame.data, delimiter, frame.len) == 0;
}

static bool check_signature(wire_key *key, wire_span signature, const wire_span json[4],
                            wire_message *m, wb_error *err) {
    if (!wire_key_signs(key))
        return true;
    if (signature.len == 0)
        return wb_fail(err, 1, _("the message is not signed"));
    if (!wire_sign(key, json, m->signature))
        return wb_fail(err, 1, _("out of memory while checking a signature"));
    return (signature.len == strlen(m->signature) &&
            CRYPTO_memcmp(signature.data, m->signature, signature.len) == 0) ||
           wb_fail(err, 1, _("the signature is wrong"));
}

static bool copy_texts(wire_message *m, const wire_span *identities, size_t n, wire_span header) {
    size_t total = header.len + 1;
    for (size_t i = 0; i < n; i++)
        total += identities[i].len;
    char *at = m->memory = malloc(total);
    if (!at)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (identities[i].len)
            memcpy(at, identities[i].data, identities[i].len);
        m->identities[i] = (wire_span){at, identities[i].len};
        at += identities[i].len;
    }
    m->n_identities = n;
    if (header.len)
        memcpy(at, header.data, header.len);
    at[header.len] = '\0';
    m->header_text = (wire_span){at, header.len};
    return true;
}

/* A text other than the header that can't be read is {}, and m->wrong says why. The sender is known
 * by then, so it gets an error reply. */
static bool parse_texts(wire_message *m, const wire_span json[4], wb_error *err) {
    wb_error why = {0};
    m->header = wire_json(json[0], &why);
    if (!m->header)
        return wb_fail(err, 1, _("header: %s"), why.text);
    m->type = json_string_value(json_object_get(m->header, "msg_type"));
    m->id = json_string_value(json_object_get(m->header, "msg_id"));
    if (!m->type || !m->id)
        return wb_fail(err, 1, _("the header lacks a msg_type or a msg_id"));
    json_t **values[3] = {&m->parent, &m->metadata, &m->content};
    static const char *const names[3] = {"parent_header", "metadata", "content"};
    for (int i = 0; i < 3; i++) {
        *values[i] = wire_json(json[1 + i], &why);
        if (!*values[i] && !m->wrong.text[0])
            wb_fail(&m->wrong, 1, "%s: %s", names[i], why.text);
        if (!*values[i] && !(*values[i] = json_object()))
            return wb_fail(err, 1, _("out of memory while reading JSON"));
    }
    return true;
}

static bool parse(wire_key *key, const wire_span *frames, size_t n_frames, wire_message *m,
                  wb_error *err) {
    if (n_frames > WIRE_MAX_FRAMES)
        return wb_fail(err, 1, _("a message of %zu frames"), n_frames);
    size_t at = 0;
    while (at < n_frames && at <= WIRE_MAX_IDENTITIES && !is_delimiter(frames[at]))
        at++;
    if (at == n_frames || at > WIRE_MAX_IDENTITIES)
        return wb_fail(err, 1, _("no %s delimiter behind at most %d identities"), delimiter,
                       WIRE_MAX_IDENTITIES);
    if (n_frames - at < 6)
        return wb_fail(err, 1, _("the message is cut off: %zu of 5 frames behind the delimiter"),
                       n_frames - at - 1);
    const wire_span *json = frames + at + 2;
    if (!check_signature(key, frames[at + 1], json, m, err))
        return false;
    if (!copy_texts(m, frames, at, json[0]))
        return wb_fail(err, 1, _("out of memory while taking a message apart"));
    m->n_buffers = n_frames - at - 6;
    for (int i = 0; i < 4; i++)
        m->size += json[i].len;
    return parse_texts(m, json, err);
}

bool wire_parse(wire_key *key, const wire_span *frames, size_t n_frames, wire_message *message,
                wb_error *err) {
    *message = (wire_message){0};
    bool ok = parse(key, frames, n_frames, message, err);
    if (!ok)
        wire_message_free(message);
    return ok;
}

void wire_message_free(wire_message *m) {
    WB_JSON_FREE(m->header, m->parent, m->metadata, m->content);
    free(m->memory);
    *m = (wire_message){0};
}

bool wire_join(wire_key *key, const wire_span *identities, size_t n_identities,
               const wire_span json[4], wire_out *out) {
    out->n = 0;
    if (n_identities > WIRE_MAX_IDENTITIES || !wire_sign(key, json, out->signature))
        return false;
    for (size_t i = 0; i < n_identities; i++)
        out->frames[out->n++] = identities[i];
    out->frames[out->n++] = (wire_span){delimiter, sizeof delimiter - 1};
    out->frames[out->n++] = (wire_span){out->signature, strlen(out->signature)};
    for (int i = 0; i < 4; i++)
        out->frames[out->n++] = json[i];
    return true;
}
