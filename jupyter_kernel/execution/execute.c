/* execute.c: execute_request, from its fields to its reply. */
#include "jupyter_kernel/execution/execute.h"

#include "jupyter_kernel/execution/cell.h"

cells *cells_of(const kernel *k) {
    return k->parts->cells;
}

/* ---- running the parts of a cell ---------------------------------------------------------- */

static const cell_words *words_of(const execution *x) {
    return cells_of(x->kernel)->words;
}

static bool run_code(execution *x, const cell_part *part) {
    WB_SCOPED char *placed = cell_placed(part->text, part->len, part->line);
    if (!placed)
        return execution_fail(x, "MemoryError", _("The kernel is out of memory."));
    /* A NUL in the source stays in it. The compiler reports its line. */
    wb_cell cell = {.code = placed, .len = (size_t)(part->line - 1) + part->len};
    return execution_run(x, &cell, NULL);
}

static bool run_ask(execution *x, const cell_part *part) {
    json_t *found = words_of(x)->about(x->live, part->text, part->len, part->twice);
    if (!found)
        return execution_fail(x, "NameError", _("Nothing is known about '%.*s'."), (int)part->len,
                              part->text);
    execution_page(x, found);
    return true;
}

static bool run_part(execution *x, const cell_part *part) {
    kernel_busy(x->kernel);
    if (kernel_interrupted(x->kernel))
        return execution_fail(x, "Interrupted", _("The cell was interrupted."));
    switch (part->kind) {
    case CELL_CODE:
        return run_code(x, part);
    case CELL_LINE:
        return words_of(x)->magic(x, part->text, part->len, NULL, 0, part->line);
    case CELL_WHOLE:
        return words_of(x)->magic(x, part->text, part->len, part->body, part->body_len, part->line);
    case CELL_ASK:
        return run_ask(x, part);
    case CELL_SHELL:
        break;
    }
    WB_SCOPED char *command = wb_format("%.*s", (int)part->len, part->text);
    return command && words_of(x)->shell(x, command);
}

bool execution_run_cell(execution *x, const char *code, size_t len) {
    SCOPED_PARTS cell_parts parts;
    if (!cell_split(code, len, words_of(x)->is_line, &parts))
        return execution_fail(x, "MemoryError", _("The kernel is out of memory."));
    bool ok = true;
    for (size_t i = 0; i < parts.n && ok; i++) {
        json_decref(x->value); /* only the last part's value is shown */
        x->value = NULL;
        ok = run_part(x, &parts.part[i]);
    }
    return ok;
}

/* ---- user_expressions --------------------------------------------------------------------- */

/* Runs an expression as a silent cell. Returns its value or its error. */
static json_t *evaluate(request *r, const char *expression) {
    execution x;
    execution_open(&x, r, &cells_of(r->kernel)->live);
    x.number = r->kernel->count;
    x.silent = true;
    spill_open(&x.spill, x.number);
    wb_cell cell = {.code = expression, .len = strlen(expression)};
    json_t *answer;
    if (execution_run(&x, &cell, NULL))
        answer = json_pack("{s:s, s:o, s:{}}", "status", "ok", "data",
                           x.value ? json_incref(x.value) : json_object(), "metadata");
    else
        answer = json_pack("{s:s, s:s, s:s, s:O}", "status", "error", "ename", x.ename, "evalue",
                           x.evalue, "traceback", x.traceback);
    execution_close(&x);
    return answer;
}

static json_t *evaluate_all(request *r) {
    json_t *answers = json_object(), *expression;
    const char *name;
    json_object_foreach(json_object_get(r->message->content, "user_expressions"), name,
                        expression) {
        json_t *answer = json_is_string(expression)
                             ? evaluate(r, json_string_value(expression))
                             : error_content("TypeError", "an expression should be a string");
        json_object_set_new(answers, name, answer);
    }
    return answers;
}

/* ---- the reply ---------------------------------------------------------------------------- */

static bool flag(const request *r, const char *name, bool standard) {
    const json_t *value = json_object_get(r->message->content, name);
    return json_is_boolean(value) ? json_is_true(value) : standard;
}

