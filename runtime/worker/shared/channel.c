/* channel.c: framed JSON. */
#include "runtime/worker/shared/channel.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

static bool send_all(int fd, const char *data, size_t len) {
    while (len) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

bool wb_channel_send(int fd, json_t *message) {
    char *text = json_dumps(message, JSON_COMPACT);
    size_t len = text ? strlen(text) : 0;
    unsigned char head[4] = {(unsigned char)len, (unsigned char)(len >> 8),
                             (unsigned char)(len >> 16), (unsigned char)(len >> 24)};
    json_decref(message);
    if (!text || len > WB_CHANNEL_MAX) {
        free(text);
        errno = EMSGSIZE;
        return false;
    }
    bool ok = send_all(fd, (const char *)head, 4) && send_all(fd, text, len);
    free(text);
    return ok;
}

json_t *wb_channel_take(wb_buf *in, bool *broken) {
    if (in->len < 4)
        return NULL;
    const unsigned char *head = (const unsigned char *)in->data;
    size_t len = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    if (len > WB_CHANNEL_MAX) {
        *broken = true;
        return NULL;
    }
    if (in->len - 4 < len)
        return NULL;
    json_t *message = json_loadb(in->data + 4, len, JSON_ALLOW_NUL, NULL);
    wb_buf_consume(in, len + 4);
    if (!json_is_object(message)) {
        *broken = true;
        json_decref(message);
        return NULL;
    }
    return message;
}

bool wb_channel_fill(int fd, wb_buf *in) {
    for (;;) {
        if (!wb_buf_reserve(in, 65536))
            return false;
        ssize_t n = recv(fd, in->data + in->len, 65536, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        if (n == 0)
            return false;
        in->len += (size_t)n;
        in->data[in->len] = '\0';
    }
}

json_t *wb_channel_receive(int fd, wb_buf *in, const volatile int *stop) {
    bool broken = false, open = true;
    for (;;) {
        json_t *message = wb_channel_take(in, &broken);
        if (message || broken || !open)
            return message;
        struct pollfd wait = {fd, POLLIN, 0};
        int ready = poll(&wait, 1, -1);
        if (stop && *stop)
            return NULL;
        if (ready > 0)
            open = wb_channel_fill(fd, in);
    }
}
