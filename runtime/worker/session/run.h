/* run.h: a cell that is built, in its worker, and the outcome in words. Private to this room. */
#ifndef WARPBOOK_SESSION_RUN_H
#define WARPBOOK_SESSION_RUN_H

#include "runtime/worker/session/build.h"

/* The worker in the slot (s->worker or s->program), started where there is none alive; NULL with
 * err. */
wb_worker *wb_run_worker(wb_session *s, wb_worker **slot, wb_error *err);
/* Each fills the result. A cell's unit joins the notebook as far as it ran; a program runs in a
 * worker that ends with it. */
void wb_run_cell(wb_session *s, const wb_cell *cell, const wb_sink *sink, const wb_build *b,
                 wb_unit *unit, wb_result *r);
void wb_run_program(wb_session *s, const wb_cell *cell, const wb_sink *sink, const wb_build *b,
                    wb_result *r);

#endif
