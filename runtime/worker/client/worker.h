/* worker.h: the process that runs cells, as the session sees it. It may crash, hang or be killed.
 * These calls always return, and say what happened.
 *
 * One thread runs cells. It must outlive the worker, because the process dies with the thread that
 * started it. Any thread may call wb_worker_interrupt. */
#pragma once

#include <jansson.h>
#include "runtime/device/device.h"
#include "runtime/worker/client/names.h"
#include "runtime/worker/client/symbolize.h"
#include "runtime/worker/session.h"

typedef struct wb_worker wb_worker;

typedef struct wb_worker_options {
    const wb_device *device;
    const char *cwd;     /* NULL: here */
    size_t limit_memory; /* limit on a cell's allocations (memory.h), bytes; 0: none */
} wb_worker_options;

typedef struct wb_job {
    const char *library; /* a cell's shared library with deferred initialisers (elf.h) */
    int cell;            /* its number, for messages */
    unsigned options;    /* softgpu's, as in softgpu.h */
    const char *record;  /* argument of softgpu_record(), or NULL */
    const char *debug;   /* argument of softgpu_debug(), or NULL */
    bool program;        /* calls main and ends the worker afterwards */
    /* {symbol: version}: symbols that the library may share with earlier ones, or NULL
     * (runtime/cells/live/statics.h) */
    json_t *statics;
    /* symbols that later cells may redefine, and that this one redefines; or NULL
     * (wb_cellgen_binds) */
    json_t *binds;
    const wb_names *names;    /* the cells' names for the job's output, or NULL */
    const char *const *argv;  /* a program's arguments, NULL-terminated, argv[0] first; or NULL */
    const volatile int *stop; /* not 0: an interrupt arrived, so the job does not begin; or NULL */
} wb_job;

typedef enum wb_outcome_kind {
    WB_RAN,         /* to its end */
    WB_THREW,       /* uncaught exception: text; the state is kept */
    WB_STOPPED,     /* interrupted, the state is kept */
    WB_LEFT,        /* the cell called exit(): exit_status; the state is kept */
    WB_UNLOADABLE,  /* could not load the library: text is the loader's */
    WB_CUDA_FAILED, /* ran, but left a CUDA error: cuda_code, cuda_name, text */
    WB_EXITED,      /* exit() ended the process: exit_status; a program's normal end */
    WB_CRASHED,     /* signal: signal, stack_overflow, address, frames */
    WB_KILLED       /* by us after an ignored interrupt, or from outside (signal) */
} wb_outcome_kind;

typedef struct wb_outcome {
    wb_outcome_kind kind;
    bool alive; /* the worker can run the next cell with its state */
    int signal, exit_status;
    bool stack_overflow, interrupted;
    bool unsaid;      /* a message was longer than the limit, and was dropped */
    uint64_t address; /* the address that a crash accessed */
    bool device;      /* it is or was softgpu's device memory */
    /* number of the cell's finished items if it threw or was stopped; else SIZE_MAX */
    size_t finished;
    size_t file_limit;    /* the file size limit in bytes that a write exceeded; else 0 */
    size_t held, limit;   /* bytes held at std::bad_alloc (else 0), and the limit (0: none) */
    size_t peak, machine; /* of a killed process: peak resident bytes, and bytes of the machine */
    bool for_memory;      /* the system killed a process for lack of memory meanwhile */
    char *text;           /* of a crash: the C library's abort message, or NULL */
    int cuda_code;
    bool cuda_late;  /* the error appeared in the final wait for the device */
    bool fault_seen; /* the program checked the report's fault, so it is no failure (looked.h) */
    char *cuda_name;
    wb_frame *frames; /* of a crash or throw: frames in cells' code, innermost first */
    size_t n_frames;
    json_t *value;  /* MIME bundle of the displayed expression, or NULL */
    json_t *report; /* softgpu's report, or NULL; a process that died leaves at most its "fault" */
    json_t *guard;  /* a container's failed check: "function", "condition"; or NULL */
    double run_s;
} wb_outcome;

wb_worker *wb_worker_start(const wb_worker_options *options, wb_error *err);
/* Runs the job. Drains its outputs to the sink before it returns. */
void wb_worker_run(wb_worker *worker, const wb_job *job, const wb_sink *sink, wb_outcome *outcome);
void wb_outcome_free(wb_outcome *outcome);
/* Sends SIGINT to the worker's process group, and SIGKILL a second later if the job still runs. */
void wb_worker_interrupt(wb_worker *worker);
bool wb_worker_alive(const wb_worker *worker);
int wb_worker_pid(const wb_worker *worker);
/* Reads the device's memory at the end of the last cell. Returns false if CUDA was not used yet. */
bool wb_worker_memory(const wb_worker *worker, size_t *used, size_t *total);
void wb_worker_stop(wb_worker *worker); /* ends the whole process group; NULL is fine */
