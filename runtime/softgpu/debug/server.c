/* server.c: the connection to the client. A thread of its own reads requests and answers them under
 * the lock. A launch that has stopped waits for a command. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/base/scoped.h"
#include "runtime/json/framed.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/debug/state.h"

dbg_state dbg = {.lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER, .fd = -1};
static char *served;    /* the socket's path */
static json_int_t sent; /* the number of the last message */

/* ---- sending ------------------------------------------------------------------------------- */

static void hang_up(void) {
    if (dbg.fd >= 0)
        shutdown(dbg.fd, SHUT_RDWR); /* the reader closes it */
    dbg.fd = -1;
    dbg.configured = dbg.pause = dbg.any = false;
    memset(dbg.block, 0, sizeof dbg.block);
    memset(dbg.thread, 0, sizeof dbg.thread);
    dbg.seed = 0;
    dbg_breaks_clear();
    atomic_fetch_add(&dbg.changes, 1);
    pthread_cond_broadcast(&dbg.woken);
}

/* Takes over the message. A client that does not read counts as gone. */
static void send_message(json_t *message) {
    wb_buf out = {0};
    size_t at = 0;
    json_object_set_new(message, "seq", json_integer(++sent));
    wb_framed_write(&out, message);
    while (dbg.fd >= 0 && at < out.len) {
        ssize_t n = send(dbg.fd, out.data + at, out.len - at, MSG_NOSIGNAL);
        if (n > 0)
            at += (size_t)n;
        else if (errno != EINTR)
            hang_up();
    }
    wb_buf_free(&out);
}

void dbg_event(const char *name, json_t *body) {
    send_message(wb_json_pack("{s:s, s:s, s:o*}", "type", "event", "event", name, "body", body));
}

void dbg_pausing(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20 * 1000 * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&dbg.woken, &dbg.lock, &until);
}

/* ---- requests ------------------------------------------------------------------------------ */

/* A request. Its handler sets `body`, or `why` it fails. */
typedef struct request {
    const json_t *arguments;
    json_t *body;
    const char *why;
    const char *event; /* sent after the response, or NULL */
} request;

static void on_initialize(request *q) {
    q->body = wb_json_pack("{s:b, s:b, s:b, s:b}", "supportsConfigurationDoneRequest", 1,
                           "supportsConditionalBreakpoints", 1, "supportsHitConditionalBreakpoints",
                           1, "supportsEvaluateForHovers", 1);
}

static void on_attach(request *q) {
    q->event = "initialized";
}

static void on_configured(request *q) {
    (void)q;
    dbg.configured = true;
    pthread_cond_broadcast(&dbg.woken);
}

static void on_breakpoints(request *q) {
    q->body = dbg_breaks_set(q->arguments);
    q->why = q->body ? NULL : _("setBreakpoints needs source.path and breakpoints with lines");
    atomic_fetch_add(&dbg.changes, 1);
}

static void on_threads(request *q) {
    q->body = dbg_show_thread();
}

static json_int_t number(const request *q, const char *name) {
    return json_integer_value(json_object_get(q->arguments, name));
}

static void on_frames(request *q) {
    q->body = dbg_show_frames();
}

static void on_scopes(request *q) {
    q->body = dbg_show_scopes(number(q, "frameId"));
    q->why = q->body ? NULL : _("no such frame");
}

static void on_variables(request *q) {
    q->body = dbg_show_variables(number(q, "variablesReference"));
    q->why = q->body ? NULL : _("no such variables: the kernel has run on");
}

static void on_evaluate(request *q) {
    const char *text = json_string_value(json_object_get(q->arguments, "expression"));
    json_int_t frame = json_object_get(q->arguments, "frameId") ? number(q, "frameId") : 1;
    q->body = dbg_show_evaluate(frame, text ? text : "", &q->why);
}

static void on_continue(request *q) {
    q->body = wb_json_pack("{s:b}", "allThreadsContinued", 1);
}

static void on_pause(request *q) {
    (void)q;
    dbg.pause = !dbg.stop;
    atomic_fetch_add(&dbg.changes, 1);
}

static void read_position(const json_t *list, uint32_t to[3]) {
    for (size_t k = 0; k < 3 && k < json_array_size(list); k++)
        to[k] = (uint32_t)json_integer_value(json_array_get(list, k));
}

static void on_focus(request *q) {
    const json_t *any = json_object_get(q->arguments, "any");
    read_position(json_object_get(q->arguments, "block"), dbg.block);
    read_position(json_object_get(q->arguments, "thread"), dbg.thread);
    dbg.any = any ? json_is_true(any) : dbg.any;
    if (json_object_get(q->arguments, "seed"))
        dbg.seed = (uint64_t)number(q, "seed");
    atomic_fetch_add(&dbg.changes, 1);
    if (!dbg.stop || memcmp(dbg.block, dbg.stop->warp->block->pos, sizeof dbg.block) != 0)
        return;
    const uint32_t *size = dbg.stop->run->launch->block, *t = dbg.thread;
    if (t[0] >= size[0] || t[1] >= size[1] ||
        !dbg_stop_focus(dbg.stop, t[0] + size[0] * (t[1] + size[1] * t[2])))
        q->why = _("the block has no such thread, or it has ended");
}

