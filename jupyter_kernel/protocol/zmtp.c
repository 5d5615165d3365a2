/* zmtp.c: see zmtp.h. */
#include "jupyter_kernel/protocol/zmtp.h"

#include <string.h>
#include <strings.h>

/* signature (10), version (2), mechanism (20), as-server (1), filler (31) */
static const char greeting[ZMTP_GREETING_SIZE] = {'\xff', 0,      0, 0, 0,   0,   0,   0,
                                                  1,      '\x7f', 3, 1, 'N', 'U', 'L', 'L'};

enum { AT_SIGNATURE_END = 9, AT_VERSION = 10, AT_MECHANISM = 12, MECHANISM_SIZE = 20 };

zmtp_status zmtp_read_greeting(wire_span in) {
    bool right = in.len < 1 || in.data[0] == greeting[0];
    right = right &&
            (in.len <= AT_SIGNATURE_END || in.data[AT_SIGNATURE_END] == greeting[AT_SIGNATURE_END]);
    right = right && (in.len <= AT_VERSION || in.data[AT_VERSION] >= greeting[AT_VERSION]);
    if (!right)
        return ZMTP_REFUSED;
    if (in.len < ZMTP_GREETING_SIZE)
        return ZMTP_PARTIAL;
    return memcmp(in.data + AT_MECHANISM, greeting + AT_MECHANISM, MECHANISM_SIZE) == 0
               ? ZMTP_OK
               : ZMTP_REFUSED;
}

/* A number of n bytes, the highest first. */
static uint64_t number_at(const char *p, size_t n) {
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value = value << 8 | (unsigned char)p[i];
    return value;
}

zmtp_status zmtp_read_frame(wire_span in, size_t max, zmtp_frame *frame) {
    if (in.len < 2)
        return ZMTP_PARTIAL;
    unsigned flags = (unsigned char)in.data[0];
    size_t digits = flags & ZMTP_LONG ? 8 : 1, head = 1 + digits;
    if (flags & ~(unsigned)(ZMTP_MORE | ZMTP_LONG | ZMTP_COMMAND))
        return ZMTP_REFUSED;
    if (in.len < head)
        return ZMTP_PARTIAL;
    uint64_t len = number_at(in.data + 1, digits);
    if (len > max)
        return ZMTP_REFUSED;
    if (in.len - head < len)
        return ZMTP_PARTIAL;
    *frame = (zmtp_frame){flags, {in.data + head, (size_t)len}, head + (size_t)len};
    return ZMTP_OK;
}

bool zmtp_is_command(wire_span body, const char *name, wire_span *data) {
    size_t n = strlen(name);
    if (body.len < n + 1 || (unsigned char)body.data[0] != n || memcmp(body.data + 1, name, n) != 0)
        return false;
    *data = (wire_span){body.data + 1 + n, body.len - 1 - n};
    return true;
}

/* Cuts a string behind its length of `digits` bytes off the front. */
static bool cut(wire_span *in, size_t digits, wire_span *text) {
    if (in->len < digits)
        return false;
    uint64_t len = number_at(in->data, digits);
    if (len > in->len - digits)
        return false;
    *text = (wire_span){in->data + digits, (size_t)len};
    *in = (wire_span){text->data + len, in->len - digits - (size_t)len};
    return true;
}

static bool is(wire_span text, const char *word) { /* property names know no case */
    return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

static bool is_any(wire_span text, const char *const *words) {
    while (*words && !is(text, *words))
        words++;
    return *words != NULL;
}

zmtp_status zmtp_read_ready(wire_span properties, const char *const *partners,
                            wire_span *identity) {
    bool suits = false;
    *identity = (wire_span){"", 0};
    while (properties.len > 0) {
        wire_span name, value;
        if (!cut(&properties, 1, &name) || !cut(&properties, 4, &value))
            return ZMTP_REFUSED;
        if (is(name, "Socket-Type"))
            suits = is_any(value, partners);
        else if (is(name, "Identity"))
            *identity = value;
    }
    return suits && identity->len <= ZMTP_MAX_IDENTITY ? ZMTP_OK : ZMTP_REFUSED;
}

zmtp_wish zmtp_read_wish(wire_span message, wire_span *topic) {
    zmtp_frame f;
    if (zmtp_read_frame(message, SIZE_MAX, &f) != ZMTP_OK || f.size != message.len ||
        f.flags & (ZMTP_COMMAND | ZMTP_MORE) || f.body.len < 1 || f.body.data[0] & ~1)
        return ZMTP_NO_WISH;
    *topic = (wire_span){f.body.data + 1, f.body.len - 1};
    return f.body.data[0] ? ZMTP_SUBSCRIBE : ZMTP_CANCEL;
}

zmtp_wish zmtp_read_wish_command(wire_span body, wire_span *topic) {
    return zmtp_is_command(body, "SUBSCRIBE", topic) ? ZMTP_SUBSCRIBE
           : zmtp_is_command(body, "CANCEL", topic)  ? ZMTP_CANCEL
                                                     : ZMTP_NO_WISH;
}

/* ---- writing ------------------------------------------------------------------------------ */

void zmtp_put_greeting(wb_buf *out) {
    wb_buf_append(out, greeting, sizeof greeting);
}

void zmtp_put_ready(wb_buf *out, const char *type) {
    char body[64] = "\5READY\13Socket-Type\0\0\0";
    size_t at = 6 + 12 + 3, len = strlen(type);
    body[at++] = (char)len;
    memcpy(body + at, type, len);
    zmtp_put_frame(out, ZMTP_COMMAND, (wire_span){body, at + len});
}

void zmtp_put_pong(wb_buf *out, wire_span ping) {
    char body[5 + 16] = "\4PONG";
    size_t n = ping.len > 2 ? ping.len - 2 : 0; /* behind the time to live */
    n = n < 16 ? n : 16;
    memcpy(body + 5, ping.data + (n ? 2 : 0), n);
    zmtp_put_frame(out, ZMTP_COMMAND, (wire_span){body, 5 + n});
}

void zmtp_put_frame(wb_buf *out, unsigned flags, wire_span body) {
    char head[9];
    size_t digits = body.len > 255 ? 8 : 1;
    head[0] = (char)(flags | (digits == 8 ? ZMTP_LONG : 0));
    for (size_t i = 0; i < digits; i++)
        head[1 + i] = (char)((uint64_t)body.len >> 8 * (digits - 1 - i));
    wb_buf_append(out, head, 1 + digits);
    if (body.len)
        wb_buf_append(out, body.data, body.len);
}
