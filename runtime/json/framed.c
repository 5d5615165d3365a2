/* framed.c: see framed.h. */
#include "runtime/json/framed.h"

#include <ctype.h>
#include <strings.h>

#include "runtime/base/scoped.h"

/* The largest header, and the largest message that is read: thousands of completions. */
enum { MOST_HEADER = 1024, MOST_MESSAGE = 32 << 20 };

void wb_framed_write(wb_buf *out, json_t *message) {
    WB_SCOPED char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    if (text)
        wb_buf_printf(out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    json_decref(message);
}

/* Returns the length that the header's lines announce, or SIZE_MAX. */
static size_t length(const char *line, const char *end) {
    static const char name[] = "Content-Length:";
    for (; line < end; line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1) {
        if (strncasecmp(line, name, sizeof name - 1) != 0)
            continue;
        const char *digits = line + sizeof name - 1;
        digits += strspn(digits, " ");
        char *rest;
        unsigned long n = isdigit((unsigned char)*digits) ? strtoul(digits, &rest, 10) : SIZE_MAX;
        return n <= MOST_MESSAGE && *rest == '\r' ? n : SIZE_MAX;
    }
    return SIZE_MAX;
}

wb_framed wb_framed_read(wb_buf *in, json_t **message) {
    static const char end[] = "\r\n\r\n";
    size_t size = in->len < MOST_HEADER ? in->len : MOST_HEADER;
    const char *body = size ? memmem(in->data, size, end, sizeof end - 1) : NULL;
    if (!body)
        return size < MOST_HEADER ? WB_FRAMED_NOTHING : WB_FRAMED_RUBBISH;
    size_t header = (size_t)(body - in->data) + sizeof end - 1;
    size_t len = length(in->data, body + 2);
    if (len == SIZE_MAX)
        return WB_FRAMED_RUBBISH;
    if (in->len - header < len)
        return WB_FRAMED_NOTHING;
    *message = json_loadb(in->data + header, len, 0, NULL);
    wb_buf_consume(in, header + len);
    return *message ? WB_FRAMED_MESSAGE : WB_FRAMED_RUBBISH;
}
