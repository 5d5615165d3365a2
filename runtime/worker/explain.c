/* explain.c: see explain.h. */
#include "runtime/worker/explain.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/json/json.h"
#include "runtime/worker/traceback.h"

static void add_once(wb_result *r, const char *sentence) {
    for (size_t i = 0; i < json_array_size(r->traceback); i++)
        if (strcmp(json_string_value(json_array_get(r->traceback, i)), sentence) == 0)
            return;
    json_array_append_new(r->traceback, wb_json_text(sentence, strlen(sentence)));
}

/* At most this many: what goes wrong first is what the rest comes from. */
enum { MAX_HINTS = 4 };

void wb_explain_errors(const wb_cellgen *gen, const wb_lost *lost, const wb_unit *unit, int cell,
                       const wb_compile_result *compiled, wb_result *r) {
    wb_traceback_compile(r, compiled, cell);
    if (unit->program && strstr(r->evalue, "is undefined"))
        add_once(r,
                 "A cell with main is a program of its own: it uses no other cell, and needs its "
                 "own #include lines.");
    if (compiled->n_diagnostics == 0 && compiled->log &&
        strstr(compiled->log, "Segmentation fault"))
        add_once(r,
                 "The compiler itself crashed on this cell, which is a fault of nvcc's: run it in "
                 "parts to find the line, and write that another way.");
    size_t before = json_array_size(r->traceback);
    for (size_t i = 0; i < compiled->n_diagnostics; i++) {
        const wb_diagnostic *d = &compiled->diagnostics[i];
        bool more = json_array_size(r->traceback) < before + MAX_HINTS;
        bool asked = more && d->severity == WB_DIAG_ERROR;
        char *hint = asked && !unit->program ? wb_lost_hint(lost, d->text) : NULL;
        if (asked && !hint)
            hint = wb_cellgen_hint(gen, unit, d->text, d->excerpt);
        if (hint)
            add_once(r, hint);
        free(hint);
    }
}
