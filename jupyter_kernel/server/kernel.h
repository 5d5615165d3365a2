/* kernel.h: the kernel process as its own modules see it. Shell requests are handled on the main
 * thread, one after the other; control requests on a thread of their own, meanwhile; heartbeats and
 * IOPub have a thread each. The kernel never loads user code and never touches CUDA: cells run
 * behind runtime/worker/session.h. */
#ifndef WARPBOOK_KERNEL_KERNEL_H
#define WARPBOOK_KERNEL_KERNEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "jupyter_kernel/execution/live.h"
#include "jupyter_kernel/protocol/connection.h"
#include "jupyter_kernel/protocol/iopub.h"
#include "jupyter_kernel/protocol/message.h"
#include "jupyter_kernel/server/history.h"
#include "jupyter_kernel/server/subshell.h"

#define KERNEL_VERSION "0.2.0"

typedef struct kernel {
    connection connection;
    wire_key *key;
    message_author author;
    wire_guard *guard; /* with guard_lock: replays are refused across channels */
    pthread_mutex_t guard_lock;
    void *zmq, *control, *stdin_, *hb;
    message_port shell; /* a router wherever that will do */
    iopub *iopub;

    int wake_fd;              /* eventfd, readable once the shell loop shall end */
    int interrupt_fd;         /* eventfd, readable once the running cell is asked to stop */
    volatile int interrupted; /* the same, for loops that look at it (wb_proc_spec.stop) */
    int done_fd;              /* eventfd, readable once the shell loop has ended */
    int busy_fd;              /* eventfd, readable once busy is set */
    atomic_bool busy;         /* the shell thread takes its time: control looks after the shell */
    atomic_bool stopping;     /* a shutdown was asked for */

    subshells subshells;
    live live;        /* the session behind the cells */
    history *history; /* of the shell thread; opened when first needed */
    int count;        /* the execution count */
} kernel;

/* Where a request came from; also a mask of where a type may come from. */
typedef enum origin { FROM_SHELL = 1, FROM_CONTROL = 2, FROM_SUBSHELL = 4 } origin;

typedef struct request {
    kernel *kernel;
    origin from;
    message_port port;
    wire_message message;
} request;

/* ---- kernel.c ----------------------------------------------------------------------------- */

/* Runs a kernel until it is shut down; an exit status of the command (cli.h). */
int kernel_run(const char *connection_file);

/* How many requests wait on the shell channel; SIZE_MAX: all that are there, through libzmq. */
size_t kernel_queued(kernel *k);
/* Handles so many of them, answering execute requests as aborted. A client that has seen the reply
 * to the one that failed may send more at once: what was queued is counted before that reply. */
void kernel_abort_queued(kernel *k, size_t queued);
/* Asks the running cell to stop; any thread. */
void kernel_interrupt(kernel *k);
bool kernel_interrupted(kernel *k);
/* What is to come on the shell thread may take its time: what clients may see of it is sent, and
 * the control thread looks after the shell's connections until the request is done. */
void kernel_busy(kernel *k);
/* Ends the loops; any thread. */
void kernel_stop(kernel *k);

/* Receives, checks and takes apart one message; false when there is none or it was refused (which
 * is logged). The caller frees *message. */
bool kernel_receive(kernel *k, message_port from, const char *channel, int flags,
                    wire_message *message);

/* ---- handlers.c --------------------------------------------------------------------------- */

/* Answers one request, with busy and idle around it. abort: answer an execute request as aborted.
 */
void handle(request *r, bool abort);
/* Sends the reply of the request's type on its socket. content: stolen. metadata: NULL or stolen.
 */
void reply(request *r, json_t *content, json_t *metadata);
/* {"status":"error","ename":..,"evalue":..,"traceback":[]} */
json_t *error_content(const char *ename, const char *evalue);

/* ---- a file each: the handlers that are more than a few lines ------------------------------ */

void handle_execute(request *r);  /* execute.c */
void abort_execute(request *r);   /* execute.c */
void handle_complete(request *r); /* complete.c */
void handle_inspect(request *r);  /* inspect.c */
void handle_usage(request *r);    /* usage.c */

#endif
