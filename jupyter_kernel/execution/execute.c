/* execute.c: execute_request, from its fields to its reply. */
#include "jupyter_kernel/execution/execution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jupyter_kernel/execution/cell.h"
#include "jupyter_kernel/help/inspect.h"
#include "jupyter_kernel/magics/magics.h"

/* ---- running the parts of a cell ---------------------------------------------------------- */

static bool run_code(execution *x, const cell_part *part) {
    char *placed = cell_placed(part->text, part->len, part->line);
    if (!placed)
        return execution_fail(x, "MemoryError", "The kernel is out of memory.");
    wb_cell cell = {.code = placed, .len = strlen(placed)};
    /* A NUL in the source stays in it: the compiler says where. */
    cell.len = (size_t)(part->line - 1) + part->len;
    bool ok = execution_run(x, &cell, NULL);
    free(placed);
    return ok;
}

static bool run_ask(execution *x, const cell_part *part) {
    json_t *found = inspect_name(x->kernel, part->text, part->len, 0);
    if (!found)
        return execution_fail(x, "NameError", "Nothing is known about '%.*s'.", (int)part->len,
                              part->text);
    execution_page(x, found);
    return true;
}

static bool run_part(execution *x, const cell_part *part) {
    kernel_busy(x->kernel);
    if (kernel_interrupted(x->kernel))
        return execution_fail(x, "Interrupted", "The cell was interrupted.");
    switch (part->kind) {
    case CELL_CODE:
        return run_code(x, part);
    case CELL_LINE:
        return magics_run(x, part->text, part->len, NULL, 0, part->line);
    case CELL_WHOLE:
        return magics_run(x, part->text, part->len, part->body, part->body_len, part->line);
    case CELL_ASK:
        return run_ask(x, part);
    case CELL_SHELL:
        break;
    }
    char *command = wb_format("%.*s", (int)part->len, part->text);
    bool ok = command && magics_shell(x, command);
    free(command);
    return ok;
}

bool execution_run_cell(execution *x, const char *code, size_t len) {
    cell_parts parts;
    if (!cell_split(code, len, magics_is_line, &parts))
        return execution_fail(x, "MemoryError", "The kernel is out of memory.");
    bool ok = true;
    for (size_t i = 0; i < parts.n && ok; i++) {
        json_decref(x->value); /* only the last part's value is shown */
        x->value = NULL;
        ok = run_part(x, &parts.part[i]);
    }
    cell_parts_free(&parts);
    return ok;
}

/* ---- user_expressions --------------------------------------------------------------------- */

/* Each is run like a cell nobody sees; its value, or its error, is the answer. */
static json_t *evaluate(request *r, const char *expression) {
    execution x;
    execution_open(&x, r);
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
    json_t *answers = json_object(), *expressions, *expression;
    const char *name;
    expressions = json_object_get(r->message.content, "user_expressions");
    json_object_foreach(expressions, name, expression) {
        json_t *answer = json_is_string(expression)
                             ? evaluate(r, json_string_value(expression))
                             : error_content("TypeError", "an expression should be a string");
        json_object_set_new(answers, name, answer);
    }
    return answers;
}

/* ---- the reply ---------------------------------------------------------------------------- */

static bool flag(const request *r, const char *name, bool standard) {
    const json_t *value = json_object_get(r->message.content, name);
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

static json_t *started_now(void) {
    struct timespec now;
    struct tm utc;
    char date[40];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t n = strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(date + n, sizeof date - n, ".%06ldZ", now.tv_nsec / 1000);
    return json_pack("{s:s}", "started", date);
}

static void remember(kernel *k, const execution *x, const char *code, size_t len) {
    if (!k->history)
        k->history = history_open();
    if (!k->history || len == 0)
        return;
    history_add(k->history, x->number, code, len);
    const char *text = json_string_value(json_object_get(x->value, "text/plain"));
    if (text)
        history_add_output(k->history, x->number, text);
}

static void run(request *r, const char *code, size_t len) {
    kernel *k = r->kernel;
    execution x;
    json_t *metadata = started_now();
    execution_open(&x, r);
    x.silent = flag(r, "silent", false);
    bool store = !x.silent && flag(r, "store_history", true);
    x.allow_stdin = flag(r, "allow_stdin", true);
    x.number = store ? ++k->count : k->count;
    spill_open(&x.spill, x.number);
    if (!x.silent)
        iopub_input_soon(k->iopub, x.parent,
                         json_pack("{s:s%, s:i}", "code", code, len, "execution_count", x.number));
    bool ok = execution_run_cell(&x, code, len);
    char *summary = spill_summary(&x.spill);
    if (summary && !x.silent)
        iopub_stream(k->iopub, x.parent, 1, summary, strlen(summary));
    free(summary);
    if (ok)
        publish_result(&x);
    else
        publish_error(&x);
    if (store)
        remember(k, &x, code, len);
    size_t aborted = !ok && flag(r, "stop_on_error", true) ? kernel_queued(k) : 0;
    reply(r, ok ? ok_content(&x) : failed_content(&x), metadata);
    execution_close(&x);
    kernel_abort_queued(k, aborted);
}

void handle_execute(request *r) {
    const json_t *code = json_object_get(r->message.content, "code");
    if (!json_is_string(code)) {
        json_t *content = error_content("TypeError", "execute_request: code should be a string");
        json_object_set_new(content, "execution_count", json_integer(r->kernel->count));
        reply(r, content, NULL);
        return;
    }
    run(r, json_string_value(code), json_string_length(code));
}

/* The protocol's status "aborted" is deprecated since 5.1 in favour of "error", and
 * jupyter_kernel_test's validator knows only ok, error and abort: "error" is what all accept. No
 * error goes to IOPub, and no number comes with it: JupyterLab would write it beside a cell that
 * was not run. */
void abort_execute(request *r) {
    reply(
        r,
        error_content("ExecutionAborted", "Not run: a cell that was sent before this one failed."),
        NULL);
}
