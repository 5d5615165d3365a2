/* topics.c: a set as its strings, one behind the other, each behind its length. */
#include "jupyter_kernel/protocol/topics.h"

#include <string.h>

/* The topic at *at, and moves on; false at the end. */
static bool next(const wb_buf *set, size_t *at, wire_span *topic) {
    uint32_t len;
    if (*at >= set->len)
        return false;
    memcpy(&len, set->data + *at, sizeof len);
    *topic = (wire_span){set->data + *at + sizeof len, len};
    *at += sizeof len + len;
    return true;
}

static bool begins(wire_span name, wire_span topic) {
    return name.len >= topic.len &&
           (topic.len == 0 || memcmp(name.data, topic.data, topic.len) == 0);
}

/* Where the topic begins in the set, SIZE_MAX: nowhere. */
static size_t find(const wb_buf *set, wire_span topic) {
    wire_span each;
    for (size_t at = 0, from = 0; next(set, &at, &each); from = at)
        if (each.len == topic.len && begins(each, topic))
            return from;
    return SIZE_MAX;
}

bool topics_add(wb_buf *set, wire_span topic) {
    uint32_t len = (uint32_t)topic.len;
    if (find(set, topic) != SIZE_MAX)
        return true;
    if (topic.len > TOPICS_MAX_BYTES || set->len + sizeof len + topic.len > TOPICS_MAX_BYTES ||
        !wb_buf_reserve(set, sizeof len + topic.len))
        return false;
    wb_buf_append(set, &len, sizeof len);
    if (len)
        wb_buf_append(set, topic.data, topic.len);
    return true;
}

void topics_remove(wb_buf *set, wire_span topic) {
    size_t at = find(set, topic), size = sizeof(uint32_t) + topic.len;
    if (at == SIZE_MAX)
        return;
    memmove(set->data + at, set->data + at + size, set->len - at - size);
    set->len -= size;
}

bool topics_want(const wb_buf *set, wire_span name) {
    wire_span each;
    for (size_t at = 0; next(set, &at, &each);)
        if (begins(name, each))
            return true;
    return false;
}
