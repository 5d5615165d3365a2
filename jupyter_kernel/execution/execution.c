/* execution.c: the outputs of one execute request. */
#include "jupyter_kernel/execution/execute.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>
#include <zmq.h>

/* ---- outputs ------------------------------------------------------------------------------ */

static void send_stream(execution *x, int fd, const char *text, size_t len) {
    if (len > 0)
        iopub_stream(x->kernel->iopub, x->parent, fd, text, len);
}

void execution_stream(execution *x, int fd, const char *text, size_t len) {
    if (x->silent)
        return;
    WB_SCOPED char *notice = NULL;
    size_t show = spill_admit(&x->spill, text, len, &notice);
    send_stream(x, fd, text, show);
    if (notice)
        send_stream(x, 1, notice, strlen(notice));
}

void execution_printf(execution *x, const char *format, ...) {
    WB_SCOPED char *text = WB_FORMATTED(format);
    if (text && *text)
        execution_stream(x, 1, text, strlen(text));
}

static void send_display(execution *x, json_t *data, json_t *metadata, const char *display_id,
                         bool update) {
    if (x->silent) {
        WB_JSON_FREE(data, metadata);
        return;
    }
    json_t *transient = display_id ? json_pack("{s:s}", "display_id", display_id) : json_object();
    iopub_send(x->kernel->iopub, update ? "update_display_data" : "display_data", x->parent,
               json_pack("{s:o, s:o, s:o}", "data", data, "metadata",
                         metadata ? metadata : json_object(), "transient", transient));
}

void execution_display(execution *x, json_t *data, const char *display_id, bool update) {
    send_display(x, data, NULL, display_id, update);
}

void execution_page(execution *x, json_t *data) {
    json_array_append_new(x->payload,
                          json_pack("{s:s, s:i, s:o}", "source", "page", "start", 0, "data", data));
}

/* ---- input -------------------------------------------------------------------------------- */

/* Drops replies to interrupted questions, so that they do not answer the next one. */
static void drop_stale_replies(kernel *k) {
    for (channel_message *m; (m = channel_take(k->stdin_, NULL));)
        channel_message_free(m);
}

/* A client may still be connecting its stdin socket when its first cell asks. */
static const double stdin_patience_s = 2.0;

static bool ask(execution *x, const char *prompt, bool password) {
    WB_SCOPED char *text = wb_json_dump(
        wb_json_pack("{s:s, s:b}", "prompt", prompt ? prompt : "", "password", password),
        JSON_COMPACT);
    const wire_message *m = x->request->message;
    kernel *k = x->kernel;
    double until = wb_now() + stdin_patience_s;
    bool sent = false;
    while (text && !sent) {
        sent = channel_send(k->stdin_, m->identities, m->n_identities, "input_request", x->parent,
                            (wire_span){0}, (wire_span){text, strlen(text)});
        if (!sent && (zmq_errno() != EHOSTUNREACH || wb_now() > until || kernel_interrupted(k)))
            break;
        if (!sent)
            usleep(2000);
    }
    return sent;
}

/* Takes the line of an input_reply. The caller frees it. NULL: no reply has come. */
static char *take_reply(kernel *k) {
    char *line = NULL;
    for (channel_message *m; !line && (m = channel_take(k->stdin_, NULL));) {
        const json_t *value = json_object_get(m->wire.content, "value");
        if (strcmp(m->wire.type, "input_reply") == 0 && json_is_string(value))
            line = strdup(json_string_value(value));
        channel_message_free(m);
    }
    return line;
}

/* Asks the front end for a line. The caller frees it. NULL: not allowed, or interrupted. */
static char *input_line(void *ctx, const char *prompt, bool password) {
    execution *x = ctx;
    kernel *k = x->kernel;
    if (!x->allow_stdin)
        return NULL;
    drop_stale_replies(k);
    if (!ask(x, prompt, password))
        return NULL;
    struct pollfd fds[] = {{channel_fd(k->stdin_), POLLIN, 0}, {k->interrupt_fd, POLLIN, 0}};
    char *line;
    while (!(line = take_reply(k))) {
        poll(fds, WB_COUNT(fds), -1);
        if (fds[1].revents)
            return NULL;
    }
    return line;
}

/* ---- the session's sink --------------------------------------------------------------------- */

