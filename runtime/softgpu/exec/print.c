/* print.c: device printf. Each block collects its text. The text is written, one block at a time,
 * when the block ends, when the text is long, or when the block has run for a while. */
#include "runtime/softgpu/exec/access.h"
#include "runtime/softgpu/exec/print.h"

#define BUFFER_MAX (256u << 10)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void sg_print_flush(sg_block *b) {
    if (!b->print_len)
        return;
    pthread_mutex_lock(&lock);
    fwrite(b->print, 1, b->print_len, stdout);
    fflush(stdout);
    pthread_mutex_unlock(&lock);
    b->print_len = 0;
}

static void append(sg_block *b, const char *text, size_t len) {
    if (b->print_len + len > b->print_cap) {
        size_t cap = 2 * (b->print_len + len) + 1024;
        char *more = realloc(b->print, cap);
        if (!more) {
            sg_print_flush(b);
            return;
        }
        b->print = more;
        b->print_cap = cap;
    }
    memcpy(b->print + b->print_len, text, len);
    b->print_len += len;
}

typedef struct source { /* a lane's packed arguments, each aligned to its size */
    sg_warp *w;
    const sg_op *ip;
    int lane;
    uint64_t at;
} source;

static uint64_t next(source *s, uint32_t bytes) {
    uint64_t value = 0;
    s->at = (s->at + bytes - 1) / bytes * bytes;
    sg_lane_load(s->w, s->ip, PTX_SPACE_GENERIC, s->lane, s->at, bytes, &value);
    s->at += bytes;
    return value;
}

static char byte_at(source *s, uint64_t address) {
    char c;
    sg_lane_load(s->w, s->ip, PTX_SPACE_GENERIC, s->lane, address, 1, &c);
    return c;
}

static void string(sg_block *b, source *s, const char *spec, uint64_t address) {
    char text[1024];
    size_t n = 0;
    if (!address) {
        append(b, "(null)", 6);
        return;
    }
    while (n + 1 < sizeof text && (text[n] = byte_at(s, address + n)))
        n++;
    text[n] = 0;
    char out[1400];
    int len = snprintf(out, sizeof out, spec, text);
    if (len > 0)
        append(b, out, (size_t)len < sizeof out ? (size_t)len : sizeof out - 1);
}

/* Reads an integer of `bits` bits: 64 behind ll, l, j, z; 16 and 8 behind h and hh, which is passed
 * as an int. Extends the sign if it has one. */
static long long integer(source *s, int bits, bool is_signed) {
    int rest = 64 - bits;
    uint64_t value = next(s, bits == 64 ? 8 : 4) << rest;
    return is_signed ? (long long)value >> rest : (long long)(value >> rest);
}

/* Formats one conversion. `spec` is "%...X" without length modifiers. */
static void convert(sg_block *b, source *s, char *spec, size_t len, int bits) {
    char out[512];
    char kind = spec[len - 1];
    int n = 0;
    if (strchr("di", kind)) {
        memmove(spec + len + 1, spec + len - 1, 2);
        spec[len - 1] = spec[len] = 'l';
        spec[len + 2] = 0;
        n = snprintf(out, sizeof out, spec, integer(s, bits, true));
    } else if (strchr("uoxX", kind)) {
        memmove(spec + len + 1, spec + len - 1, 2);
        spec[len - 1] = spec[len] = 'l';
        spec[len + 2] = 0;
        n = snprintf(out, sizeof out, spec, (unsigned long long)integer(s, bits, false));
    } else if (kind == 'c') {
        n = snprintf(out, sizeof out, spec, (int)(uint8_t)next(s, 4));
    } else if (strchr("eEfFgGaA", kind)) {
        uint64_t word = next(s, 8);
        double d;
        memcpy(&d, &word, 8);
        n = snprintf(out, sizeof out, spec, d);
    } else if (kind == 'p') {
        n = snprintf(out, sizeof out, spec, (void *)(uintptr_t)next(s, 8));
    } else if (kind == 's') {
        string(b, s, spec, next(s, 8));
    } else {
        n = snprintf(out, sizeof out, "%s", spec);
    }
    if (n > 0)
        append(b, out, (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
}

int sg_print_format(sg_warp *w, const sg_op *ip, int lane, uint64_t format, uint64_t args) {
    source s = {w, ip, lane, args};
    sg_block *b = w->block;
    int arguments = 0;
    for (uint64_t at = format;;) {
        char c = byte_at(&s, at++);
        if (!c)
            break;
        if (c != '%') {
            append(b, &c, 1);
            continue;
        }
        char spec[64] = "%";
        size_t len = 1;
        int bits = 32;
        bool ended = false;
        while (len < 32) {
            c = byte_at(&s, at);
            if (!c) {
                ended = true;
                break;
            }
            at++;
            if (strchr("hljztL", c)) {
                bits = c == 'h' ? bits / 2 : c != 'L' ? 64 : bits;
                bits = bits < 8 ? 8 : bits;
                continue;
            }
            if (c == '*') { /* an argument gives the width or precision */
                int n = snprintf(spec + len, 12, "%d", (int)next(&s, 4));
                len += n > 0 ? (size_t)n : 0;
                arguments++;
                continue;
            }
            spec[len++] = c;
            if (!strchr("-+ #0123456789.", c))
                break;
        }
        spec[len] = 0;
        if (!ended && spec[len - 1] == '%') {
            append(b, "%", 1);
        } else if (ended) {
            append(b, spec, len);
        } else {
            convert(b, &s, spec, len, bits);
            arguments++;
        }
    }
    if (b->print_len > BUFFER_MAX)
        sg_print_flush(b);
    return arguments;
}
