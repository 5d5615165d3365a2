/* connection.c: reads connection files, binds sockets. */
#include "jupyter_kernel/protocol/connection.h"

#include <zmq.h>

#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

static bool read_text(const json_t *file, const char *name, const char *standard, char *out,
                      size_t size, wb_error *err) {
    const json_t *value = json_object_get(file, name);
    const char *text = value ? json_string_value(value) : standard;
    if (text && strlen(text) < size) {
        snprintf(out, size, "%s", text);
        return true;
    }
    return wb_fail(err, 1, _("connection file: \"%s\" %s"), name,
                   text    ? _("is too long")
                   : value ? _("should be a string")
                           : _("is missing"));
}

static bool read_port(const json_t *file, const char *name, int *port, wb_error *err) {
    json_int_t value = json_integer_value(json_object_get(file, name));
    if (value < 1 || value > 65535)
        return wb_fail(err, 1, _("connection file: \"%s\" should be a port, 1 to 65535"), name);
    *port = (int)value;
    return true;
}

static bool read_fields(const json_t *file, connection *c, wb_error *err) {
    bool ok = read_text(file, "transport", "tcp", c->transport, sizeof c->transport, err) &&
              read_text(file, "ip", "127.0.0.1", c->ip, sizeof c->ip, err) &&
              read_port(file, "shell_port", &c->shell, err) &&
              read_port(file, "iopub_port", &c->iopub, err) &&
              read_port(file, "stdin_port", &c->stdin_, err) &&
              read_port(file, "control_port", &c->control, err) &&
              read_port(file, "hb_port", &c->hb, err) &&
              read_text(file, "key", "", c->key, sizeof c->key, err) &&
              read_text(file, "signature_scheme", "hmac-sha256", c->scheme, sizeof c->scheme, err);
    if (ok && json_is_string(json_object_get(file, "curve_secretkey")))
        ok = read_text(file, "curve_publickey", NULL, c->curve_publickey, sizeof c->curve_publickey,
                       err) &&
             read_text(file, "curve_secretkey", NULL, c->curve_secretkey, sizeof c->curve_secretkey,
                       err);
    if (ok && strcmp(c->transport, "tcp") != 0 && strcmp(c->transport, "ipc") != 0)
        return wb_fail(err, 1, _("connection file: transport \"%s\" should be tcp or ipc"),
                       c->transport);
    return ok;
}

bool connection_load(const char *path, connection *c, wb_error *err) {
    *c = (connection){0};
    WB_SCOPED_BUF wb_buf text = {0};
    if (!wb_file_read(path, 1 << 20, &text, err))
        return false;
    json_error_t why;
    WB_SCOPED_JSON json_t *file = json_loadb(text.data ? text.data : "", text.len, 0, &why);
    if (!json_is_object(file))
        return wb_fail(err, 1, _("%s: line %d: not a connection file: %s"), path, why.line,
                       why.text);
    return read_fields(file, c, err);
}

void *connection_bind(const connection *c, void *zmq, int type, int port, int backlog,
                      wb_error *err) {
    char endpoint[300];
    bool tcp = strcmp(c->transport, "tcp") == 0;
    snprintf(endpoint, sizeof endpoint, tcp ? "tcp://%s:%d" : "ipc://%s-%d", c->ip, port);
    void *socket = zmq_socket(zmq, type);
    int unlimited = 0, linger = 1000, yes = 1;
    int64_t largest = CONNECTION_MAX_FRAME;
    bool ok = socket && zmq_setsockopt(socket, ZMQ_SNDHWM, &backlog, sizeof backlog) == 0 &&
              zmq_setsockopt(socket, ZMQ_RCVHWM, &unlimited, sizeof unlimited) == 0 &&
              zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest) == 0 &&
              zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) == 0;
    if (type == ZMQ_ROUTER) /* a client that reconnects with its old identity takes it over */
        ok = ok && zmq_setsockopt(socket, ZMQ_ROUTER_HANDOVER, &yes, sizeof yes) == 0;
    if (strchr(c->ip, ':') && tcp)
        ok = ok && zmq_setsockopt(socket, ZMQ_IPV6, &yes, sizeof yes) == 0;
    if (c->curve_secretkey[0])
        ok = ok && zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &yes, sizeof yes) == 0 &&
             zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, c->curve_publickey, 41) == 0 &&
             zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, c->curve_secretkey, 41) == 0;
    if (ok && zmq_bind(socket, endpoint) == 0)
        return socket;
    wb_fail(err, 1, _("can't listen on %s: %s"), endpoint, zmq_strerror(zmq_errno()));
    if (socket)
        zmq_close(socket);
    return NULL;
}
