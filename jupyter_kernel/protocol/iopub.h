/* iopub.h: the one owner of IOPub, an XPUB socket. Any thread may hand it messages; they leave in
 * the order in which they came. Stream text is gathered for a few milliseconds into larger
 * messages, and always sent before whatever follows it. Clients that subscribe get an
 * iopub_welcome.
 *
 * Messages are sent on the thread that hands them over, under a lock: waking another thread for
 * each costs more than sending. A thread of its own sends gathered text when it is due and welcomes
 * subscribers.
 *
 * Nobody waits for a subscriber that does not read. IOPUB_BACKLOG messages are kept for it (once,
 * if several don't read), their text at most IOPUB_BACKLOG times IOPUB_TEXT_BYTES, 256 MiB; a
 * picture is one message, whatever its size. Beyond that it misses whole messages. */
#ifndef WARPBOOK_KERNEL_IOPUB_H
#define WARPBOOK_KERNEL_IOPUB_H

#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/message.h"

enum {
    IOPUB_GATHER_MS = 25,       /* stream text waits no longer than this */
    IOPUB_TEXT_BYTES = 1 << 14, /* ... and no longer than until there is this much; one message's */
    IOPUB_BACKLOG = 1 << 14     /* messages kept for a subscriber: ZeroMQ's high-water mark */
};

typedef struct iopub iopub;

/* Binds and starts its thread; NULL with *err. */
iopub *iopub_start(const connection *c, void *zmq, const message_author *author, wb_error *err);
/* Sends all it was given, then ends the thread. */
void iopub_stop(iopub *p);

/* parent: the JSON text of the request's header, copied. content: stolen, also when this fails
 * for want of memory (the message is then lost, and that is logged). */
void iopub_send(iopub *p, const char *type, wire_span parent, json_t *content);
/* fd 1 or 2; text is valid UTF-8 and copied. */
void iopub_stream(iopub *p, wire_span parent, int fd, const char *text, size_t len);
/* "busy", "idle" or "starting". */
void iopub_status(iopub *p, wire_span parent, const char *state);

/* As iopub_status(p, parent, "busy"), but it waits for the next message that is sent in another
 * way, or for iopub_flush: so that "busy" does not delay a reply that is ready in microseconds. */
void iopub_busy_soon(iopub *p, wire_span parent);
/* The same for the execute_input of a request; content: stolen. */
void iopub_input_soon(iopub *p, wire_span parent, json_t *content);
void iopub_flush(iopub *p);

#endif
