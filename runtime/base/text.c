/* text.c: beginnings and ends, UTF-8, edit distance, the clock, settings. */
#include "runtime/base/scoped.h"
#include "runtime/base/language.h"

#include <time.h>

void wb_text_replace(char **text, const char *what, const char *with) {
    WB_SCOPED_BUF wb_buf b = {0};
    if (*text && strstr(*text, what) && wb_buf_replace(&b, *text, what, with)) {
        free(*text);
        *text = wb_buf_steal(&b);
    }
}

bool wb_begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

bool wb_ends(const char *text, const char *with) {
    size_t n = strlen(text), k = strlen(with);
    return n >= k && memcmp(text + n - k, with, k) == 0;
}

const char *wb_path_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

int wb_by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int wb_line_at(const char *text, const char *at) {
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

const char *wb_text_line(const char *text, int line, size_t *len) {
    while (text && --line > 0)
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    *len = text ? strcspn(text, "\n") : 0;
    return text;
}

/* Returns the length of the UTF-8 sequence at s[0..n): 1..4 if valid, 0 if the end cuts it short,
 * -1 if it is not UTF-8 (overlong forms, surrogates, beyond U+10FFFF: RFC 3629). */
static int sequence_length(const unsigned char *s, size_t n) {
    if (s[0] < 0x80)
        return 1;
    int need = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
               : s[0] >= 0xE0 && s[0] <= 0xEF ? 3
               : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                              : -1;
    if (need < 0)
        return -1;
    unsigned char low = 0x80, high = 0xBF;
    if (s[0] == 0xE0)
        low = 0xA0;
    if (s[0] == 0xED)
        high = 0x9F;
    if (s[0] == 0xF0)
        low = 0x90;
    if (s[0] == 0xF4)
        high = 0x8F;
    for (int i = 1; i < need; i++) {
        if ((size_t)i >= n)
            return 0;
        if (s[i] < low || s[i] > high)
            return -1;
        low = 0x80;
        high = 0xBF;
    }
    return need;
}

static const char replacement[] = "\xEF\xBF\xBD";

/* Appends the valid sequences of s[0..n) up to an incomplete one. Returns the bytes taken. */
static size_t decode_some(wb_buf *out, const unsigned char *s, size_t n) {
    size_t i = 0, start = 0;
    while (i < n) {
        int len = sequence_length(s + i, n - i);
        if (len > 0) {
            i += (size_t)len;
            continue;
        }
        wb_buf_append(out, s + start, i - start);
        if (len == 0)
            return i;
        wb_buf_append(out, replacement, 3);
        start = ++i;
    }
    wb_buf_append(out, s + start, i - start);
    return i;
}

bool wb_utf8_decode(wb_buf *out, char carry[4], size_t *carry_len, const char *data, size_t len,
                    bool final) {
    /* Completes the sequence that the last call left open. At most three more bytes decide it. */
    while (*carry_len && len) {
        unsigned char joined[8];
        size_t take = len < 4 ? len : 4;
        memcpy(joined, carry, *carry_len);
        memcpy(joined + *carry_len, data, take);
        size_t have = *carry_len + take;
        int sequence = sequence_length(joined, have);
        if (sequence == 0) { /* still open: it took all of data */
            memcpy(carry, joined, have);
            *carry_len = have;
            len = 0;
            break;
        }
        if (sequence > 0 && (size_t)sequence > *carry_len) {
            wb_buf_append(out, joined, (size_t)sequence);
            data += (size_t)sequence - *carry_len;
            len -= (size_t)sequence - *carry_len;
            *carry_len = 0;
        } else { /* the first byte begins no sequence */
            wb_buf_append(out, sequence > 0 ? (const char *)joined : replacement,
                          sequence > 0 ? 1 : 3);
            memmove(carry, carry + 1, --*carry_len);
        }
    }
    if (len) {
        size_t taken = decode_some(out, (const unsigned char *)data, len);
        memcpy(carry, data + taken, len - taken);
        *carry_len = len - taken;
    }
    if (final && *carry_len) {
        for (size_t i = 0; i < *carry_len; i++)
            wb_buf_append(out, replacement, 3);
        *carry_len = 0;
    }
    return !out->failed;
}

bool wb_utf8_plain(wb_buf *out, const char *text, size_t len) {
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < len;) {
        int n = sequence_length(s + i, len - i);
        if (n <= 0)
            wb_buf_printf(out, "\\x%02x", s[i]);
        else
            wb_buf_append(out, s + i, (size_t)n);
        i += n > 0 ? (size_t)n : 1;
    }
    return !out->failed;
}

size_t wb_utf8_whole(const char *text, size_t len) {
    for (size_t open = 1; open <= 3 && open <= len; open++)
        if (sequence_length((const unsigned char *)text + len - open, open) == 0)
            return len - open;
    return len;
}