static void sink_stream(void *ctx, int fd, const char *text, size_t len) {
    execution_stream(ctx, fd, text, len);
}

static void sink_display(void *ctx, const json_t *data, const json_t *metadata,
                         const char *display_id, bool update) {
    send_display(ctx, json_deep_copy(data), metadata ? json_deep_copy(metadata) : NULL, display_id,
                 update);
}

static void sink_clear(void *ctx, bool wait) {
    const execution *x = ctx;
    if (!x->silent)
        iopub_send(x->kernel->iopub, "clear_output", x->parent, json_pack("{s:b}", "wait", wait));
}

/* ---- begin and end ------------------------------------------------------------------------ */

void execution_open(execution *x, request *r, live *l) {
    *x = (execution){
        .kernel = r->kernel, .request = r, .live = l, .parent = r->message->header_text};
    x->payload = json_array();
    x->sink = (wb_sink){.ctx = x,
                        .stream = sink_stream,
                        .display = sink_display,
                        .clear = sink_clear,
                        .input = input_line};
}

void execution_close(execution *x) {
    spill_close(&x->spill);
    WB_JSON_FREE(x->payload, x->value, x->traceback);
    WB_FREE(x->ename, x->evalue);
}

static json_t *lines_of(const char *ename, const char *text) {
    size_t len = strcspn(text, "\n");
    json_t *list = json_pack("[o]", json_sprintf("\x1b[31m%s\x1b[0m: %.*s", ename, (int)len, text));
    while (*(text += len + (text[len] == '\n'))) {
        len = strcspn(text, "\n");
        json_array_append_new(list, json_stringn(text, len));
    }
    return list;
}

bool execution_fail(execution *x, const char *ename, const char *format, ...) {
    if (x->ename)
        return false;
    WB_SCOPED char *text = WB_FORMATTED(format);
    wb_buf plain = {0}; /* a file name may hold any bytes */
    if (text)
        wb_utf8_plain(&plain, text, strlen(text));
    x->ename = strdup(ename);
    x->evalue = plain.data ? wb_buf_steal(&plain) : strdup("out of memory");
    x->traceback = lines_of(x->ename, x->evalue);
    return false;
}

bool execution_on_softgpu(execution *x) {
    wb_error err = {0};
    wb_session *session = live_session(x->live, &err);
    wb_device device;
    if (!session || !wb_session_prepare(session, &err))
        return execution_fail(x, "SessionError", "%s", err.text);
    return !wb_session_device(session, &device) || device.kind == WB_DEVICE_SOFT;
}

void execution_explain(execution *x, const char *format, ...) {
    WB_SCOPED char *text = WB_FORMATTED(format);
    json_array_append_new(x->traceback, text ? json_string(text) : NULL);
}

/* Takes the value, or the error and traceback, of a session's result. */
static bool take_result(execution *x, wb_result *result) {
    if (result->status == WB_OK) {
        json_decref(x->value);
        x->value = json_incref(result->value);
        return true;
    }
    if (x->ename)
        return false;
    x->ename = strdup(result->ename ? result->ename : "Error");
    x->evalue = strdup(result->evalue ? result->evalue : "");
    x->traceback =
        result->traceback ? json_incref(result->traceback) : lines_of(x->ename, x->evalue);
    return false;
}

bool execution_run(execution *x, wb_cell *cell, wb_result *result) {
    wb_error err = {0};
    wb_session *session = live_session(x->live, &err);
    if (result)
        *result = (wb_result){0};
    if (!session)
        return execution_fail(x, "SessionError", "%s", err.text);
    if (kernel_interrupted(x->kernel))
        return execution_fail(x, "Interrupted", _("The cell was interrupted."));
    wb_result own;
    cell->number = x->number;
    cell->silent = x->silent;
    cell->interrupted = &x->kernel->interrupted;
    /* JupyterLab and VS Code send the id of the notebook's cell. */
    cell->origin = json_string_value(json_object_get(x->request->message->metadata, "cellId"));
    char *path = cells_of(x->kernel)->words->debug(x, session);
    cell->path = path;
    wb_session_run(session, cell, &x->sink, &own);
    free(path);
    bool ok = take_result(x, &own);
    if (result)
        *result = own;
    else
        wb_result_free(&own);
    return ok;
}
