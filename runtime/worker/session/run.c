/* run.c: loads and runs built libraries, and describes the outcome. */
#include "runtime/worker/session/run.h"
#include "runtime/softgpu/engine.h"
#include "runtime/worker/client/memory.h"
#include "runtime/worker/session/looked.h"
#include "runtime/worker/session/twin.h"
#include "runtime/worker/shared/elf.h"
#include "runtime/worker/words/tidy.h"
#include "runtime/worker/words/traceback.h"

#include <wordexp.h>

wb_worker *wb_run_worker(wb_session *s, wb_worker **slot, wb_error *err) {
    if (*slot && wb_worker_alive(*slot))
        return *slot;
    wb_worker_options options = {.device = &s->device, .cwd = s->cwd};
    wb_worker *fresh =
        wb_memory_limit(&options.limit_memory, err) ? wb_worker_start(&options, err) : NULL;
    if (fresh)
        wb_worker_stop(wb_state_exchange(s, slot, fresh));
    return fresh;
}

static unsigned softgpu_options(const wb_cell *cell, const char *debug) {
    return (debug ? SG_INITCHECK : 0u) | (cell->counters ? SG_COUNT | SG_TRACE | SG_SHARES : 0u) |
           (cell->predict ? SG_TRACE | SG_SHARES | SG_SAMPLE : 0u) |
           (cell->racecheck ? SG_RACECHECK : 0u) | (cell->initcheck ? SG_INITCHECK : 0u) |
           (cell->lines ? SG_COUNT | SG_LINES : 0u) | (cell->record ? SG_RECORD : 0u) |
           (cell->record_clocks ? SG_TRACE : 0u);
}

/* Prints the place of a fault that the program checked. */
static void show_fault(const wb_sink *sink, const json_t *fault) {
    char *text = wb_format("%s: %s\n", json_string_value(json_object_get(fault, "error")),
                           json_string_value(json_object_get(fault, "text")));
    if (text && sink->stream)
        sink->stream(sink->ctx, 2, text, strlen(text));
    free(text);
}

static void take_outcome(const wb_session *s, const wb_cell *cell, const wb_sink *sink,
                         wb_outcome *o, bool program, bool had_state, wb_result *r) {
    if (!cell->shown) /* otherwise the checking code is not the user's */
        wb_looked(s, o);
    wb_tidy_outcome(o, s->names_of_cells, s->listing);
    if (o->fault_seen)
        show_fault(sink, json_object_get(o->report, "fault"));
    r->state_lost = !program && !o->alive && had_state;
    wb_traceback_outcome(r, o, s->listing, cell->number, program, r->state_lost);
    r->run_s = o->run_s;
    wb_listing_quote(s->listing, o->report);
    r->report = json_incref(o->report);
    if (r->status == WB_OK)
        r->value = json_incref(o->value);
}

void wb_run_program(wb_session *s, const wb_cell *cell, const wb_sink *sink, const wb_build *b,
                    const wb_unit *unit, wb_result *r) {
    wb_error err = {0};
    wordexp_t words = {0};
    if (cell->program_args && wordexp(cell->program_args, &words, WRDE_NOCMD) != 0) {
        wb_traceback_plain(r, "UsageError",
                           "the arguments of the program can't be split into words");
        return;
    }
    const char **argv = calloc(words.we_wordc + 2, sizeof *argv);
    wb_worker *worker = argv ? wb_run_worker(s, &s->program, &err) : NULL;
    if (worker) {
        argv[0] = "program";
        for (size_t i = 0; i < words.we_wordc; i++)
            argv[1 + i] = words.we_wordv[i];
        wb_outcome o;
        char *debug = wb_twin_debug(s, unit);
        wb_worker_run(worker,
                      &(wb_job){.library = b->instance,
                                .cell = cell->number,
                                .names = s->names_of_cells,
                                .options = softgpu_options(cell, debug),
                                .record = cell->record,
                                .debug = debug,
                                .program = true,
                                .argv = argv,
                                .stop = &s->stop},
                      sink, &o);
        free(debug);
        take_outcome(s, cell, sink, &o, true, false, r);
        wb_outcome_free(&o);
    } else {
        wb_traceback_plain(r, "MachineError", err.text);
    }
    wb_worker_stop(wb_state_exchange(s, &s->program, NULL));
    free(argv);
    wordfree(&words);
}

/* Returns the symbols that the cell's library shares with earlier cells. */
static json_t *shared_statics(wb_session *s, const wb_build *b, wb_unit *unit) {
    wb_buf symbols = {0};
    json_t *statics = NULL;
    if (wb_elf_variables(b->instance, &symbols, NULL) &&
        wb_elf_addresses(b->instance, &symbols, NULL) && symbols.data)
        statics = wb_cellgen_statics(s->gen, unit, b->library, symbols.data);
    wb_buf_free(&symbols);
    return statics;
}

/* Returns the symbols that later cells may redefine, and those that this cell redefines. */
static json_t *rebound(wb_session *s, const wb_build *b, wb_unit *unit) {
    wb_buf defined = {0}, used = {0};
    json_t *binds = NULL;
    if (wb_elf_symbols(b->instance, &defined, &used, NULL) && defined.data)
        binds = wb_cellgen_binds(s->gen, unit, b->library, defined.data, used.data);
    WB_BUF_FREE(&defined, &used);
    return binds;
}

void wb_run_cell(wb_session *s, const wb_cell *cell, const wb_sink *sink, const wb_build *b,
                 wb_unit *unit, wb_result *r) {
    wb_error err = {0};
    wb_worker *worker = wb_run_worker(s, &s->worker, &err);
    if (!worker) {
        wb_traceback_plain(r, "MachineError", err.text);
        return;
    }
    wb_outcome o;
    bool had_state = s->has_state;
    json_t *statics = shared_statics(s, b, unit), *binds = rebound(s, b, unit);
    char *wish = wb_twin_wish(s, cell, unit), *debug = wb_twin_debug(s, unit);
    wb_worker_run(worker,
                  &(wb_job){.library = b->instance,
                            .cell = cell->number,
                            .statics = statics,
                            .binds = binds,
                            .names = s->names_of_cells,
                            .options = softgpu_options(cell, debug),
                            .record = wish,
                            .debug = debug,
                            .stop = &s->stop},
                  sink, &o);
    WB_FREE(wish, debug);
    json_decref(statics);
    json_decref(binds);
    char *missing = NULL;
    if (o.kind != WB_UNLOADABLE)
        missing = wb_cellgen_accept(s->gen, unit, b->library, b->compiled.inputs, o.finished);
    if (o.kind != WB_UNLOADABLE && o.alive) {
        wb_state_remember(s, b->source);
        s->has_state = true;
        wb_state_publish(s);
    }
    take_outcome(s, cell, sink, &o, false, had_state, r);
    wb_traceback_missing(r, o.alive ? missing : NULL);
    free(missing);
    if (!o.alive)
        wb_state_lose(s, cell->number, &o);
    wb_outcome_free(&o);
}
