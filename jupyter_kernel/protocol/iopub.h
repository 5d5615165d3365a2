/* iopub.h: the owner of IOPub, an XPUB socket. Any thread may hand it messages. They leave in the
 * order in which they came. It gathers stream text for a few milliseconds and sends it before the
 * next message. A client that subscribes gets an iopub_welcome.
 *
 * The calling thread sends its own message under a lock, because waking another thread would cost
 * more than sending. The room's own thread sends gathered text when it is due, and welcomes
 * subscribers.
 *
 * The kernel does not wait for a slow subscriber. It keeps IOPUB_BACKLOG messages for it, and their
 * text is at most 256 MiB (IOPUB_BACKLOG * IOPUB_TEXT_BYTES). A picture is one message of any size.
 * Beyond the backlog the subscriber misses whole messages. */
#pragma once

#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/message.h"

enum {
    IOPUB_GATHER_MS = 25,       /* stream text waits no longer than this */
    IOPUB_TEXT_BYTES = 1 << 14, /* or until there is this much; most text of one message */
    IOPUB_BACKLOG = 1 << 14     /* messages kept for a subscriber: ZeroMQ's high-water mark */
};

typedef struct iopub iopub;

/* Binds the socket and starts the thread. NULL with *err if that fails. */
iopub *iopub_start(const connection *c, void *zmq, const message_author *author, wb_error *err);
/* Sends everything it was given, then ends the thread. */
void iopub_stop(iopub *p);

/* parent: the JSON text of the request's header, copied. content: stolen, even if memory runs out.
 * The message is then lost, and the log says so. */
void iopub_send(iopub *p, const char *type, wire_span parent, json_t *content);
/* Sends text of stdout (1) or stderr (2). It is valid UTF-8 and copied. */
void iopub_stream(iopub *p, wire_span parent, int fd, const char *text, size_t len);
/* "busy", "idle" or "starting". */
void iopub_status(iopub *p, wire_span parent, const char *state);

/* Like iopub_status(p, parent, "busy"), but sent together with the next message, or by iopub_flush.
 * So "busy" does not delay a reply that is ready in microseconds. */
void iopub_busy_soon(iopub *p, wire_span parent);
/* Sends the execute_input of a request, in the same delayed way. Steals `content`. */
void iopub_input_soon(iopub *p, wire_span parent, json_t *content);
void iopub_flush(iopub *p);
