/* handlers.c: the requests that the server itself answers. */
#include "jupyter_kernel/server/handlers.h"

#include "jupyter_kernel/server/usage.h"

/* ---- who we are --------------------------------------------------------------------------- */

static const char kernel_info[] =
    "{\"status\":\"ok\",\"protocol_version\":\"" MESSAGE_VERSION "\","
    "\"implementation\":\"warpbook\",\"implementation_version\":\"" WB_VERSION "\","
    "\"language_info\":{\"name\":\"cuda\",\"version\":\"C++17\",\"mimetype\":\"text/x-c++src\","
    "\"file_extension\":\".cu\",\"pygments_lexer\":\"cuda\","
    /* JupyterLab finds the name if our extension is installed; else it uses the type, C++ */
    "\"codemirror_mode\":{\"mime\":\"text/x-c++src\",\"name\":\"cuda\"},"
    "\"nbconvert_exporter\":\"script\"},"
    "\"banner\":\"Warpbook " WB_VERSION ": CUDA C++ cells. %help tells more.\","
    "\"debugger\":true,\"supported_features\":[\"kernel subshells\",\"debugger\"],\"help_links\":["
    "{\"text\":\"CUDA C++ Programming Guide\","
    "\"url\":\"https://docs.nvidia.com/cuda/cuda-c-programming-guide/\"},"
    "{\"text\":\"CUDA Runtime API\",\"url\":\"https://docs.nvidia.com/cuda/cuda-runtime-api/\"},"
    "{\"text\":\"cuBLAS\",\"url\":\"https://docs.nvidia.com/cuda/cublas/\"}]}";

static void handle_kernel_info(request *r) {
    reply_text(r, kernel_info);
    if (r->from == FROM_SHELL)
        r->kernel->parts->greeted(r->kernel->parts->cells);
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
    bool restart = json_is_true(json_object_get(r->message->content, "restart"));
    json_t *content = json_pack("{s:s, s:b}", "status", "ok", "restart", restart);
    /* Other clients learn of the shutdown on IOPub. */
    iopub_send(r->kernel->iopub, "shutdown_reply", r->message->header_text, json_incref(content));
    reply(r, content, NULL);
    kernel_stop(r->kernel);
}

static void handle_interrupt(request *r) {
    kernel_interrupt(r->kernel);
    reply(r, json_pack("{s:s}", "status", "ok"), NULL);
}

/* ---- history -------------------------------------------------------------------------------- */

static void handle_history(request *r) {
    wb_error err = {.text = "out of memory"};
    history *h = kernel_history(r->kernel);
    json_t *list = h ? history_query(h, r->message->content, &err) : NULL;
    reply(r,
          list ? json_pack("{s:s, s:o}", "status", "ok", "history", list)
               : error_content("ValueError", err.text),
          NULL);
}

/* ---- comms: this kernel has none ------------------------------------------------------------ */

static void handle_comm_info(request *r) {
    reply(r, json_pack("{s:s, s:{}}", "status", "ok", "comms"), NULL);
}

/* Refuses the comm: no target is registered, and the protocol then asks for a comm_close. */
static void handle_comm_open(request *r) {
    const char *id = json_string_value(json_object_get(r->message->content, "comm_id"));
    if (id)
        iopub_send(r->kernel->iopub, "comm_close", r->message->header_text,
                   json_pack("{s:s, s:{}}", "comm_id", id, "data"));
}

static void handle_comm_other(request *r) {
    (void)r; /* the comm was refused, so there is nothing to do */
}

/* ---- subshells ---------------------------------------------------------------------------- */

static void handle_create_subshell(request *r) {
    char id[SUBSHELL_ID_SIZE];
    if (subshells_add(&r->kernel->subshells, r->kernel->author.session, id))
        reply(r, json_pack("{s:s, s:s}", "status", "ok", "subshell_id", id), NULL);
    else
        reply_refused(r, "SubshellError",
                      _("There are as many subshells as there may be: delete one."));
}

static void handle_delete_subshell(request *r) {
    const char *id = json_string_value(json_object_get(r->message->content, "subshell_id"));
    char text[128];
    if (subshells_remove(&r->kernel->subshells, id)) {
        reply(r, json_pack("{s:s}", "status", "ok"), NULL);
        return;
    }
    snprintf(text, sizeof text, _("There is no subshell \"%.64s\"."), id ? id : "");
    reply_refused(r, "SubshellError", text);
}

static void handle_list_subshell(request *r) {
    reply(r,
          json_pack("{s:s, s:o}", "status", "ok", "subshell_id",
                    subshells_list(&r->kernel->subshells)),
          NULL);
}

/* ---- the table ---------------------------------------------------------------------------- */

const handler server_handlers[] = {
    {"kernel_info_request", FROM_SHELL | FROM_CONTROL | FROM_SUBSHELL, handle_kernel_info},
    {"history_request", FROM_SHELL, handle_history},
    {"comm_info_request", FROM_SHELL | FROM_SUBSHELL, handle_comm_info},
    {"comm_open", FROM_SHELL | FROM_SUBSHELL, handle_comm_open},
    {"comm_msg", FROM_SHELL | FROM_SUBSHELL, handle_comm_other},
    {"comm_close", FROM_SHELL | FROM_SUBSHELL, handle_comm_other},
    {"connect_request", FROM_SHELL | FROM_SUBSHELL, handle_connect},
    {"interrupt_request", FROM_CONTROL, handle_interrupt},
    {"shutdown_request", FROM_SHELL | FROM_CONTROL, handle_shutdown},
    {"usage_request", FROM_CONTROL, handle_usage},
    {"create_subshell_request", FROM_CONTROL, handle_create_subshell},
    {"delete_subshell_request", FROM_CONTROL, handle_delete_subshell},
    {"list_subshell_request", FROM_CONTROL, handle_list_subshell},
    {NULL, 0, NULL},
};
