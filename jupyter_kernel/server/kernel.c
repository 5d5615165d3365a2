/* kernel.c: the kernel's state, its flags, and replies. */
#include "jupyter_kernel/server/kernel.h"
#include "runtime/json/json.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

/* ---- flags that poll() can see -------------------------------------------------------------- */

static void raise_fd(int fd) {
    uint64_t one = 1;
    ssize_t ignored = write(fd, &one, sizeof one);
    (void)ignored;
}

static void lower_fd(int fd) {
    uint64_t count;
    ssize_t ignored = read(fd, &count, sizeof count);
    (void)ignored;
}

bool kernel_interrupted(kernel *k) {
    return k->interrupted;
}

void kernel_forget_interrupt(kernel *k) {
    if (!k->interrupted)
        return;
    lower_fd(k->interrupt_fd);
    k->interrupted = 0;
}

void kernel_interrupt(kernel *k) {
    wb_session *session = k->parts->session(k->parts->cells);
    k->interrupted = 1; /* first: a cell that begins now checks it (wb_cell.interrupted) */
    if (session)
        wb_session_interrupt(session);
    raise_fd(k->interrupt_fd); /* last: a thread that this wakes finds the session interrupted */
}

void kernel_stop(kernel *k) {
    if (atomic_exchange(&k->stopping, true))
        return;
    kernel_interrupt(k);
    raise_fd(k->wake_fd);
}

void kernel_done(kernel *k) {
    raise_fd(k->done_fd);
}

void kernel_busy(kernel *k) {
    iopub_flush(k->iopub); /* "busy" and the input */
    if (!atomic_exchange(&k->busy, true))
        raise_fd(k->busy_fd);
}

/* Waits for the control thread's request, so that a subshell gets its answers in order. */
void kernel_not_busy(kernel *k) {
    if (!atomic_load(&k->busy))
        return;
    pthread_mutex_lock(&k->serving);
    atomic_store(&k->busy, false);
    lower_fd(k->busy_fd);
    pthread_mutex_unlock(&k->serving);
}

void kernel_abort_queued(kernel *k) {
    k->abort_until = channel_last(k->shell);
}

history *kernel_history(kernel *k) {
    if (!k->history)
        k->history = history_open();
    return k->history;
}

/* ---- replies ------------------------------------------------------------------------------ */

static void send_reply(request *r, const char *content, const char *metadata) {
    char type[96];
    const char *from = r->message->type;
    const char *suffix = strstr(from, "_request");
    snprintf(type, sizeof type, "%.*s_reply", suffix ? (int)(suffix - from) : 64, from);
    if (!content || !channel_send(r->channel, r->message->identities, r->message->n_identities,
                                  type, r->message->header_text,
                                  (wire_span){metadata, metadata ? strlen(metadata) : 0},
                                  (wire_span){content, strlen(content)}))
        fprintf(stderr, _("warpbook: a %s could not be sent\n"), type);
}

void reply_text(request *r, const char *content) {
    send_reply(r, content, NULL);
}

void reply(request *r, json_t *content, json_t *metadata) {
    char *text = wb_json_dump(content, JSON_COMPACT), *meta = wb_json_dump(metadata, JSON_COMPACT);
    send_reply(r, text, meta);
    WB_FREE(text, meta);
}

json_t *error_content(const char *ename, const char *evalue) {
    return json_pack("{s:s, s:s, s:s, s:[]}", "status", "error", "ename", ename, "evalue", evalue,
                     "traceback");
}

void reply_refused(request *r, const char *ename, const char *evalue) {
    json_t *content = error_content(ename, evalue);
    json_object_set_new(content, "execution_count", json_integer(r->kernel->count));
    reply(r, content, NULL);
}

/* ---- start and end ------------------------------------------------------------------------ */

static bool open_sockets(kernel *k, wb_error *err) {
    const connection *c = &k->connection;
    message_author *a = &k->author;
    return (k->shell = channel_open(c, k->zmq, "shell", c->shell, a, err)) &&
           (k->control = channel_open(c, k->zmq, "control", c->control, a, err)) &&
           (k->stdin_ = channel_open(c, k->zmq, "stdin", c->stdin_, a, err)) &&
           channel_must_reach(k->stdin_, err) &&
           (k->hb = connection_bind(c, k->zmq, ZMQ_ROUTER, c->hb, 0, err)) &&
           (k->iopub = iopub_start(c, k->zmq, a, err));
}

bool kernel_open(kernel *k, const char *connection_file, const kernel_parts *parts, wb_error *err) {
    int *const fds[] = {&k->wake_fd, &k->interrupt_fd, &k->done_fd, &k->busy_fd};
    k->parts = parts;
    pthread_mutex_init(&k->serving, NULL);
    subshells_init(&k->subshells);
    for (size_t i = 0; i < WB_COUNT(fds); i++)
        if ((*fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
            return wb_fail(err, errno, _("the kernel can't start: %s"), strerror(errno));
    if (!(k->zmq = zmq_ctx_new()))
        return wb_fail(err, errno, _("the kernel can't start: %s"), strerror(errno));
    const connection *c = &k->connection;
    wire_key *key = NULL;
    return connection_load(connection_file, &k->connection, err) &&
           (key = wire_key_new(c->scheme, c->key, err)) &&
           message_author_init(&k->author, key, err) && open_sockets(k, err);
}

void kernel_close(kernel *k) {
    channel_close(k->shell);
    channel_close(k->control);
    channel_close(k->stdin_);
    zmq_ctx_term(k->zmq); /* waits up to a second for unsent messages */
    subshells_free(&k->subshells);
    history_close(k->history);
    message_author_free(&k->author);
    pthread_mutex_destroy(&k->serving);
    close(k->wake_fd);
    close(k->interrupt_fd);
    close(k->done_fd);
    close(k->busy_fd);
}
