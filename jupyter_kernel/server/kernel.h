/* kernel.h: the state of the kernel process, and what its rooms may ask of it.
 *
 * Shell requests are handled on the main thread, one after the other; control requests on a thread
 * of their own, meanwhile; heartbeats and IOPub have a thread each. The kernel never loads user
 * code and never touches CUDA: cells run behind runtime/worker/session.h.
 *
 * The server knows nobody above it: who answers a request, and who runs the cells, is handed to it
 * at the start (kernel_parts). */
#ifndef WARPBOOK_KERNEL_KERNEL_H
#define WARPBOOK_KERNEL_KERNEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "jupyter_kernel/protocol/channel.h"
#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/iopub.h"
#include "jupyter_kernel/server/history.h"
#include "jupyter_kernel/server/subshell.h"
#include "runtime/worker/session.h"

/* ---- requests ----------------------------------------------------------------------------- */

/* Where a request came from; also a mask of where a type may come from. */
typedef enum origin { FROM_SHELL = 1, FROM_CONTROL = 2, FROM_SUBSHELL = 4 } origin;

typedef struct request {
    struct kernel *kernel;
    origin from;
    channel *channel;
    const wire_message *message;
    bool aborted; /* a cell sent before it failed: an execute request is not run */
} request;

/* Answers the requests of one type, between their busy and idle. */
typedef struct handler {
    const char *type;
    int from; /* a mask of enum origin */
    void (*run)(request *r);
} handler;

/* ---- what stands above the server --------------------------------------------------------- */

typedef struct kernel_parts {
    const handler *const *handlers; /* tables, each ending with type NULL; ends with NULL */
    void *cells;                    /* what the functions below are given */
    /* The session behind the cells if there is one already, else NULL; any thread. */
    wb_session *(*session)(void *cells);
    /* A client has asked who we are, so cells will come. From the thread that runs them. */
    void (*greeted)(void *cells);
    void (*close)(void *cells);
} kernel_parts;

/* ---- the kernel --------------------------------------------------------------------------- */

typedef struct kernel {
    const kernel_parts *parts;
    connection connection;
    message_author author;
    void *zmq, *hb;
    channel *shell, *control, *stdin_;
    iopub *iopub;

    pid_t client;             /* our parent, whose end is ours; 0: somebody else started us */
    int wake_fd;              /* eventfd, readable once the shell loop shall end */
    int interrupt_fd;         /* eventfd, readable once the running cell is asked to stop */
    volatile int interrupted; /* the same, for loops that look at it (wb_proc_spec.stop) */
    int done_fd;              /* eventfd, readable once the shell loop has ended */
    int busy_fd;              /* eventfd, readable once busy is set */
    atomic_bool busy;         /* the shell thread takes its time: control answers subshells */
    pthread_mutex_t serving;  /* held by the control thread from taking such a request to its end */
    atomic_bool stopping;     /* a shutdown was asked for */

    subshells subshells;
    /* The shell thread's: */
    history *history;          /* opened when first needed */
    int count;                 /* the execution count */
    unsigned long abort_until; /* shell messages up to this number came before a cell had failed */
} kernel;

bool kernel_open(kernel *k, const char *connection_file, const kernel_parts *parts, wb_error *err);
void kernel_close(kernel *k);

/* Asks the running cell to stop; any thread. */
void kernel_interrupt(kernel *k);
bool kernel_interrupted(kernel *k);
/* An interrupt that came between cells is over. */
void kernel_forget_interrupt(kernel *k);
/* Ends the loops; any thread. */
void kernel_stop(kernel *k);
/* The shell's loop has ended. */
void kernel_done(kernel *k);

/* What is to come on the shell thread may take its time: what clients may see of it is sent, and
 * the control thread answers subshells until kernel_not_busy. */
void kernel_busy(kernel *k);
void kernel_not_busy(kernel *k);

/* A cell failed: execute requests that have come by now are aborted. To be called before its reply:
 * a client that has seen that may send more at once. */
void kernel_abort_queued(kernel *k);

/* NULL only when memory runs out. For the shell thread. */
history *kernel_history(kernel *k);

/* ---- answers ------------------------------------------------------------------------------ */

/* Sends the reply of the request's type on its channel. Steals content and metadata (or NULL). */
void reply(request *r, json_t *content, json_t *metadata);
/* content: JSON. */
void reply_text(request *r, const char *content);
/* {"status":"error","ename":..,"evalue":..,"traceback":[]} */
json_t *error_content(const char *ename, const char *evalue);
/* The reply to a request that is refused: an error with the execution count, which clients expect
 * of an execute_reply. */
void reply_refused(request *r, const char *ename, const char *evalue);

#endif
