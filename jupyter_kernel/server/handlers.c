/* handlers.c: the one table of request types, and the handlers of a few lines. */
#include "jupyter_kernel/server/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jupyter_kernel/execution/cell.h"

/* ---- replies ------------------------------------------------------------------------------ */

/* content, metadata: JSON texts; metadata may be NULL. */
static void reply_text(request *r, const char *content, const char *metadata) {
    char type[96];
    const char *from = r->message.type;
    const char *suffix = strstr(from, "_request");
    snprintf(type, sizeof type, "%.*s_reply", suffix ? (int)(suffix - from) : 64, from);
    if (!content || !message_send(&r->kernel->author, r->port, r->message.identities,
                                  r->message.n_identities, type, r->message.header_text,
                                  (wire_span){metadata, metadata ? strlen(metadata) : 0},
                                  (wire_span){content, strlen(content)}))
        fprintf(stderr, "warpbook: a %s could not be sent\n", type);
}

void reply(request *r, json_t *content, json_t *metadata) {
    char *text = content ? json_dumps(content, JSON_COMPACT) : NULL;
    char *meta = metadata ? json_dumps(metadata, JSON_COMPACT) : NULL;
    reply_text(r, text, meta);
    free(text);
    free(meta);
    json_decref(content);
    json_decref(metadata);
}

json_t *error_content(const char *ename, const char *evalue) {
    return json_pack("{s:s, s:s, s:s, s:[]}", "status", "error", "ename", ename, "evalue", evalue,
                     "traceback");
}

/* ---- who we are --------------------------------------------------------------------------- */

/* features: a list in JSON, without its brackets */
#define KERNEL_INFO(features)                                                                      \
    "{\"status\":\"ok\",\"protocol_version\":\"" MESSAGE_VERSION "\","                             \
    "\"implementation\":\"warpbook\",\"implementation_version\":\"" KERNEL_VERSION "\","           \
    "\"language_info\":{\"name\":\"cuda\",\"version\":\"C++17\",\"mimetype\":\"text/x-c++src\","   \
    "\"file_extension\":\".cu\",\"pygments_lexer\":\"cuda\",\"codemirror_mode\":\"text/"           \
    "x-c++src\","                                                                                  \
    "\"nbconvert_exporter\":\"script\"},"                                                          \
    "\"banner\":\"Warpbook " KERNEL_VERSION ": CUDA C++ cells. %help tells more.\","               \
    "\"debugger\":false,\"supported_features\":[" features "],\"help_links\":["                    \
    "{\"text\":\"CUDA C++ Programming Guide\","                                                    \
    "\"url\":\"https://docs.nvidia.com/cuda/cuda-c-programming-guide/\"},"                         \
    "{\"text\":\"CUDA Runtime API\",\"url\":\"https://docs.nvidia.com/cuda/cuda-runtime-api/\"},"  \
    "{\"text\":\"cuBLAS\",\"url\":\"https://docs.nvidia.com/cuda/cublas/\"}]}"

static void handle_kernel_info(request *r) {
    reply_text(r, r->kernel->shell.router ? KERNEL_INFO("\"kernel subshells\"") : KERNEL_INFO(""),
               NULL);
    if (r->from == FROM_SHELL)
        live_warm(&r->kernel->live);
}

static void handle_connect(request *r) {
    const connection *c = &r->kernel->connection;
    reply(r,
          json_pack("{s:s, s:i, s:i, s:i, s:i, s:i}", "status", "ok", "shell_port", c->shell,
                    "iopub_port", c->iopub, "stdin_port", c->stdin_, "control_port", c->control,
                    "hb_port", c->hb),
          NULL);
}

/* ---- ending and interrupting -------------------------------------------------------------- */

static void handle_shutdown(request *r) {
    bool restart = json_is_true(json_object_get(r->message.content, "restart"));
    json_t *content = json_pack("{s:s, s:b}", "status", "ok", "restart", restart);
    /* The clients that did not ask learn of it too. */
    iopub_send(r->kernel->iopub, "shutdown_reply", r->message.header_text, json_incref(content));
    reply(r, content, NULL);
    kernel_stop(r->kernel);
}

static void handle_interrupt(request *r) {
    kernel_interrupt(r->kernel);
    reply(r, json_pack("{s:s}", "status", "ok"), NULL);
}

/* ---- code that is being written ----------------------------------------------------------- */

static void handle_is_complete(request *r) {
    const json_t *code = json_object_get(r->message.content, "code");
    if (!json_is_string(code)) {
        reply(r, json_pack("{s:s}", "status", "unknown"), NULL);
        return;
    }
    char indent[64] = "";
    const char *status =
        cell_is_complete(json_string_value(code), json_string_length(code), indent, sizeof indent);
    json_t *content = json_pack("{s:s}", "status", status);
    if (strcmp(status, "incomplete") == 0)
        json_object_set_new(content, "indent", json_string(indent));
    reply(r, content, NULL);
}

