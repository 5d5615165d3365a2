/* execution.h: one execute request: where its outputs go, and its reply. */
#pragma once

#include "jupyter_kernel/execution/live.h"
#include "jupyter_kernel/execution/spill.h"
#include "jupyter_kernel/server/kernel.h"
#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/json/json.h"
#include "runtime/worker/session.h"

/* A wb_result that is freed where its block ends. */
#define SCOPED_RESULT __attribute__((cleanup(wb_result_free)))

typedef struct execution {
    kernel *kernel;
    request *request;
    live *live;       /* the session it runs in */
    wire_span parent; /* the request's header */
    int number;       /* the execution count its messages carry */
    bool silent;      /* nothing goes to IOPub */
    bool allow_stdin;
    wb_sink sink; /* hands outputs to the functions below; ctx is the execution */
    spill spill;  /* counts the printed bytes, keeps those above the cap */

    json_t *payload;      /* array */
    json_t *value;        /* MIME bundle of the last expression, or NULL */
    char *ename, *evalue; /* NULL: no error */
    json_t *traceback;
} execution;

void execution_open(execution *x, request *r, live *l);
void execution_close(execution *x);

/* ---- outputs: live, in order ---------------------------------------------------------------- */

/* Writes to stdout (1) or stderr (2). The text is valid UTF-8. */
void execution_stream(execution *x, int fd, const char *text, size_t len);
void execution_printf(execution *x, const char *format, ...) WB_PRINTF(2, 3);
/* Shows `data`, a MIME bundle (stolen). display_id may be NULL. update: changes that display. */
void execution_display(execution *x, json_t *data, const char *display_id, bool update);
/* Shows a page in the front end's pager. `data` is stolen. */
void execution_page(execution *x, json_t *data);

/* ---- the end -------------------------------------------------------------------------------- */

/* Notes the error that this cell ends with. Only the first one counts. The lines of the message
 * form the traceback, and ename begins the first. Always returns false, for `return
 * execution_fail(...)`. */
bool execution_fail(execution *x, const char *ename, const char *format, ...) WB_PRINTF(3, 4);

/* Returns true if cells run on softgpu. Notes the error if there is no session. */
bool execution_on_softgpu(execution *x);

/* Adds a line below the traceback of the noted error. */
void execution_explain(execution *x, const char *format, ...) WB_PRINTF(2, 3);

/* Runs C++ in the session with this execution's sink. The caller fills in `cell`; this function
 * sets its number, silent, interrupted and origin. If `result` is not NULL, it receives the result,
 * which the caller frees. Returns false, noted, if the cell failed. */
bool execution_run(execution *x, wb_cell *cell, wb_result *result);
