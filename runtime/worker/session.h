/* session.h: a notebook's live CUDA state, as its kernel sees it: cells go in, outputs come out.
 * The session uses the compiler (runtime/compile) and a worker process. The worker may crash, hang
 * or be killed; the caller never does.
 *
 * One thread runs cells. Any thread may call wb_session_interrupt and wb_session_usage. */
#pragma once

#include <jansson.h>
#include "runtime/base/base.h"
#include "runtime/device/device.h"

typedef struct wb_session wb_session;

typedef struct wb_session_options {
    const char *device;            /* for model_choose_device: "auto", "gpu", "h100" ... */
    const char *cwd;               /* where cells run; NULL: here */
    const char *const *nvcc_flags; /* extra flags, NULL-terminated, or NULL (%flags) */
} wb_session_options;

/* Receives a running cell's outputs on the thread that runs it. NULL members drop theirs. */
typedef struct wb_sink {
    void *ctx;
    /* fd 1 or 2; valid UTF-8, never split inside a code point */
    void (*stream)(void *ctx, int fd, const char *text, size_t len);
    /* data: a MIME bundle (borrowed); display_id NULL or the id; update: update_display_data */
    void (*display)(void *ctx, const json_t *data, const json_t *metadata, const char *display_id,
                    bool update);
    void (*clear)(void *ctx, bool wait); /* clear_output */
    /* Reads stdin: returns a malloc'd line without its newline, or NULL for end of file. */
    char *(*input)(void *ctx, const char *prompt, bool password);
} wb_sink;

typedef enum wb_status { WB_OK, WB_ERROR, WB_INTERRUPTED } wb_status;

typedef struct wb_cell {
    const char *code; /* UTF-8 */
    size_t len;
    const char *path;   /* the debugger's name of its source (wb_session_debug), or NULL */
    int number;         /* the execution count: messages say "cell [3], line 2" */
    const char *origin; /* the editor's id of the cell, or NULL */
    bool silent;
    bool program; /* %%program: treat as a complete program even without main */
    /* %%predict: a program with the definitions that it needs of the notebook, without its
     * variables. Each launch runs only as many blocks as its modelled time needs. */
    bool predict;
    bool memcheck, racecheck, initcheck, counters, lines; /* softgpu's options for this cell */
    /* %%draw: what softgpu records of launches (softgpu_record); or NULL */
    const char *record;
    bool record_clocks;       /* records the clocks of the requested GPU too */
    bool record_values;       /* `record` needs debug information of the kernels (twin.h) */
    const char *program_args; /* for programs, split as a shell would; or NULL */
    /* not 0: an interrupt arrived after the request for the cell */
    const volatile int *interrupted;
    /* text that messages quote if `code` was generated around the user's; or NULL */
    const char *shown;
} wb_cell;

typedef struct wb_result {
    wb_status status;
    char *ename, *evalue; /* "CompileError", "SegmentationFault", "CudaError", "Interrupted", ... */
    json_t *traceback;    /* array of strings, one for each line; may hold ANSI colours */
    /* [{"kind":"MISSPELT","name":"edl","line":1}]: the facts of the traceback's hints
     * (runtime/cells/hint), or NULL */
    json_t *hints;
    json_t *value;   /* MIME bundle of the displayed last expression, or NULL */
    json_t *report;  /* softgpu's report (softgpu.h), or NULL */
    bool state_lost; /* the worker was restarted; the traceback says so too */
    bool cached;     /* the library came from the cache */
    bool direct;     /* g++ compiled it, and nvcc only its device code */
    double compile_s, run_s;
} wb_result;

wb_session *wb_session_open(const wb_session_options *options, wb_error *err);
void wb_session_close(wb_session *session);

/* Finds the device and starts the worker, so that the first cell is fast. Do not call it while
 * another thread runs a cell. The calling thread must live as long as the session, because the
 * worker ends with it (PR_SET_PDEATHSIG). */
bool wb_session_prepare(wb_session *session, wb_error *err);
/* Prepares the compilers in the background, once, if the user has none prepared. Call it before any
 * thread runs cells. */
void wb_session_expect(wb_session *session);

/* Runs one cell to its end and drains its outputs. Fills the result in every case. Free it with
 * wb_result_free. */
void wb_session_run(wb_session *session, const wb_cell *cell, const wb_sink *sink,
                    wb_result *result);
void wb_result_free(wb_result *result);

/* Returns true if the code itself declares a variable of that name at top level. Do not call it
 * while a cell runs. */
bool wb_session_declares(wb_session *session, const char *code, size_t len, const char *name);

/* Returns the cell's code as a CUDA file of its own, for a program outside the worker. It has the
 * kernels, functions, types, macros and constants of earlier cells that the code needs, but no
 * variables. The caller frees it; NULL with err. Do not call it while a cell runs. */
char *wb_session_alone(wb_session *session, const wb_cell *cell, wb_error *err);

/* Stops the running kernel, host loop, compiler or program. Keeps the state if it ends within a
 * grace period of one second, and kills the process after that. Harmless if nothing runs. */
void wb_session_interrupt(wb_session *session);

/* Forgets all definitions and variables. May change the device or flags (NULL: keep). */
bool wb_session_reset(wb_session *session, const wb_session_options *options, wb_error *err);

/* Sets flags that are added to the compiler's from the next cell on. */
bool wb_session_set_flags(wb_session *session, const char *const *flags, wb_error *err);

/* Returns the names for completion, inspection and %who, sorted: [{"name":"x",
 * "kind":"variable|function|kernel|type|macro|template", "type":"float *", "cell":3,
 * "signature":"...", "text":"..." (only for types)}]. A new reference. */
json_t *wb_session_names(wb_session *session);
/* Returns the live definitions as text (wb_outline). A new reference. Any thread may call it. */
json_t *wb_session_outline(wb_session *session);

/* Returns false if the device is not known yet. Any thread may call it. */
bool wb_session_device(wb_session *session, wb_device *device);

/* {"device":"softgpu|NVIDIA H200","kind":"soft|gpu","times":"NVIDIA H200" (whose times softgpu
 *  tells where it is asked to, in words; "": none),"memory_used":..,"memory_total":..,
 *  "worker_pid":..,"worker_rss":..}; never blocks behind a running cell. */
json_t *wb_session_usage(wb_session *session);

/* Sets the folder (%cd) or an environment variable (%env) for cells and for all that this process
 * starts, in all sessions. It takes effect here at once, and in running workers with their next
 * cell. A cell's own chdir() or setenv() holds until the next request. */
bool wb_session_enter(const char *folder, wb_error *err);
bool wb_session_set_variable(const char *name, const char *value, wb_error *err);

/* Returns advice on an nvcc error in a file of the user's, malloc'd, or NULL. `excerpt` is the
 * source line that it quotes, or NULL. */
char *wb_cell_error_hint(const char *text, const char *excerpt);

/* Returns "complete", "incomplete" (with the next line's indent) or "invalid". */
const char *wb_cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size);

/* Runs kernels on softgpu under a debugger from the next cell on. A client listens at this Unix
 * socket, and workers connect to it (softgpu/debug/README.md). "" or NULL: off. Any thread. */
void wb_session_debug(wb_session *session, const char *path);

/* Returns PTX or SASS of the kernels that the last cells defined (%ptx, %sass), malloc'd. */
char *wb_session_disassemble(wb_session *session, const char *kernel, bool sass, wb_error *err);
