/* engine.c: see engine.h. */
#include "jupyter_kernel/debug/engine.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/json/fields.h"
#include "runtime/json/framed.h"
#include "runtime/worker/shared/channel.h"

struct engine {
    engine_owner owner;
    int epoll, listener, peer; /* peer: -1: nobody is connected */
    bool broken;               /* the connection is to be closed */
    json_int_t seq;
    wb_buf in;
    struct asked { /* requests that wait for their answer */
        json_int_t seq;
        void *question;
    } * asked;
    size_t n_asked;
};

static bool watch(engine *e, int fd) {
    struct epoll_event ready = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(e->epoll, EPOLL_CTL_ADD, fd, &ready) == 0;
}

/* The engine always reads, so a full socket means that it hangs. Then the connection is closed. */
bool engine_ask(engine *e, const char *command, json_t *arguments, void *question) {
    wb_buf out = {0};
    if (e->peer < 0) {
        json_decref(arguments);
        return false;
    }
    struct asked *new = question ? WB_PUSH(e->asked, e->n_asked) : NULL;
    wb_framed_write(&out,
                    json_pack("{s:s, s:I, s:s, s:o}", "type", "request", "seq", ++e->seq, "command",
                              command, "arguments", arguments ? arguments : json_object()));
    ssize_t sent = send(e->peer, out.data, out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != (ssize_t)out.len)
        shutdown(e->peer, SHUT_RDWR);
    wb_buf_free(&out);
    if (new)
        *new = (struct asked){e->seq, question};
    return new || !question;
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* JupyterLab asks for no exceptions unless its user chose some, so all are switched on. */
static void switch_on(engine *e, const json_t *filters) {
    json_t *names = json_array(), *filter;
    size_t i;
    json_array_foreach(filters, i, filter)
        json_array_append(names, json_object_get(filter, "filter"));
    engine_ask(e, "attach", NULL, NULL);
    engine_ask(e, "setExceptionBreakpoints", json_pack("{s:o}", "filters", names), NULL);
}

static void take_response(engine *e, const json_t *message) {
    json_int_t seq = wb_field_int(message, "request_seq");
    if (strcmp(wb_field_text(message, "command"), "initialize") == 0)
        switch_on(e,
                  json_object_get(json_object_get(message, "body"), "exceptionBreakpointFilters"));
    for (size_t i = 0; i < e->n_asked; i++)
        if (e->asked[i].seq == seq) {
            void *question = e->asked[i].question;
            e->asked[i] = e->asked[--e->n_asked];
            e->owner.answer(e->owner.ctx, question, message);
            return;
        }
}

static void take_event(engine *e, const json_t *event) {
    if (strcmp(wb_field_text(event, "event"), "initialized") != 0) {
        e->owner.event(e->owner.ctx, event);
        return;
    }
    e->owner.configure(e->owner.ctx);
    engine_ask(e, "configurationDone", NULL, NULL);
}

static void read_all(engine *e) {
    json_t *message = NULL;
    wb_framed found = WB_FRAMED_NOTHING;
    bool open = wb_channel_fill(e->peer, &e->in);
    while (!e->broken && (found = wb_framed_read(&e->in, &message)) == WB_FRAMED_MESSAGE) {
        const char *type = wb_field_text(message, "type");
        if (strcmp(type, "response") == 0)
            take_response(e, message);
        else if (strcmp(type, "event") == 0)
            take_event(e, message);
        json_decref(message);
    }
    e->broken |= !open || found == WB_FRAMED_RUBBISH;
}

/* ---- the connection -------------------------------------------------------------------------- */

static void hang_up(engine *e) {
    if (e->peer < 0)
        return;
    close(e->peer);
    e->peer = -1;
    e->broken = false;
    wb_buf_free(&e->in);
    while (e->n_asked > 0)
        e->owner.answer(e->owner.ctx, e->asked[--e->n_asked].question, NULL);
    e->owner.gone(e->owner.ctx);
}

static void welcome(engine *e) {
    int fd = accept4(e->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    hang_up(e);
    e->peer = fd;
    e->broken = !watch(e, fd);
    engine_ask(e, "initialize",
               json_pack("{s:s, s:s, s:s, s:b, s:b}", "clientID", "warpbook", "adapterID",
                         "warpbook", "pathFormat", "path", "linesStartAt1", 1, "columnsStartAt1",
                         1),
               NULL);
}

int engine_fd(const engine *e) {
    return e->epoll;
}

void engine_serve(engine *e) {
    struct epoll_event events[2];
    int n = epoll_wait(e->epoll, events, WB_COUNT(events), 0);
    for (int i = 0; i < n; i++)
        if (events[i].data.fd == e->listener)
            welcome(e);
        else if (events[i].data.fd == e->peer)
            read_all(e);
    if (e->broken)
        hang_up(e);
}

engine *engine_open(const char *path, engine_owner owner, wb_error *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    engine *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    *e = (engine){.owner = owner, .peer = -1, .epoll = epoll_create1(EPOLL_CLOEXEC)};
    e->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    errno = ENAMETOOLONG;
    if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s", path) <
            sizeof address.sun_path &&
        bind(e->listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(e->listener, 8) == 0 && watch(e, e->listener))
        return e;
    wb_fail(err, errno, _("can't listen at %s: %s"), path, strerror(errno));
    engine_close(e);
    return NULL;
}

void engine_leave(engine *e) {
    engine_ask(e, "disconnect", json_pack("{s:b}", "terminateDebuggee", 0), NULL);
    hang_up(e);
}

void engine_close(engine *e) {
    if (!e)
        return;
    engine_leave(e);
    close(e->listener);
    close(e->epoll);
    free(e->asked);
    free(e);
}