static void handle_history(request *r) {
    kernel *k = r->kernel;
    wb_error err = {.text = "out of memory"};
    if (!k->history)
        k->history = history_open();
    json_t *list = k->history ? history_query(k->history, r->message.content, &err) : NULL;
    reply(r,
          list ? json_pack("{s:s, s:o}", "status", "ok", "history", list)
               : error_content("ValueError", err.text),
          NULL);
}

/* ---- comms, which this kernel has none of -------------------------------------------------- */

static void handle_comm_info(request *r) {
    reply(r, json_pack("{s:s, s:{}}", "status", "ok", "comms"), NULL);
}

/* A target that nobody registered: the protocol asks for a comm_close. */
static void handle_comm_open(request *r) {
    const char *id = json_string_value(json_object_get(r->message.content, "comm_id"));
    if (id)
        iopub_send(r->kernel->iopub, "comm_close", r->message.header_text,
                   json_pack("{s:s, s:{}}", "comm_id", id, "data"));
}

static void handle_comm_other(request *r) {
    (void)r; /* about a comm that was refused: nothing to do */
}

/* ---- the debugger, which there is none of -------------------------------------------------- */

static void handle_debug(request *r) {
    const json_t *content = r->message.content;
    const char *command = json_string_value(json_object_get(content, "command"));
    json_int_t seq = json_integer_value(json_object_get(content, "seq"));
    reply(r,
          json_pack("{s:s, s:I, s:I, s:b, s:s, s:s}", "type", "response", "seq", seq, "request_seq",
                    seq, "success", 0, "command", command ? command : "", "message",
                    "This kernel has no debugger. %%memcheck and %%racecheck find memory errors "
                    "and races; printf works in kernels."),
          NULL);
}

/* ---- the table ---------------------------------------------------------------------------- */

typedef struct handler {
    const char *type;
    int from; /* a mask of enum origin */
    void (*run)(request *r);
} handler;

static const handler handlers[] = {
    {"kernel_info_request", FROM_SHELL | FROM_CONTROL | FROM_SUBSHELL, handle_kernel_info},
    {"execute_request", FROM_SHELL, handle_execute},
    {"complete_request", FROM_SHELL | FROM_SUBSHELL, handle_complete},
    {"inspect_request", FROM_SHELL | FROM_SUBSHELL, handle_inspect},
    {"is_complete_request", FROM_SHELL | FROM_SUBSHELL, handle_is_complete},
    {"history_request", FROM_SHELL, handle_history},
    {"comm_info_request", FROM_SHELL | FROM_SUBSHELL, handle_comm_info},
    {"comm_open", FROM_SHELL | FROM_SUBSHELL, handle_comm_open},
    {"comm_msg", FROM_SHELL | FROM_SUBSHELL, handle_comm_other},
    {"comm_close", FROM_SHELL | FROM_SUBSHELL, handle_comm_other},
    {"connect_request", FROM_SHELL | FROM_SUBSHELL, handle_connect},
    {"interrupt_request", FROM_CONTROL, handle_interrupt},
    {"shutdown_request", FROM_SHELL | FROM_CONTROL, handle_shutdown},
    {"usage_request", FROM_CONTROL, handle_usage},
    {"debug_request", FROM_CONTROL, handle_debug},
    {"create_subshell_request", FROM_CONTROL, handle_create_subshell},
    {"delete_subshell_request", FROM_CONTROL, handle_delete_subshell},
    {"list_subshell_request", FROM_CONTROL, handle_list_subshell},
};

void handle(request *r, bool abort) {
    const handler *found = NULL;
    for (size_t i = 0; i < WB_COUNT(handlers) && !found; i++)
        if (strcmp(handlers[i].type, r->message.type) == 0)
            found = &handlers[i];
    bool subshell = r->from == FROM_SUBSHELL;
    if (!found || !(found->from & (subshell ? FROM_SHELL : r->from))) {
        fprintf(stderr, "warpbook: ignored a message of type %.64s on %s\n", r->message.type,
                r->from == FROM_CONTROL ? "control" : "shell");
        return;
    }
    iopub *p = r->kernel->iopub;
    iopub_busy_soon(p, r->message.header_text);
    if (abort && found->run == handle_execute)
        abort_execute(r);
    else if (!subshell || !subshell_refuses(r, found->from & FROM_SUBSHELL))
        found->run(r);
    iopub_status(p, r->message.header_text, "idle");
}