static const struct {
    const char *name;
    void (*run)(request *q); /* NULL: an empty answer */
    bool stopped;            /* only while a thread has stopped */
    enum dbg_command command;
} handlers[] = {
    {"initialize", on_initialize, false, DBG_WAIT},
    {"attach", on_attach, false, DBG_WAIT},
    {"launch", on_attach, false, DBG_WAIT},
    {"setBreakpoints", on_breakpoints, false, DBG_WAIT},
    {"setExceptionBreakpoints", NULL, false, DBG_WAIT},
    {"setFunctionBreakpoints", NULL, false, DBG_WAIT},
    {"configurationDone", on_configured, false, DBG_WAIT},
    {"threads", on_threads, false, DBG_WAIT},
    {"stackTrace", on_frames, true, DBG_WAIT},
    {"scopes", on_scopes, true, DBG_WAIT},
    {"variables", on_variables, true, DBG_WAIT},
    {"evaluate", on_evaluate, true, DBG_WAIT},
    {"continue", on_continue, true, DBG_CONTINUE},
    {"next", NULL, true, DBG_OVER},
    {"stepIn", NULL, true, DBG_IN},
    {"stepOut", NULL, true, DBG_OUT},
    {"pause", on_pause, false, DBG_WAIT},
    {"warpbookFocus", on_focus, false, DBG_WAIT},
    {"disconnect", NULL, false, DBG_WAIT},
};

/* Answers a request. */
static void answer(const json_t *message) {
    const char *name = json_string_value(json_object_get(message, "command"));
    request q = {.arguments = json_object_get(message, "arguments"),
                 .why = _("the debugger does not know this request")};
    enum dbg_command next = DBG_WAIT;
    if (!name)
        return;
    for (size_t k = 0; k < WB_COUNT(handlers); k++) {
        if (strcmp(handlers[k].name, name) != 0)
            continue;
        q.why = handlers[k].stopped && !dbg.stop ? _("no kernel is stopped") : NULL;
        if (!q.why && handlers[k].run)
            handlers[k].run(&q);
        next = q.why ? DBG_WAIT : handlers[k].command;
        break;
    }
    send_message(wb_json_pack("{s:s, s:s, s:O?, s:b, s:s*, s:o*}", "type", "response", "command",
                              name, "request_seq", json_object_get(message, "seq"), "success",
                              q.why == NULL, "message", q.why, "body", q.body));
    if (q.event)
        dbg_event(q.event, NULL);
    if (next != DBG_WAIT) {
        dbg.command = next;
        pthread_cond_broadcast(&dbg.woken);
    }
    if (strcmp(name, "disconnect") == 0)
        hang_up();
}

bool dbg_take(wb_buf *in) {
    json_t *message = NULL;
    wb_framed found;
    while ((found = wb_framed_read(in, &message)) == WB_FRAMED_MESSAGE) {
        answer(message);
        json_decref(message);
    }
    return found == WB_FRAMED_NOTHING;
}

/* ---- the connection ------------------------------------------------------------------------ */

static void *read_requests(void *argument) {
    int fd = (int)(intptr_t)argument;
    wb_buf in = {0};
    for (bool open = true; open && wb_buf_reserve(&in, 4096);) {
        ssize_t n = recv(fd, in.data + in.len, 4096, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        in.len += (size_t)n;
        pthread_mutex_lock(&dbg.lock);
        open = dbg.fd == fd && dbg_take(&in);
        pthread_mutex_unlock(&dbg.lock);
    }
    pthread_mutex_lock(&dbg.lock);
    if (dbg.fd == fd)
        hang_up();
    close(fd);
    pthread_mutex_unlock(&dbg.lock);
    wb_buf_free(&in);
    return NULL;
}

static void connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = 5};
    sigset_t all, before;
    pthread_t thread;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        if (fd >= 0)
            close(fd);
        return;
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's */
    dbg.fd = fd;
    dbg.pid = getpid();
    if (pthread_create(&thread, NULL, read_requests, (void *)(intptr_t)fd) == 0) {
        pthread_detach(thread);
    } else {
        hang_up();
        close(fd);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void dbg_serve(const char *path, const json_t *sources) {
    WB_LOCKED(&dbg.lock);
    bool same = path && served && strcmp(path, served) == 0 && dbg.pid == getpid();
    if (sources) {
        json_decref(dbg.sources);
        dbg.sources = json_deep_copy(sources);
    }
    if (!same || dbg.fd < 0) {
        if (dbg.fd >= 0 && dbg.pid == getpid())
            dbg_event("terminated", NULL);
        hang_up();
        free(served);
        served = path && *path ? strdup(path) : NULL;
        if (served)
            connect_to(served);
    }
}

bool dbg_is_on(void) {
    return dbg.fd >= 0 && dbg.pid == getpid();
}
