/* run.h: runs a built cell in its worker, and describes the outcome. Private to this room. */
#pragma once

#include "runtime/worker/session/build.h"

/* Returns the worker in the slot (s->worker or s->program), started if needed. NULL with err. */
wb_worker *wb_run_worker(wb_session *s, wb_worker **slot, wb_error *err);
/* Run a built cell or program and fill the result. A cell's unit joins the notebook as far as it
 * ran. A program's worker ends with it. */
void wb_run_cell(wb_session *s, const wb_cell *cell, const wb_sink *sink, const wb_build *b,
                 wb_unit *unit, wb_result *r);
void wb_run_program(wb_session *s, const wb_cell *cell, const wb_sink *sink, const wb_build *b,
                    const wb_unit *unit, wb_result *r);
