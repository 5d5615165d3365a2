/* session.c: runs cells: generates, compiles, loads and runs each, and describes the outcome. */
#include "runtime/worker/session.h"
#include "runtime/cells/hint/hint.h"
#include "runtime/cells/split/split.h"
#include "runtime/compile/disassemble.h"
#include "runtime/json/json.h"
#include "runtime/model/choose.h"
#include "runtime/worker/client/memory.h"
#include "runtime/compile/compile.h"
#include "runtime/worker/session/flags.h"
#include "runtime/worker/session/run.h"
#include "runtime/worker/words/explain.h"
#include "runtime/worker/words/traceback.h"

#include <limits.h>

/* ---- opening and closing ---- */

static void replace(char **to, const char *text) {
    free(*to);
    *to = text ? strdup(text) : NULL;
}

/* Stores the notebook's folder as a full path, because nvcc runs elsewhere. */
static void set_folder(wb_session *s, const char *folder) {
    char real[PATH_MAX];
    replace(&s->cwd, realpath(folder, real) ? real : folder);
}

wb_session *wb_session_open(const wb_session_options *options, wb_error *err) {
    wb_session *s = calloc(1, sizeof *s);
    if (!s) {
        wb_fail(err, 1, _("out of memory"));
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    s->wanted_device = strdup(options->device ? options->device : "auto");
    if (options->cwd)
        set_folder(s, options->cwd);
    s->flags = wb_flags_copy(options->nvcc_flags, s->cwd);
    s->gen = wb_cellgen_new();
    s->listing = wb_listing_new();
    s->names_of_cells = wb_names_new();
    s->paths = json_object();
    s->lost = wb_lost_new();
    s->folder = wb_dir_temp("session", err);
    if (s->wanted_device && s->flags && s->gen && s->listing && s->names_of_cells && s->lost &&
        s->folder)
        return s;
    if (s->folder)
        wb_fail(err, 1, _("out of memory"));
    wb_session_close(s);
    return NULL;
}

void wb_session_close(wb_session *s) {
    if (!s)
        return;
    wb_worker_stop(s->worker);
    wb_cellgen_free(s->gen);
    wb_listing_free(s->listing);
    wb_names_free(s->names_of_cells);
    wb_lost_free(s->lost);
    wb_strings_free(&s->sources);
    if (s->folder)
        wb_dir_remove(s->folder, NULL);
    wb_flags_free(s->flags);
    WB_JSON_FREE(s->names, s->outline, s->paths);
    WB_FREE(s->wanted_device, s->cwd, s->folder, s->debug);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static bool choose_device(wb_session *s, const char *name, wb_error *err) {
    wb_device device;
    if (!model_choose_device(name, &device, err))
        return false;
    WB_LOCKED(&s->lock);
    s->device = device;
    s->device_known = true;
    return true;
}

bool wb_session_reset(wb_session *s, const wb_session_options *options, wb_error *err) {
    if (options && options->device && strcmp(options->device, s->wanted_device) != 0) {
        if (!choose_device(s, options->device, err))
            return false;
        replace(&s->wanted_device, options->device);
    }
    if (options && options->cwd)
        set_folder(s, options->cwd);
    if (options && options->nvcc_flags && !wb_session_set_flags(s, options->nvcc_flags, err))
        return false;
    wb_state_drop(s);
    wb_lost_free(s->lost);
    s->lost = wb_lost_new();
    return s->lost || wb_fail(err, 1, _("out of memory"));
}

bool wb_session_set_flags(wb_session *s, const char *const *flags, wb_error *err) {
    char **copy = wb_flags_copy(flags, s->cwd);
    if (!copy)
        return wb_fail(err, 1, _("out of memory"));
    wb_flags_free(s->flags);
    s->flags = copy;
    return true;
}

/* ---- compiling ---- */

static bool ensure_device(wb_session *s, wb_error *err) {
    return s->device_known || choose_device(s, s->wanted_device, err);
}

static void show_warnings(const wb_compile_result *compiled, const wb_sink *sink) {
    json_t *bundle = wb_explain_warnings(compiled);
    if (bundle && sink->display)
        sink->display(sink->ctx, bundle, NULL, NULL, false);
    json_decref(bundle);
}

/* ---- running ---- */

bool wb_session_prepare(wb_session *s, wb_error *err) {
    return ensure_device(s, err) && wb_run_worker(s, &s->worker, err) != NULL;
}

void wb_session_expect(wb_session *s) {
    static const char cell[] = "typedef int soon;\n"; /* any text: all first cells begin alike */
    wb_unit unit = {0};
    wb_error err;
    char *include = NULL;
    if (!s->device_known || s->expected)
        return;
    s->expected = true;
    if (wb_cellgen_unit(s->gen, cell, strlen(cell), 0, WB_UNIT_CELL, &unit, &err)) {
        const char **flags = wb_flags_all(s->flags, s->cwd, unit.flags.v, true, &include);
        if (flags)
            wb_compile_ahead(&(wb_compile_spec){.kind = WB_COMPILE_SHARED,
                                                .flags = flags,
                                                .device = &s->device,
                                                .line_info = true,
                                                .auto_link = true,
                                                .direct = true},
                             unit.source);
        WB_FREE(flags, include);
    }
    wb_unit_free(&unit);
}

/* Returns true if the process with the notebook's variables has ended since the last cell. */
static bool ended_meanwhile(const wb_session *s) {
    return s->has_state && !wb_worker_alive(s->worker);
}

/* Gives up the variables of a process that ended while no cell ran, and says which. */
static void lose_idle(wb_session *s, const wb_sink *sink) {
    json_t *names = wb_session_names(s);
    char *notice = wb_lost_notice(names);
    wb_state_lose(s, 0, &(wb_outcome){.kind = WB_KILLED});
    if (sink->stream && notice)
        sink->stream(sink->ctx, 2, notice, strlen(notice));
    free(notice);
    json_decref(names);
}

/* Returns false, without a result, if the variables that the cell was compiled for have been lost,
 * so that its unit must be written again. */
static bool compile_and_run(wb_session *s, const wb_cell *written, const wb_sink *sink,
                            wb_unit *unit, wb_result *r) {
    wb_error err = {0};
    wb_build b = {0};
    wb_cell own = *written, *cell = &own;
    char *text = NULL;
    bool current = true;
    if (!ensure_device(s, &err) || !wb_build_cell(s, cell, unit, &b, &text, &err)) {
        wb_explain_machine(&err, r);
    } else if (!b.compiled.ok) {
        wb_explain_errors(s->gen, s->lost, unit, cell->number, &b.compiled, r);
    } else if (!unit->program && ended_meanwhile(s)) {
        current = false;
    } else {
        show_warnings(&b.compiled, sink);
        const char *warning = wb_cellgen_warning(unit);
        if (warning && sink->stream)
            sink->stream(sink->ctx, 2, warning, strlen(warning));
        char *kept = wb_cellgen_kept(s->gen, unit, b.library);
        if (kept && sink->stream)
            sink->stream(sink->ctx, 2, kept, strlen(kept));
        free(kept);
        if (unit->program)
            wb_run_program(s, cell, sink, &b, unit, r);
        else
            wb_run_cell(s, cell, sink, &b, unit, r);
    }
    r->compile_s = b.compiled.seconds;
    r->cached = b.compiled.from_cache;
    r->direct = b.compiled.direct;
    wb_build_free(&b);
    free(text);
    return current;
}

static void list_cell(wb_session *s, const wb_cell *cell) {
    char name[32];
    snprintf(name, sizeof name, "cell [%d]", cell->number);
    wb_listing_add(s->listing, name, cell->shown ? cell->shown : cell->code,
                   cell->shown ? strlen(cell->shown) : cell->len);
}

static void list_headers(wb_session *s, const wb_unit *unit) {
    const char *path, *name;
    for (size_t i = 0; wb_cellgen_header(unit, i, &path, &name); i++) {
        wb_buf text = {0};
        if (wb_file_read(path, 0, &text, NULL) && text.data)
            wb_listing_add(s->listing, name, text.data, text.len);
        wb_buf_free(&text);
    }
}

void wb_session_run(wb_session *s, const wb_cell *cell, const wb_sink *sink, wb_result *r) {
    *r = (wb_result){.status = WB_OK};
    wb_unit unit = {0};
    wb_error err = {0};
    s->stop = 0;
    if (cell->interrupted && *cell->interrupted)
        s->stop = 1; /* an interrupt came before the line above */
    s->sink = sink;
    s->waiting = false;
    list_cell(s, cell);
    wb_cellgen_origin(s->gen, cell->origin);
    wb_cellgen_folders(s->gen, s->cwd, (const char *const *)s->flags);
    for (bool done = false; !done;) {
        if (ended_meanwhile(s))
            lose_idle(s, sink);
        done = true;
        if (!wb_cellgen_unit(s->gen, cell->code, cell->len, cell->number, wb_build_kind(cell),
                             &unit, &err))
            wb_traceback_plain(r, "CompileError", err.text);
        else if (list_headers(s, &unit), !unit.empty)
            done = compile_and_run(s, cell, sink, &unit, r);
        wb_unit_free(&unit);
    }
}

bool wb_session_declares(wb_session *s, const char *code, size_t len, const char *name) {
    size_t start, end;
    return wb_cellgen_variable(s->gen, code, len, name, strlen(name), &start, &end);
}

char *wb_session_alone(wb_session *s, const wb_cell *cell, wb_error *err) {
    wb_cellgen_origin(s->gen, cell->origin);
    wb_cellgen_folders(s->gen, s->cwd, (const char *const *)s->flags);
    return wb_cellgen_alone(s->gen, cell->code, cell->len, cell->number, err);
}

void wb_result_free(wb_result *r) {
    WB_FREE(r->ename, r->evalue);
    WB_JSON_FREE(r->traceback, r->hints, r->value, r->report);
    *r = (wb_result){0};
}

/* ---- from other threads ---- */

void wb_session_interrupt(wb_session *s) {
    s->stop = 1;
    WB_LOCKED(&s->lock);
    if (s->worker)
        wb_worker_interrupt(s->worker);
    if (s->program)
        wb_worker_interrupt(s->program);
}

void wb_session_debug(wb_session *s, const char *path) {
    WB_LOCKED(&s->lock);
    replace(&s->debug, path && *path ? path : NULL);
}

json_t *wb_session_names(wb_session *s) {
    WB_LOCKED(&s->lock);
    json_t *names = s->names ? json_incref(s->names) : json_array();
    return names;
}

json_t *wb_session_outline(wb_session *s) {
    WB_LOCKED(&s->lock);
    json_t *outline = s->outline ? json_incref(s->outline) : json_array();
    return outline;
}

bool wb_session_device(wb_session *s, wb_device *device) {
    WB_LOCKED(&s->lock);
    bool known = s->device_known;
    *device = s->device;
    return known;
}

json_t *wb_session_usage(wb_session *s) {
    size_t used = 0, total = 0;
    int pid = 0;
    pthread_mutex_lock(&s->lock);
    bool known = s->device_known;
    wb_device device = s->device;
    if (s->worker) {
        pid = wb_worker_pid(s->worker);
        wb_worker_memory(s->worker, &used, &total);
    }
    pthread_mutex_unlock(&s->lock);
    if (known && !total)
        total = device.memory;
    char times[256] = "";
    if (known && device.gpu_file[0])
        snprintf(times, sizeof times, "%s%s", device.gpu_title,
                 device.gpu_measured ? "" : _(" (from published figures, not measured by us)"));
    return wb_json_pack("{s:s, s:s, s:s, s:I, s:I, s:i, s:I}", "times", times, "device",
                        known ? device.name : "", "kind",
                        !known                          ? ""
                        : device.kind == WB_DEVICE_SOFT ? "soft"
                                                        : "gpu",
                        "memory_used", (json_int_t)used, "memory_total", (json_int_t)total,
                        "worker_pid", pid, "worker_rss",
                        pid > 0 ? (json_int_t)wb_memory_resident(pid) : 0);
}

char *wb_session_disassemble(wb_session *s, const char *kernel, bool sass, wb_error *err) {
    char *include = NULL, *text = NULL;
    const char **flags = wb_flags_all(s->flags, s->cwd, NULL, false, &include);
    if (!flags)
        wb_fail(err, 1, _("out of memory"));
    else if (s->sources.n == 0)
        wb_fail(err, 1, _("no cell has defined a kernel yet"));
    else if (ensure_device(s, err))
        text = wb_disassemble((const char *const *)s->sources.v, s->sources.n, flags, &s->device,
                              kernel, sass, err);
    wb_names_text(s->names_of_cells, &text);
    WB_FREE(flags, include);
    return text;
}

const char *wb_cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size) {
    int depth = 0;
    const char *answer = wb_split_complete(code, len, &depth);
    size_t blanks = strcmp(answer, "incomplete") == 0 ? 4 * (size_t)depth : 0;
    if (indent_size > 0) {
        blanks = blanks < indent_size ? blanks : indent_size - 1;
        memset(indent, ' ', blanks);
        indent[blanks] = '\0';
    }
    return answer;
}
