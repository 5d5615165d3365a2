/* kernel.h: the state of the kernel process, and the functions that its rooms may call.
 *
 * The main thread handles shell requests, one after the other. Another thread handles control
 * requests at the same time. Heartbeats and IOPub have a thread each. The kernel never loads user
 * code and never touches CUDA: cells run behind runtime/worker/session.h.
 *
 * The server does not depend on higher rooms. At the start it receives the handlers of requests,
 * and the functions that run cells (kernel_parts). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "jupyter_kernel/protocol/channel.h"
#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/iopub.h"
#include "jupyter_kernel/server/history.h"
#include "jupyter_kernel/server/subshell.h"
#include "runtime/worker/session.h"

/* ---- requests ----------------------------------------------------------------------------- */

/* The channel of a request; also used as a mask of the channels that a type may use. */
typedef enum origin { FROM_SHELL = 1, FROM_CONTROL = 2, FROM_SUBSHELL = 4 } origin;

typedef struct request {
    struct kernel *kernel;
    origin from;
    channel *channel;
    const wire_message *message;
    channel_message *whole; /* which has the message */
    bool kept;              /* the handler answers later, and frees `whole` then */
    bool aborted;           /* an earlier cell failed, so this execute request must not run */
} request;

/* Answers the requests of one type, between their busy and idle. */
typedef struct handler {
    const char *type;
    int from; /* a mask of enum origin */
    void (*run)(request *r);
} handler;

/* ---- higher rooms --------------------------------------------------------------------------- */

typedef struct kernel_parts {
    const handler *const *handlers; /* tables that end with type NULL; the list ends with NULL */
    void *cells;                    /* the argument of the functions below */
    /* Returns the session of the cells if it is open, else NULL. Any thread may call it. */
    wb_session *(*session)(void *cells);
    /* Called when a client asks for kernel_info: cells will follow. On the shell thread. */
    void (*greeted)(void *cells);
    void (*close)(void *cells);
    /* The debugger's part of the control thread's loop: what it polls (-1: nothing), and what it
     * calls when something is readable. */
    void (*debug_fds)(void *cells, int fds[2]);
    void (*debug)(void *cells);
} kernel_parts;

/* ---- the kernel --------------------------------------------------------------------------- */

typedef struct kernel {
    const kernel_parts *parts;
    connection connection;
    message_author author;
    void *zmq, *hb;
    channel *shell, *control, *stdin_;
    iopub *iopub;

    pid_t client;             /* the client that started us; its end ends us. 0: unknown */
    int wake_fd;              /* eventfd, readable once the shell loop must end */
    int interrupt_fd;         /* eventfd, readable once the running cell is asked to stop */
    volatile int interrupted; /* the same, for loops that check it (wb_proc_spec.stop) */
    int done_fd;              /* eventfd, readable once the shell loop has ended */
    int busy_fd;              /* eventfd, readable once busy is set */
    atomic_bool busy;         /* the shell thread works on a request: control answers subshells */
    pthread_mutex_t serving;  /* held by the control thread while it answers a subshell */
    atomic_bool stopping;     /* a shutdown was asked for */

    subshells subshells;
    /* For the shell thread: */
    history *history;          /* opened on first use */
    int count;                 /* the execution count */
    unsigned long abort_until; /* execute requests up to this number are aborted */
} kernel;

bool kernel_open(kernel *k, const char *connection_file, const kernel_parts *parts, wb_error *err);
void kernel_close(kernel *k);

/* Asks the running cell to stop. Any thread may call it. */
void kernel_interrupt(kernel *k);
bool kernel_interrupted(kernel *k);
/* Clears an interrupt that came between cells. */
void kernel_forget_interrupt(kernel *k);
/* Ends the loops. Any thread may call it. */
void kernel_stop(kernel *k);
/* Called when the shell's loop has ended. */
void kernel_done(kernel *k);

/* Call it before slow work on the shell thread. It sends the messages that wait, and lets the
 * control thread answer subshells until kernel_not_busy. */
void kernel_busy(kernel *k);
void kernel_not_busy(kernel *k);

/* Aborts the execute requests that have arrived, because a cell failed. Call it before that cell's
 * reply: a client that has seen the reply may send new ones at once. */
void kernel_abort_queued(kernel *k);

/* Returns NULL only when memory runs out. For the shell thread. */
history *kernel_history(kernel *k);

/* ---- answers ------------------------------------------------------------------------------ */

/* Sends the reply of the request's type on its channel. Steals content and metadata (or NULL). */
void reply(request *r, json_t *content, json_t *metadata);
/* Sends `content`, a JSON text. */
void reply_text(request *r, const char *content);
/* Returns {"status":"error","ename":..,"evalue":..,"traceback":[]}. */
json_t *error_content(const char *ename, const char *evalue);
/* Refuses a request. Adds the execution count, which clients expect in an execute_reply. */
void reply_refused(request *r, const char *ename, const char *evalue);
