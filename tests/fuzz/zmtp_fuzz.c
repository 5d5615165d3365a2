/* zmtp_fuzz.c: the bytes of a connection, from its greeting on; what is understood is written again
 * and must come out the same, and what is subscribed to is wanted until it is cancelled. */
#include "jupyter_kernel/protocol/topics.h"
#include "jupyter_kernel/protocol/zmtp.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void again(const zmtp_frame *f) {
    wb_buf b = {0};
    zmtp_frame g;
    zmtp_put_frame(&b, f->flags & ~(unsigned)ZMTP_LONG, f->body);
    if (zmtp_read_frame((wire_span){b.data, b.len}, f->body.len, &g) != ZMTP_OK ||
        g.body.len != f->body.len || (g.body.len && memcmp(g.body.data, f->body.data, g.body.len)))
        abort();
    wb_buf_free(&b);
}

static void wish(wb_buf *topics, const zmtp_frame *f, const char *at) {
    wire_span topic;
    zmtp_wish what = f->flags & ZMTP_COMMAND ? zmtp_read_wish_command(f->body, &topic)
                                             : zmtp_read_wish((wire_span){at, f->size}, &topic);
    if (what == ZMTP_NO_WISH)
        return;
    if (topic.data < f->body.data || topic.data + topic.len != f->body.data + f->body.len)
        abort();
    if (what == ZMTP_SUBSCRIBE && topics_add(topics, topic) && !topics_want(topics, topic))
        abort();
    size_t before = topics->len;
    topics_remove(topics, topic);
    if (what == ZMTP_SUBSCRIBE && topics->len < before) { /* gone, and there again */
        if (!topics_add(topics, topic) || topics->len != before)
            abort();
    }
    if (topics->len > TOPICS_MAX_BYTES)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wire_span in = {(const char *)data, size};
    zmtp_status status = zmtp_read_greeting(in);
    if (status == ZMTP_OK)
        in = (wire_span){in.data + ZMTP_GREETING_SIZE, in.len - ZMTP_GREETING_SIZE};
    zmtp_frame f;
    wb_buf topics = {0};
    while (zmtp_read_frame(in, 1 << 20, &f) == ZMTP_OK) {
        static const char *const partners[] = {"DEALER", "SUB", NULL};
        wire_span rest, identity;
        if (f.size > in.len || f.body.data < in.data || f.body.len > f.size)
            abort();
        if (zmtp_is_command(f.body, "READY", &rest) &&
            zmtp_read_ready(rest, partners, &identity) == ZMTP_OK &&
            identity.len > ZMTP_MAX_IDENTITY)
            abort();
        if (zmtp_is_command(f.body, "PING", &rest)) {
            wb_buf b = {0};
            zmtp_put_pong(&b, rest);
            wb_buf_free(&b);
        }
        again(&f);
        wish(&topics, &f, in.data);
        in = (wire_span){in.data + f.size, in.len - f.size};
    }
    wb_buf_free(&topics);
    return 0;
}
