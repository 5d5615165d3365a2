/* session.h: a notebook's live CUDA state as its kernel sees it: cells go in, outputs come out.
 * Behind it stand the compiler (runtime/compile) and the worker process, which may crash, hang or
 * be killed; the caller never does.
 *
 * One thread runs cells; wb_session_interrupt and wb_session_usage may come from any thread. */
#ifndef WARPBOOK_SESSION_H
#define WARPBOOK_SESSION_H

#include <jansson.h>
#include "runtime/base/base.h"
#include "runtime/device/device.h"

typedef struct wb_session wb_session;

typedef struct wb_session_options {
    const char *device;            /* as model_choose_device takes it: "auto", "gpu", "h100" ... */
    const char *cwd;               /* where cells run; NULL: here */
    const char *const *nvcc_flags; /* extra flags, NULL-terminated, or NULL (%flags) */
} wb_session_options;

/* Where a running cell's outputs go; called on the thread that runs the cell. NULL members drop. */
typedef struct wb_sink {
    void *ctx;
    /* fd 1 or 2; valid UTF-8, never split inside a code point */
    void (*stream)(void *ctx, int fd, const char *text, size_t len);
    /* data: a MIME bundle (borrowed); display_id NULL or the id; update: update_display_data */
    void (*display)(void *ctx, const json_t *data, const json_t *metadata, const char *display_id,
                    bool update);
    void (*clear)(void *ctx, bool wait); /* clear_output */
    /* The program reads stdin: returns a malloc'd line without its newline, or NULL for end of
     * file. */
    char *(*input)(void *ctx, const char *prompt, bool password);
    /* What is going on, for long work ("compiling", "running"); NULL text: over. */
    void (*progress)(void *ctx, const char *text);
} wb_sink;

typedef enum wb_status { WB_OK, WB_ERROR, WB_INTERRUPTED } wb_status;

typedef struct wb_cell {
    const char *code; /* UTF-8 */
    size_t len;
    int number;         /* the execution count: messages say "cell [3], line 2" */
    const char *origin; /* which cell of the notebook it is, as its editor calls it; or NULL */
    bool silent;
    bool program; /* %%program: treat as a complete program even without main */
    /* %%predict: a program with what it needs of the notebook's definitions, and none of its
     * variables; of its launches only as many blocks run as tell their times. */
    bool predict;
    bool memcheck, racecheck, initcheck, counters, lines; /* softgpu's options for this cell */
    const char *record;       /* %%draw: what softgpu keeps of launches (softgpu_record); or NULL */
    bool record_clocks;       /* ... with the clocks of the GPU that is asked for */
    bool time;                /* report compile_s and run_s (always filled anyway) */
    const char *program_args; /* for programs, split as a shell would; or NULL */
    const volatile int *interrupted; /* not 0: an interrupt came since the cell was asked for */
    const char *shown; /* what messages quote where `code` was made around the user's; or NULL */
} wb_cell;

typedef struct wb_result {
    wb_status status;
    char *ename, *evalue; /* "CompileError", "SegmentationFault", "CudaError", "Interrupted", ... */
    json_t *traceback;    /* array of strings, one a line, may hold ANSI colours */
    json_t *hints;        /* [{"kind":"MISSPELT","name":"edl","line":1}]: the facts of the
                             traceback's hints (runtime/cells/hint), or NULL */
    json_t *value;        /* MIME bundle of the displayed last expression, or NULL */
    json_t *report;       /* softgpu's report (softgpu.h), or NULL */
    bool state_lost;      /* the worker had to be restarted; the traceback says so too */
    bool cached;          /* the cell was compiled before and came from the cache */
    bool direct;          /* ... or was compiled by g++, with nvcc for its device code alone */
    double compile_s, run_s;
} wb_result;

wb_session *wb_session_open(const wb_session_options *options, wb_error *err);
void wb_session_close(wb_session *session);

/* What the first cell would do before it runs: finds the device and starts the worker, so that the
 * first cell is fast. Counts as running a cell: not while another thread does. The worker ends with
 * the calling thread (PR_SET_PDEATHSIG), which must therefore live as long as the session. */
bool wb_session_prepare(wb_session *session, wb_error *err);
/* Cells are to be expected, though not at once: compilers get ready for them in the background,
 * once, where the user has none that are. Before any thread runs cells. */
void wb_session_expect(wb_session *session);

/* Runs one cell to its end, outputs drained before it returns. The result is filled in every case
 * and freed with wb_result_free. */
void wb_session_run(wb_session *session, const wb_cell *cell, const wb_sink *sink,
                    wb_result *result);
void wb_result_free(wb_result *result);

/* Whether the code declares a variable of that name itself, at its top. Counts as running a cell.
 */
bool wb_session_declares(wb_session *session, const char *code, size_t len, const char *name);

/* The cell's code as a CUDA file of its own, for a program that is not this session's worker: with
 * the kernels, functions, types, macros and constants of earlier cells that it needs, and none of
 * their variables. Counts as running a cell. malloc'd; NULL with err. */
char *wb_session_alone(wb_session *session, const wb_cell *cell, wb_error *err);

/* Stops the running cell: kernel, host loop, compiler or program. First keeping the state, then by
 * force after a grace of a second. Harmless when nothing runs. */
void wb_session_interrupt(wb_session *session);

/* Forgets every definition and variable; the device or flags may be changed at the same time
 * (NULL: as before). */
bool wb_session_reset(wb_session *session, const wb_session_options *options, wb_error *err);

/* Flags added to the compiler's; takes effect with the next cell. */
bool wb_session_set_flags(wb_session *session, const char *const *flags, wb_error *err);

/* [{"name":"x","kind":"variable|function|kernel|type|macro|template","type":"float *","cell":3,
 *   "signature":"...","text":"..." (of types alone)}], sorted by name; what completion, inspection
 * and %who need. */
json_t *wb_session_names(wb_session *session);

/* The device, if it is known yet; any thread. */
bool wb_session_device(wb_session *session, wb_device *device);

/* {"device":"softgpu|NVIDIA H200","kind":"soft|gpu","times":"NVIDIA H200" (whose times softgpu
 *  tells where it is asked to, in words; "": none),"memory_used":..,"memory_total":..,
 *  "worker_pid":..,"worker_rss":..}; never blocks behind a running cell. */
json_t *wb_session_usage(wb_session *session);

/* Where cells and all that this process starts run from now on (%cd), and a variable of their
 * environment (%env): at once here, and in workers that run already from their next cell on. Of all
 * sessions. What a cell's own chdir() or setenv() changed stays, until it is asked for anew. */
bool wb_session_enter(const char *folder, wb_error *err);
bool wb_session_set_variable(const char *name, const char *value, wb_error *err);

/* What to do about an error of nvcc's in a file of its own: a sentence, malloc'd, or NULL.
 * `excerpt`: the line of the source that it quotes, or NULL. */
char *wb_cell_error_hint(const char *text, const char *excerpt);

/* "complete", "incomplete" (and the indent the next line should have) or "invalid". */
const char *wb_cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size);

/* PTX or SASS of the kernels the last cells defined (%ptx, %sass). malloc'd text. */
char *wb_session_disassemble(wb_session *session, const char *kernel, bool sass, wb_error *err);

#endif
