/* execution.h: one execute request: where its outputs go, and what its reply will say. */
#ifndef WARPBOOK_KERNEL_EXECUTION_H
#define WARPBOOK_KERNEL_EXECUTION_H

#include "jupyter_kernel/execution/live.h"
#include "jupyter_kernel/execution/spill.h"
#include "jupyter_kernel/server/kernel.h"
#include "runtime/worker/session.h"

typedef struct execution {
    kernel *kernel;
    request *request;
    live *live;       /* the session it runs in */
    wire_span parent; /* the request's header */
    int number;       /* the execution count its messages carry */
    bool silent;      /* nothing goes to IOPub */
    bool allow_stdin;
    wb_sink sink; /* hands outputs to the functions below; ctx is the execution */
    spill spill;  /* counts what was printed, keeps what is over the cap */

    json_t *payload;      /* array */
    json_t *value;        /* MIME bundle of the last expression, or NULL */
    char *ename, *evalue; /* NULL: no error */
    json_t *traceback;
} execution;

void execution_open(execution *x, request *r, live *l);
void execution_close(execution *x);

/* ---- outputs: live, in order ---------------------------------------------------------------- */

/* Text on stdout (1) or stderr (2), valid UTF-8. */
void execution_stream(execution *x, int fd, const char *text, size_t len);
void execution_printf(execution *x, const char *format, ...) WB_PRINTF(2, 3);
/* data: a MIME bundle, stolen. display_id: NULL, or the id for (or of, when update) it. */
void execution_display(execution *x, json_t *data, const char *display_id, bool update);
/* A page for the front end's pager; data stolen. */
void execution_page(execution *x, json_t *data);

/* ---- the end -------------------------------------------------------------------------------- */

/* Notes the error this cell ends with; the first one counts. evalue's lines become the traceback
 * under a line that begins with ename. Returns false, so that `return execution_fail(...)` reads
 * well. */
bool execution_fail(execution *x, const char *ename, const char *format, ...) WB_PRINTF(3, 4);

/* One more line below the traceback of the error that was noted. */
void execution_explain(execution *x, const char *format, ...) WB_PRINTF(2, 3);

/* Runs C++ in the session with this execution's sink; false when it failed (noted). `cell` is
 * filled in by the caller but for number and silent. result: NULL, or where to put the result,
 * which the caller frees then. */
bool execution_run(execution *x, wb_cell *cell, wb_result *result);

#endif
