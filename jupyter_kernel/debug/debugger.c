/* debugger.c: the requests of the debugger, and what becomes of an engine's messages. */
#include "jupyter_kernel/debug/debugger.h"

#include <time.h>

#include "jupyter_kernel/debug/engine.h"
#include "jupyter_kernel/debug/sources.h"
#include "runtime/base/words.h"
#include "runtime/json/fields.h"
#include "runtime/json/json.h"

/* Time for the engine to take the focus before the cell runs. */
static const int focus_patience_s = 5;

/* A client's request that the engine has not answered. */
struct asked {
    json_int_t seq; /* of the engine's */
    request request;
};

struct debugger {
    cells *cells;
    pthread_mutex_t lock; /* the control thread holds it while it works here */
    bool on;
    kernel *kernel;
    char *folder, *socket; /* the socket's folder, and its path; NULL: not listening yet */
    engine *engine;
    json_t *sources;     /* {path: text of a cell} */
    json_t *breakpoints; /* {path: as in setBreakpoints} */
    json_int_t stopped;  /* the thread that has stopped; 0: none */
    json_t *focus;       /* of %%debug, or NULL */
    json_int_t focusing; /* number of its request, which waits for an answer; 0: none */
    pthread_cond_t focused;
    struct asked *asked;
    size_t n_asked;
    char *cell; /* the header of the cell that ran last; NULL: a silent one */
};

static debugger *debugger_of(const request *r) {
    return cells_of(r->kernel)->debugger;
}