size_t wb_utf8_offset(const char *text, size_t len, size_t codepoints) {
    size_t i = 0;
    while (i < len && codepoints--) {
        i++;
        while (i < len && ((unsigned char)text[i] & 0xC0) == 0x80)
            i++;
    }
    return i;
}

size_t wb_utf8_count(const char *text, size_t len) {
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Returns true for the large wide blocks of Unicode's EastAsianWidth.txt. */
static bool is_wide(uint32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
           (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

size_t wb_utf8_width(const char *text, size_t len) {
    size_t width = 0;
    for (const unsigned char *p = (const unsigned char *)text, *end = p + len; p < end;) {
        uint32_t c = *p++;
        if (c >= 0xC0) {
            c &= c >= 0xF0 ? 0x07 : c >= 0xE0 ? 0x0F : 0x1F;
            while (p < end && (*p & 0xC0) == 0x80)
                c = c << 6 | (*p++ & 0x3F);
        }
        bool combining = c >= 0x0300 && c <= 0x036F;
        width += combining ? 0 : is_wide(c) ? 2 : 1;
    }
    return width;
}

/* Returns the offset of the character before text + at. */
static size_t character_before(const char *text, size_t at) {
    while (at > 0 && ((unsigned char)text[--at] & 0xC0) == 0x80)
        ;
    return at;
}

static bool begins_with_any(const char *text, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strncmp(text, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

/* Returns true if a line may end before text + at. Keeps "2048 × 2048" and "12 %" together. */
static bool may_break(const char *text, size_t at) {
    static const char *const closing[] = {"，", "。", "、", "；", "：",
                                          "）", "？", "！", "”",  "》"};
    static const char *const opening[] = {" ", "（", "“", "《"}, *const units[] = {" %", " ×"};
    size_t last = character_before(text, at);
    if (text[at] == ' ')
        return !begins_with_any(text + at, units, WB_COUNT(units)) &&
               strncmp(text + last, "×", strlen("×")) != 0;
    if (begins_with_any(text + at, closing, WB_COUNT(closing)) ||
        begins_with_any(text + last, opening, WB_COUNT(opening)))
        return false;
    return wb_utf8_width(text + at, wb_utf8_offset(text + at, 4, 1)) > 1 ||
           (wb_utf8_width(text + last, at - last) > 1 && !strchr(".,;:)%!?", text[at]));
}

size_t wb_utf8_line(const char *text, size_t columns) {
    size_t n = strcspn(text, "\n"), line = 0, at, next;
    if (wb_utf8_width(text, n) <= columns)
        return n;
    while ((next = line + wb_utf8_offset(text + line, n - line, 1)) < n &&
           wb_utf8_width(text, next) <= columns)
        line = next;
    for (at = line; at > 0 && !may_break(text, at);)
        at = character_before(text, at);
    return at ? at : line ? line : next;
}

char *wb_utf8_cut(const char *text, size_t columns) {
    size_t len = strlen(text);
    if (wb_utf8_width(text, len) <= columns)
        return strdup(text);
    while (len > 0 && wb_utf8_width(text, len) + 1 > columns)
        len = character_before(text, len);
    return wb_format("%.*s…", (int)len, text);
}

size_t wb_text_distance(const char *a, size_t n, const char *b, size_t m) {
    enum { MOST = 63 };
    size_t rows[3][MOST + 1];
    n = n < MOST ? n : MOST;
    m = m < MOST ? m : MOST;
    for (size_t i = 0; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                row[j] = i + j;
                continue;
            }
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = swapped && before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
        }
    }
    return rows[n % 3][m];
}

const char *wb_text_nearest(const char *name, const char *const *names, size_t n) {
    const char *best = NULL;
    size_t len = strlen(name), best_distance = len / 3 + 2; /* a worse guess would confuse */
    for (size_t i = 0; i < n; i++) {
        size_t d = wb_text_distance(name, len, names[i], strlen(names[i]));
        if (d < best_distance && d < strlen(names[i])) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}

const char *wb_text_meant(const char *name, const char *const *names, size_t n) {
    static _Thread_local char said[200];
    const char *near = wb_text_nearest(name, names, n);
    *said = '\0';
    if (near)
        snprintf(said, sizeof said, _(", did you mean %s?"), near);
    return said;
}

double wb_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

uint64_t wb_hash(uint64_t h, const void *data, size_t len) {
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

const char *wb_setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool wb_setting_on(const char *name, bool usual) {
    const char *value = wb_setting(name);
    return value ? strcmp(value, "0") != 0 : usual;
}

uint64_t wb_setting_number(const char *name, uint64_t least, uint64_t usual) {
    const char *value = wb_setting(name);
    if (!value || *value < '0' || *value > '9')
        return usual;
    uint64_t number = strtoull(value, NULL, 0);
    return number < least ? usual : number;
}

double wb_setting_seconds(const char *name, double usual) {
    const char *value = wb_setting(name);
    double seconds = value ? strtod(value, NULL) : 0;
    return seconds > 0 ? seconds : usual;
}
