/* engine.c: see engine.h. */
#include "jupyter_kernel/debug/engine.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/json/framed.h"
#include "runtime/worker/shared/channel.h"

struct engine {
    int listener, peer; /* peer: -1: nobody is connected */
    bool ended;         /* no more bytes come from the peer */
    json_int_t seq;
    wb_buf in;
};

engine *engine_open(const char *path, wb_error *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    engine *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->peer = -1;
    e->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    errno = ENAMETOOLONG;
    if (strcmp(address.sun_path, path) == 0 &&
        bind(e->listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(e->listener, 8) == 0)
        return e;
    wb_fail(err, errno, _("can't listen at %s: %s"), path, strerror(errno));
    engine_close(e);
    return NULL;
}

void engine_leave(engine *e) {
    if (e->peer >= 0)
        close(e->peer);
    e->peer = -1;
    e->ended = false;
    wb_buf_free(&e->in);
}

void engine_close(engine *e) {
    if (!e)
        return;
    engine_leave(e);
    close(e->listener);
    free(e);
}

void engine_fds(const engine *e, int fds[2]) {
    fds[0] = e ? e->listener : -1;
    fds[1] = e ? e->peer : -1;
}

static engine_news went(engine *e) {
    engine_leave(e);
    return ENGINE_WENT;
}

engine_news engine_hear(engine *e, json_t **message) {
    *message = NULL;
    for (;;) {
        wb_framed found = wb_framed_read(&e->in, message);
        struct pollfd fds[] = {{e->listener, POLLIN, 0}, {e->peer, POLLIN, 0}};
        if (found == WB_FRAMED_MESSAGE)
            return ENGINE_SAID;
        if (found == WB_FRAMED_RUBBISH || e->ended)
            return went(e);
        if (poll(fds, WB_COUNT(fds), 0) <= 0)
            return ENGINE_QUIET;
        if (fds[1].revents)
            e->ended = !wb_channel_fill(e->peer, &e->in);
        else if (e->peer >= 0)
            return went(e); /* a newer process takes its place */
        else if ((e->peer = accept4(e->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
            return ENGINE_CAME;
        else
            return ENGINE_QUIET;
    }
}

/* An engine always reads, so a full socket means that it hangs. Then the connection ends. */
json_int_t engine_ask(engine *e, const char *command, json_t *arguments) {
    wb_buf out = {0};
    wb_framed_write(&out,
                    json_pack("{s:s, s:I, s:s, s:o}", "type", "request", "seq", ++e->seq, "command",
                              command, "arguments", arguments ? arguments : json_object()));
    ssize_t sent = send(e->peer, out.data, out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (e->peer >= 0 && sent != (ssize_t)out.len)
        shutdown(e->peer, SHUT_RDWR);
    wb_buf_free(&out);
    return e->peer >= 0 ? e->seq : 0;
}
