/* worker.h: the process that runs cells, as the session sees it. The process may crash, hang or be
 * killed; these calls always return, and say what happened.
 *
 * One thread runs cells (and must outlive the worker: the process dies with the thread that started
 * it); wb_worker_interrupt may come from any thread. */
#ifndef WARPBOOK_WORKER_H
#define WARPBOOK_WORKER_H

#include <jansson.h>
#include "runtime/device/device.h"
#include "runtime/worker/client/names.h"
#include "runtime/worker/client/symbolize.h"
#include "runtime/worker/session.h"

typedef struct wb_worker wb_worker;

typedef struct wb_worker_options {
    const wb_device *device;
    const char *cwd;     /* NULL: here */
    size_t limit_memory; /* for what a cell allocates (memory.h), bytes; 0: none */
} wb_worker_options;

typedef struct wb_job {
    const char *library; /* a shared library made from a cell, its initialisers deferred (elf.h) */
    int cell;            /* its number, for messages */
    unsigned options;    /* softgpu's, as in softgpu.h */
    const char *record;  /* softgpu_record()'s wish; or NULL */
    bool program;        /* calls main and ends the worker afterwards */
    json_t *statics;     /* {symbol: version}: what the library may share with earlier ones; or NULL
                            (runtime/cells/live/statics.h) */
    json_t *binds;       /* what later cells may define anew, and what earlier ones did; or NULL
                            (wb_cellgen_binds) */
    const wb_names *names;    /* what cells are called in what the job prints and shows; or NULL */
    const char *const *argv;  /* of a program, NULL-terminated, argv[0] first; or NULL */
    const volatile int *stop; /* not 0: an interrupt came, so the job does not begin; or NULL */
} wb_job;

typedef enum wb_outcome_kind {
    WB_RAN,         /* to its end */
    WB_THREW,       /* an exception nobody caught: text; the state is kept */
    WB_STOPPED,     /* interrupted, the state is kept */
    WB_LEFT,        /* the cell called exit(): exit_status; the state is kept */
    WB_UNLOADABLE,  /* the library could not be loaded: text is the loader's */
    WB_CUDA_FAILED, /* ran, but a CUDA error was left: cuda_code, cuda_name, text */
    WB_EXITED,      /* exit() ended the process: exit_status; a program's normal end */
    WB_CRASHED,     /* a signal: signal, stack_overflow, address, frames */
    WB_KILLED       /* by us after an interrupt was not heeded, or from outside (signal) */
} wb_outcome_kind;

typedef struct wb_outcome {
    wb_outcome_kind kind;
    bool alive; /* the worker can run the next cell with its state */
    int signal, exit_status;
    bool stack_overflow, interrupted;
    bool unsaid;          /* it showed or reported more than a message may hold */
    uint64_t address;     /* that a crash touched */
    bool device;          /* it is or was softgpu's device memory */
    size_t finished;      /* of the cell's items, when it threw or was stopped; else SIZE_MAX */
    size_t file_limit;    /* the bytes a file may have, when one was to have more; else 0 */
    size_t held, limit;   /* bytes held at std::bad_alloc (else 0), and allowed (0: all there is) */
    size_t peak, machine; /* of a killed process: bytes resident at most, and what there are */
    bool for_memory;      /* the system killed something for want of memory meanwhile */
    char *text;           /* of a crash: what the C library said of it, or NULL */
    int cuda_code;
    bool cuda_late;  /* the error came when the device was waited for at the end */
    bool fault_seen; /* the report's fault is no failure: the program looked at it (looked.h) */
    char *cuda_name;
    wb_frame *frames; /* of a crash or throw, innermost first, those in cells' code only */
    size_t n_frames;
    json_t *value;  /* MIME bundle of the displayed expression, or NULL */
    json_t *report; /* softgpu's report, of a process that died at most its "fault"; or NULL */
    json_t
        *guard; /* of a container's check that ended the cell: "function", "condition"; or NULL */
    double run_s;
} wb_outcome;

wb_worker *wb_worker_start(const wb_worker_options *options, wb_error *err);
/* Runs the job; outputs go to the sink, drained to the last byte before this returns. */
void wb_worker_run(wb_worker *worker, const wb_job *job, const wb_sink *sink, wb_outcome *outcome);
void wb_outcome_free(wb_outcome *outcome);
/* SIGINT to the worker's process group; a second later, if the job still runs, SIGKILL. */
void wb_worker_interrupt(wb_worker *worker);
bool wb_worker_alive(const wb_worker *worker);
int wb_worker_pid(const wb_worker *worker);
/* What the device's memory was at the end of the last cell; false when CUDA was not used yet. */
bool wb_worker_memory(const wb_worker *worker, size_t *used, size_t *total);
void wb_worker_stop(wb_worker *worker); /* ends the whole process group; NULL is fine */

#endif