static void publish_result(execution *x) {
    if (!x->value || x->silent)
        return;
    iopub_send(
        x->kernel->iopub, "execute_result", x->parent,
        json_pack("{s:i, s:O, s:{}}", "execution_count", x->number, "data", x->value, "metadata"));
}

static void publish_error(execution *x) {
    if (!x->silent)
        iopub_send(x->kernel->iopub, "error", x->parent,
                   json_pack("{s:s, s:s, s:O}", "ename", x->ename, "evalue", x->evalue, "traceback",
                             x->traceback));
}

static json_t *ok_content(execution *x) {
    return json_pack("{s:s, s:i, s:O, s:o}", "status", "ok", "execution_count", x->number,
                     "payload", x->payload, "user_expressions", evaluate_all(x->request));
}

static json_t *failed_content(execution *x) {
    return json_pack("{s:s, s:i, s:s, s:s, s:O, s:[], s:{}}", "status", "error", "execution_count",
                     x->number, "ename", x->ename, "evalue", x->evalue, "traceback", x->traceback,
                     "payload", "user_expressions");
}

static void remember(kernel *k, const execution *x, const char *code, size_t len) {
    history *h = kernel_history(k);
    if (!h || len == 0)
        return;
    history_add(h, x->number, code, len);
    const char *text = json_string_value(json_object_get(x->value, "text/plain"));
    if (text)
        history_add_output(h, x->number, text);
}

static void run(request *r, const char *code, size_t len) {
    kernel *k = r->kernel;
    execution x;
    char date[40];
    message_now(date);
    json_t *metadata = json_pack("{s:s}", "started", date);
    execution_open(&x, r, &cells_of(r->kernel)->live);
    x.silent = flag(r, "silent", false);
    bool store = !x.silent && flag(r, "store_history", true);
    x.allow_stdin = flag(r, "allow_stdin", true);
    x.number = store ? ++k->count : k->count;
    spill_open(&x.spill, x.number);
    if (!x.silent)
        iopub_input_soon(k->iopub, x.parent,
                         json_pack("{s:s%, s:i}", "code", code, len, "execution_count", x.number));
    bool ok = execution_run_cell(&x, code, len);
    WB_SCOPED char *summary = spill_summary(&x.spill);
    if (summary && !x.silent)
        iopub_stream(k->iopub, x.parent, 1, summary, strlen(summary));
    if (ok)
        publish_result(&x);
    else
        publish_error(&x);
    if (store)
        remember(k, &x, code, len);
    if (!ok && flag(r, "stop_on_error", true))
        kernel_abort_queued(k);
    reply(r, ok ? ok_content(&x) : failed_content(&x), metadata);
    execution_close(&x);
}

/* The protocol has deprecated the status "aborted" since 5.1, and jupyter_kernel_test accepts only
 * ok, error and abort. So the reply says "error". No error goes to IOPub, and the reply has no
 * execution count, because JupyterLab would show it beside a cell that did not run. */
static void abort_execute(request *r) {
    reply(r,
          error_content("ExecutionAborted",
                        _("Not run: a cell that was sent before this one failed.")),
          NULL);
}

static void handle_execute(request *r) {
    const json_t *code = json_object_get(r->message->content, "code");
    if (r->aborted)
        abort_execute(r);
    else if (!json_is_string(code))
        reply_refused(r, "TypeError", "execute_request: code should be a string");
    else
        run(r, json_string_value(code), json_string_length(code));
}

/* ---- code that is being written ----------------------------------------------------------- */

static void handle_is_complete(request *r) {
    const json_t *code = json_object_get(r->message->content, "code");
    if (!json_is_string(code)) {
        reply(r, json_pack("{s:s}", "status", "unknown"), NULL);
        return;
    }
    char indent[64] = "";
    const char *status =
        cell_is_complete(json_string_value(code), json_string_length(code), indent, sizeof indent);
    json_t *content = json_pack("{s:s}", "status", status);
    if (strcmp(status, "incomplete") == 0)
        json_object_set_new(content, "indent", json_string(indent));
    reply(r, content, NULL);
}

const handler execution_handlers[] = {
    {"execute_request", FROM_SHELL, handle_execute},
    {"is_complete_request", FROM_SHELL | FROM_SUBSHELL, handle_is_complete},
    {NULL, 0, NULL},
};