static json_t *argument(const request *r, const char *name) {
    return json_object_get(json_object_get(r->message->content, "arguments"), name);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* why: NULL, or why it failed. Steals `body`, which may be NULL. */
static void respond(request *r, const char *why, json_t *body) {
    const json_t *asked = r->message->content;
    json_int_t seq = wb_field_int(asked, "seq");
    reply(r,
          wb_json_pack("{s:s, s:I, s:I, s:b, s:s, s:s*, s:o}", "type", "response", "seq", seq,
                       "request_seq", seq, "success", why == NULL, "command",
                       wb_field_text(asked, "command"), "message", why, "body",
                       body ? body : json_object()),
          NULL);
}

static void publish(debugger *d, const char *event, json_t *body) {
    iopub_send(
        d->kernel->iopub, "debug_event", (wire_span){0},
        json_pack("{s:s, s:i, s:s, s:o}", "type", "event", "seq", 0, "event", event, "body", body));
}

/* Tells the clients that the kernel runs again. After a request, engines need not do it. */
static void run_on(debugger *d) {
    if (d->stopped)
        publish(d, "continued",
                json_pack("{s:I, s:b}", "threadId", d->stopped, "allThreadsContinued", 1));
    d->stopped = 0;
}

/* ---- the engine ------------------------------------------------------------------------------ */

/* Asks the engine, and answers later. Steals `arguments`. */
static void ask(request *r, const char *command, json_t *arguments) {
    debugger *d = debugger_of(r);
    struct asked *entry = WB_PUSH(d->asked, d->n_asked);
    json_int_t seq = engine_ask(d->engine, command, arguments);
    r->kept = entry && seq;
    if (r->kept) {
        *entry = (struct asked){seq, *r};
        return;
    }
    d->n_asked -= entry != NULL;
    respond(r, _("No kernel is being debugged: run a cell that launches one."), NULL);
}

static void pass_on(request *r) {
    const json_t *asked = r->message->content;
    ask(r, wb_field_text(asked, "command"), json_deep_copy(json_object_get(asked, "arguments")));
}

/* JupyterLab can't show a frame without a source. */
static void complete_frames(json_t *frames) {
    json_t *frame;
    size_t i;
    json_array_foreach(frames, i, frame) {
        json_t *name = json_object_get(frame, "name");
        if (!json_object_get(frame, "source"))
            json_object_set_new(frame, "source", json_pack("{s:O*}", "name", name));
    }
}

/* Answers the client's request asked[i]. answer: NULL if the engine has gone. */
static void pass_back(debugger *d, size_t i, const json_t *answer) {
    request r = d->asked[i].request;
    const char *command = wb_field_text(r.message->content, "command");
    const char *why =
        answer ? wb_field_text(answer, "message") : _("The process that runs the cells has ended.");
    json_t *body = json_deep_copy(json_object_get(answer, "body"));
    bool ok = json_is_true(json_object_get(answer, "success"));
    d->asked[i] = d->asked[--d->n_asked];
    complete_frames(json_object_get(body, "stackFrames"));
    if (strcmp(command, "richInspectVariables") == 0)
        json_object_update_new(body, json_pack("{s:{s:s}, s:{}}", "data", "text/plain",
                                               wb_field_text(body, "result"), "metadata"));
    respond(&r, ok ? NULL : why, body);
    if (ok && wb_word_among(command, strlen(command), "continue next stepIn stepOut"))
        run_on(d);
    channel_message_free(r.whole);
}

static void end_focusing(debugger *d) {
    d->focusing = 0;
    pthread_cond_signal(&d->focused);
}

/* An engine's end is not the session's: the next worker brings another engine. */
static void engine_has_gone(debugger *d) {
    while (d->n_asked > 0)
        pass_back(d, 0, NULL);
    end_focusing(d);
    run_on(d);
}

/* Sends a cell's breakpoints to the engine. Returns the answer for each: verified, or why not. */
static json_t *set(debugger *d, const char *path, const json_t *list) {
    wb_session *session = live_peek(&d->cells->live);
    wb_device device;
    bool gpu = session && wb_session_device(session, &device) && device.kind != WB_DEVICE_SOFT;
    const char *code = json_string_value(json_object_get(d->sources, path));
    json_t *answers = json_array(), *good = json_array(), *one;
    size_t i;
    json_array_foreach(list, i, one) {
        int line = (int)wb_field_int(one, "line");
        const char *why = NULL;
        if (gpu)
            why = _("cuda-gdb is needed; softgpu can step through this: %device soft");
        else if (code && !sources_is_device(code, line))
            why = _("This line runs on the host. The debugger stops in kernels and in the "
                    "functions that they call.");
        else
            json_array_append(good, one);
        json_array_append_new(answers,
                              wb_json_pack("{s:b, s:i, s:{s:s}, s:s*}", "verified", !why, "line",
                                           line, "source", "path", path, "message", why));
    }
    engine_ask(d->engine, "setBreakpoints",
               json_pack("{s:{s:s}, s:o}", "source", "path", path, "breakpoints", good));
    return answers;
}

static void configure(debugger *d) {
    const char *path;
    json_t *list;
    json_object_foreach(d->breakpoints, path, list) {
        json_decref(set(d, path, list));
    }
    if (d->focus)
        engine_ask(d->engine, "warpbookFocus", json_incref(d->focus));
    engine_ask(d->engine, "configurationDone", NULL);
}

static void take_event(debugger *d, const char *name, json_t *body) {
    if (strcmp(name, "initialized") == 0)
        configure(d);
    else if (strcmp(name, "continued") == 0)
        run_on(d);
    else if (!wb_word_among(name, strlen(name), "terminated exited"))
        publish(d, name, body ? json_incref(body) : json_object());
    if (strcmp(name, "stopped") == 0)
        d->stopped = wb_field_int(body, "threadId");
    char *text = wb_format("%s\n", wb_field_text(body, "text"));
    if (text && d->cell && *text != '\n') /* a fault's reason, which JupyterLab shows nowhere */
        iopub_stream(d->kernel->iopub, (wire_span){d->cell, strlen(d->cell)}, 1, text,
                     strlen(text));
    free(text);
}

static void take_message(debugger *d, const json_t *message) {
    json_t *body = json_object_get(message, "body");
    json_int_t seq = wb_field_int(message, "request_seq");
    if (strcmp(wb_field_text(message, "type"), "event") == 0)
        take_event(d, wb_field_text(message, "event"), body);
    else if (strcmp(wb_field_text(message, "command"), "initialize") == 0)
        engine_ask(d->engine, "attach", NULL);
    else if (seq == d->focusing)
        end_focusing(d);
    for (size_t i = 0; i < d->n_asked; i++)
        if (d->asked[i].seq == seq)
            pass_back(d, i, message);
}

static void take_news(debugger *d, engine_news news, const json_t *message) {
    if (news == ENGINE_SAID)
        take_message(d, message);
    else if (news == ENGINE_WENT)
        engine_has_gone(d);
    else
        engine_ask(d->engine, "initialize",
                   json_pack("{s:s, s:s, s:s, s:b, s:b}", "clientID", "warpbook", "adapterID",
                             "warpbook", "pathFormat", "path", "linesStartAt1", 1,
                             "columnsStartAt1", 1));
}

/* ---- beginning and ending -------------------------------------------------------------------- */

static bool listens(debugger *d, wb_error *err) {
    if (!d->folder && (d->folder = wb_dir_temp("debug", err)))
        d->socket = wb_format("%s/engine", d->folder);
    if (d->socket && !d->engine)
        d->engine = engine_open(d->socket, err);
    return d->engine != NULL;
}

/* A fault always stops its kernel, so there are no exceptions to choose from. */
static void initialize(request *r) {
    debugger *d = debugger_of(r);
    wb_error err = {.text = "out of memory"};
    if (!listens(d, &err)) {
        respond(r, err.text, NULL);
        return;
    }
    d->on = true;
    respond(r, NULL,
            json_pack("{s:b, s:b, s:b, s:b, s:[]}", "supportsConfigurationDoneRequest", 1,
                      "supportsConditionalBreakpoints", 1, "supportsHitConditionalBreakpoints", 1,
                      "supportsEvaluateForHovers", 1, "exceptionBreakpointFilters"));
}

/* JupyterLab opens its panel at this event. */
static void attach(request *r) {
    publish(debugger_of(r), "initialized", json_object());
    respond(r, NULL, NULL);
}

/* Lets the process run on without a debugger. */
static void leave(debugger *d) {
    if (!d->engine)
        return;
    engine_ask(d->engine, "disconnect", json_pack("{s:b}", "terminateDebuggee", 0));
    engine_leave(d->engine);
    engine_has_gone(d);
}

static void disconnect(request *r) {
    debugger *d = debugger_of(r);
    d->on = false;
    json_object_clear(d->breakpoints);
    leave(d);
    respond(r, NULL, NULL);
}

static void accept_it(request *r) {
    respond(r, NULL, NULL);
}

static void debug_info(request *r) {
    debugger *d = debugger_of(r);
    json_t *all = json_array(), *threads = json_array(), *list;
    const char *path;
    json_object_foreach(d->breakpoints, path, list)
        json_array_append_new(all, json_pack("{s:s, s:O}", "source", path, "breakpoints", list));
    if (d->stopped)
        json_array_append_new(threads, json_integer(d->stopped));
    respond(r, NULL,
            json_pack("{s:b, s:s, s:I, s:s, s:s, s:o, s:o, s:b, s:[], s:b}", "isStarted", d->on,
                      "hashMethod", "Murmur2", "hashSeed", (json_int_t)SOURCES_SEED,
                      "tmpFilePrefix", sources_prefix(), "tmpFileSuffix", SOURCES_SUFFIX,
                      "breakpoints", all, "stoppedThreads", threads, "richRendering", 1,
                      "exceptionPaths", "copyToGlobals", 0));
}

/* ---- sources and breakpoints ----------------------------------------------------------------- */

static void dump_cell(request *r) {
    json_t *code = argument(r, "code");
    if (!json_is_string(code)) {
        respond(r, _("The request lacks arguments that it needs."), NULL);
        return;
    }
    char *path = sources_path(json_string_value(code), json_string_length(code));
    json_object_set(debugger_of(r)->sources, path, code);
    respond(r, NULL, json_pack("{s:s}", "sourcePath", path));
    free(path);
}

/* Shows a cell, or a header of the user's. */
static void source(request *r) {
    const char *path = wb_field_text(argument(r, "source"), "path");
    json_t *code = json_incref(json_object_get(debugger_of(r)->sources, path));
    wb_buf file = {0};
    if (!code && *path == '/' && wb_file_read(path, 1 << 20, &file, NULL))
        code = wb_json_text(file.data, file.len);
    if (code)
        respond(r, NULL, json_pack("{s:o, s:s}", "content", code, "mimeType", "text/x-c++src"));
    else
        pass_on(r);
    wb_buf_free(&file);
}

/* The notebook shows all sources itself. */
static void modules(request *r) {
    respond(r, NULL, json_pack("{s:[], s:i}", "modules", "totalModules", 0));
}

static void set_breakpoints(request *r) {
    debugger *d = debugger_of(r);
    const char *path = wb_field_text(argument(r, "source"), "path");
    json_t *list = argument(r, "breakpoints");
    if (!*path || !json_is_array(list)) {
        respond(r, _("The request lacks arguments that it needs."), NULL);
        return;
    }
    json_object_set(d->breakpoints, path, list);
    respond(r, NULL, json_pack("{s:o}", "breakpoints", set(d, path, list)));
    if (json_array_size(list) == 0)
        json_object_del(d->breakpoints, path);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Lists the notebook's variables. Their values are in another process, where a cell may run. */
static void inspect_variables(request *r) {
    wb_session *session = live_peek(&debugger_of(r)->cells->live);
    json_t *names = session ? wb_session_names(session) : NULL, *list = json_array(), *one;
    size_t i;
    json_array_foreach(names, i, one) {
        if (strcmp(wb_field_text(one, "kind"), "variable") == 0)
            json_array_append_new(list, wb_json_pack("{s:s, s:s, s:s, s:i}", "name",
                                                     wb_field_text(one, "name"), "type",
                                                     wb_field_text(one, "type"), "value", "",
                                                     "variablesReference", 0));
    }
    json_decref(names);
    respond(r, NULL, json_pack("{s:o}", "variables", list));
}

static void rich_inspect(request *r) {
    json_t *name = argument(r, "variableName"), *frame = argument(r, "frameId");
    if (debugger_of(r)->stopped && json_is_string(name))
        ask(r, "evaluate",
            json_pack("{s:O, s:s, s:O*}", "expression", name, "context", "hover", "frameId",
                      frame));
    else
        respond(r, NULL, json_pack("{s:{}, s:{}}", "data", "metadata"));
}

static void copy_to_globals(request *r) {
    respond(r,
            _("A kernel's variables exist only while it runs. They can't become the "
              "notebook's."),
            NULL);
}

/* ---- the request ----------------------------------------------------------------------------- */

static const struct {
    const char *command;
    bool anytime; /* also while the debugger is off */
    void (*run)(request *r);
} commands[] = {
    {"debugInfo", true, debug_info},
    {"initialize", true, initialize},
    {"disconnect", true, disconnect},
    {"inspectVariables", true, inspect_variables},
    {"richInspectVariables", true, rich_inspect},
    {"modules", true, modules},
    {"copyToGlobals", true, copy_to_globals},
    {"attach", false, attach},
    {"configurationDone", false, accept_it},
    {"setExceptionBreakpoints", false, accept_it},
    {"dumpCell", false, dump_cell},
    {"source", false, source},
    {"setBreakpoints", false, set_breakpoints},
    {NULL, false, pass_on},
};

static void handle_debug(request *r) {
    debugger *d = debugger_of(r);
    const char *command = wb_field_text(r->message->content, "command");
    size_t i = 0;
    while (commands[i].command && strcmp(commands[i].command, command) != 0)
        i++;
    pthread_mutex_lock(&d->lock);
    d->kernel = r->kernel;
    if (d->on || commands[i].anytime)
        commands[i].run(r);
    else
        respond(r, _("The debugger is off: initialize comes first."), NULL);
    pthread_mutex_unlock(&d->lock);
}

const handler debug_handlers[] = {{"debug_request", FROM_CONTROL, handle_debug}, {NULL, 0, NULL}};

/* ---- the kernel's side ----------------------------------------------------------------------- */

void debugger_open(cells *c) {
    debugger *d = c->debugger = calloc(1, sizeof *d);
    if (!d)
        abort();
    *d = (debugger){.cells = c, .sources = json_object(), .breakpoints = json_object()};
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->focused, NULL);
}

void debugger_close(cells *c) {
    debugger *d = c->debugger;
    leave(d);
    engine_close(d->engine);
    if (d->folder)
        wb_dir_remove(d->folder, NULL);
    WB_JSON_FREE(d->sources, d->breakpoints, d->focus);
    pthread_cond_destroy(&d->focused);
    pthread_mutex_destroy(&d->lock);
    WB_FREE(d->asked, d->cell, d->folder, d->socket, d);
}

void debugger_fds(void *ctx, int fds[2]) {
    engine_fds(((cells *)ctx)->debugger->engine, fds);
}

void debugger_serve(void *ctx) {
    debugger *d = ((cells *)ctx)->debugger;
    json_t *message;
    engine_news news;
    pthread_mutex_lock(&d->lock);
    while ((news = engine_hear(d->engine, &message)) != ENGINE_QUIET) {
        take_news(d, news, message);
        json_decref(message);
    }
    pthread_mutex_unlock(&d->lock);
}

char *debugger_join(execution *x, wb_session *session) {
    debugger *d = cells_of(x->kernel)->debugger;
    const json_t *code = json_object_get(x->request->message->content, "code");
    pthread_mutex_lock(&d->lock);
    wb_session_debug(session, d->on ? d->socket : NULL);
    free(d->cell);
    d->cell = x->silent ? NULL : strndup(x->parent.data, x->parent.len);
    pthread_mutex_unlock(&d->lock);
    return sources_path(json_string_value(code), json_string_length(code));
}

bool debugger_focus(cells *c, json_t *focus) {
    debugger *d = c->debugger;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += focus_patience_s;
    pthread_mutex_lock(&d->lock);
    json_decref(d->focus);
    d->focus = focus;
    d->focusing = d->engine ? engine_ask(d->engine, "warpbookFocus", json_incref(focus)) : 0;
    while (d->focusing && pthread_cond_timedwait(&d->focused, &d->lock, &until) == 0)
        ;
    bool on = d->on;
    pthread_mutex_unlock(&d->lock);
    return on;
}
