/* session.c: one cell after another: generate, compile, load and run, and put the outcome in words.
 */
#include "runtime/worker/session.h"
#include "runtime/cells/ambiguous.h"
#include "runtime/cells/cellgen.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/disassemble.h"
#include "runtime/cells/split.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/engine.h"
#include "runtime/worker/elf.h"
#include "runtime/worker/explain.h"
#include "runtime/worker/flags.h"
#include "runtime/worker/lost.h"
#include "runtime/worker/memory.h"
#include "runtime/worker/tidy.h"
#include "runtime/worker/traceback.h"
#include "runtime/worker/worker.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

struct wb_session {
    char *wanted_device, *cwd, *folder; /* folder: sources and libraries of the cells, private */
    char **flags;                       /* NULL-terminated */
    wb_cellgen *gen;
    wb_listing *listing;
    wb_lost *lost;            /* what went with a worker and is not there again */
    wb_names *names_of_cells; /* their numbers, by what the compiler calls them */
    char **sources;           /* of the loaded cells, oldest first */
    size_t n_sources;
    /* Shared with wb_session_interrupt and wb_session_usage on other threads: */
    pthread_mutex_t lock;
    wb_device device;
    bool device_known;
    wb_worker *worker;   /* of the notebook's state; NULL: none yet */
    wb_worker *program;  /* while a program runs */
    json_t *names;       /* what wb_session_names gives */
    volatile int stop;   /* an interrupt, as the compiler sees it */
    const wb_sink *sink; /* of the cell that runs */
    unsigned waits;      /* how often a cell had to wait for the rest of the build */
    bool waiting;        /* ... as this one does, which says so */
};

/* ---- opening and closing
 * --------------------------------------------------------------------------- */

static void replace(char **to, const char *text) {
    free(*to);
    *to = text ? strdup(text) : NULL;
}

/* The notebook's folder, in full, for nvcc runs elsewhere. */
static void set_folder(wb_session *s, const char *folder) {
    char real[PATH_MAX];
    replace(&s->cwd, realpath(folder, real) ? real : folder);
}

wb_session *wb_session_open(const wb_session_options *options, wb_error *err) {
    wb_session *s = calloc(1, sizeof *s);
    if (!s) {
        wb_fail(err, 1, "out of memory");
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
    s->lost = wb_lost_new();
    s->folder = wb_dir_temp("session", err);
    if (s->wanted_device && s->flags && s->gen && s->listing && s->names_of_cells && s->lost &&
        s->folder)
        return s;
    if (s->folder)
        wb_fail(err, 1, "out of memory");
    wb_session_close(s);
    return NULL;
}

static void forget_sources(wb_session *s) {
    for (size_t i = 0; i < s->n_sources; i++)
        free(s->sources[i]);
    free(s->sources);
    s->sources = NULL;
    s->n_sources = 0;
}

void wb_session_close(wb_session *s) {
    if (!s)
        return;
    wb_worker_stop(s->worker);
    wb_cellgen_free(s->gen);
    wb_listing_free(s->listing);
    wb_names_free(s->names_of_cells);
    wb_lost_free(s->lost);
    forget_sources(s);
    if (s->folder)
        wb_dir_remove(s->folder, NULL);
    wb_flags_free(s->flags);
    json_decref(s->names);
    free(s->wanted_device);
    free(s->cwd);
    free(s->folder);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Swaps a worker in or out where other threads may look; returns what was there. */
static wb_worker *exchange_worker(wb_session *s, wb_worker **slot, wb_worker *worker) {
    pthread_mutex_lock(&s->lock);
    wb_worker *old = *slot;
    *slot = worker;
    pthread_mutex_unlock(&s->lock);
    return old;
}

static void publish_names(wb_session *s) {
    json_t *names = wb_cellgen_names(s->gen);
    wb_lost_find(s->lost, names);
    pthread_mutex_lock(&s->lock);
    json_t *old = s->names;
    s->names = names;
    pthread_mutex_unlock(&s->lock);
    json_decref(old);
}

/* The process that held the state is gone: so are its definitions. */
static void drop_state(wb_session *s) {
    wb_worker_stop(exchange_worker(s, &s->worker, NULL));
    wb_cellgen *fresh = wb_cellgen_new();
    if (fresh) {
        wb_cellgen_free(s->gen);
        s->gen = fresh;
    }
    forget_sources(s);
    publish_names(s);
}

/* The cell ended its process, and with it what it had defined itself. */
static void lose_state(wb_session *s, int cell, const wb_outcome *o) {
    json_t *names = wb_cellgen_names(s->gen);
    wb_lost_take(s->lost, names, cell, o);
    json_decref(names);
    drop_state(s);
}

bool wb_session_reset(wb_session *s, const wb_session_options *options, wb_error *err) {
    if (options && options->device && strcmp(options->device, s->wanted_device) != 0) {
        wb_device device;
        if (!wb_device_select(options->device, &device, err))
            return false;
        pthread_mutex_lock(&s->lock);
        s->device = device;
        s->device_known = true;
        pthread_mutex_unlock(&s->lock);
        replace(&s->wanted_device, options->device);
    }
    if (options && options->cwd)
        set_folder(s, options->cwd);
    if (options && options->nvcc_flags && !wb_session_set_flags(s, options->nvcc_flags, err))
        return false;
    drop_state(s);
    wb_lost_free(s->lost);
    s->lost = wb_lost_new();
    return s->lost || wb_fail(err, 1, "out of memory");
}

bool wb_session_set_flags(wb_session *s, const char *const *flags, wb_error *err) {
    char **copy = wb_flags_copy(flags, s->cwd);
    if (!copy)
        return wb_fail(err, 1, "out of memory");
    wb_flags_free(s->flags);
    s->flags = copy;
    return true;
}

/* ---- compiling
 * ------------------------------------------------------------------------------------- */

static bool ensure_device(wb_session *s, wb_error *err) {
    if (s->device_known)
        return true;
    wb_device device;
    if (!wb_device_select(s->wanted_device, &device, err))
        return false;
    pthread_mutex_lock(&s->lock);
    s->device = device;
    s->device_known = true;
    pthread_mutex_unlock(&s->lock);
    return true;
}

typedef struct build {
    char *source, *library; /* the unit's, by its id: what later cells are linked to */
    char *instance;         /* what is loaded: a copy that has a name of its own */
    wb_compile_result compiled;
} build;

static void free_build(build *b) {
    free(b->source);
    free(b->library);
    free(b->instance);
    wb_compile_result_free(&b->compiled);
}

/* The library that this run of the cell loads: another one, for the loader, than that of an earlier
 * run, and using these instances of the cells it is linked to. */
static bool make_instance(wb_session *s, const wb_unit *unit, build *b, wb_error *err) {
    wb_elf_name *names = calloc(unit->n_links + 1, sizeof *names);
    b->instance = wb_format("%s/live_%016u.so", s->folder, unit->serial);
    bool ok = (names && b->instance) || wb_fail(err, 1, "out of memory");
    for (size_t i = 0; ok && i < unit->n_links + 1; i++) {
        bool own = i == unit->n_links;
        snprintf(names[i].from, sizeof names[i].from, "cell_%s.so",
                 own ? unit->id : unit->links[i].id);
        snprintf(names[i].to, sizeof names[i].to, "live_%016u.so",
                 own ? unit->serial : unit->links[i].serial);
    }
    ok = ok && wb_file_copy(b->library, b->instance, err) && wb_elf_defer_init(b->instance, err) &&
         wb_elf_rename(b->instance, names, unit->n_links + 1, err);
    free(names);
    return ok;
}

/* One line of the cell's output, which changes: how far what it waits for is. */
static void show_wait(void *ctx, const char *text) {
    wb_session *s = ctx;
    char id[64];
    json_t *bundle = s->sink->display ? json_pack("{s:s}", "text/plain", text) : NULL;
    s->waits += !s->waiting;
    snprintf(id, sizeof id, "wait-%ld-%u", (long)getpid(), s->waits);
    if (bundle)
        s->sink->display(s->sink->ctx, bundle, NULL, id, s->waiting);
    s->waiting = true;
    json_decref(bundle);
}

/* Writes and compiles the unit. False: the machine can't compile; err says why. */
static bool compile_unit(wb_session *s, const wb_cell *cell, const wb_unit *unit, build *b,
                         wb_error *err) {
    char *include = NULL, *name = wb_format("cell_%s.cu", unit->id);
    const char **flags = wb_flags_all(s->flags, s->cwd, unit->flags, &include);
    b->source = wb_format("%s/cell_%s.cu", s->folder, unit->id);
    b->library = wb_format("%s/cell_%s.so", s->folder, unit->id);
    bool ok = b->source && b->library && name && flags;
    ok = ok ? wb_file_write(b->source, unit->source, strlen(unit->source), err)
            : wb_fail(err, 1, "out of memory");
    if (ok && unit->script) {
        char *script = wb_format("%s/cell_%s.ld", s->folder, unit->id);
        ok = script && wb_file_write(script, unit->script, strlen(unit->script), err);
        free(script);
    }
    if (ok) {
        const char *sources[] = {name, NULL}; /* relative, so that the cache may know it */
        ok = wb_compile(&(wb_compile_spec){.kind = WB_COMPILE_SHARED,
                                           .sources = sources,
                                           .flags = flags,
                                           .output = b->library,
                                           .cwd = s->folder,
                                           .device = &s->device,
                                           .line_info = true,
                                           .auto_link = true,
                                           .say = show_wait,
                                           .ctx = s,
                                           .stop = &s->stop},
                        &b->compiled, err);
    }
    wb_names_add(s->names_of_cells, unit->id, cell->number);
    if (ok)
        wb_tidy_diagnostics(&b->compiled, s->names_of_cells, s->listing, cell->number, cell->code,
                            cell->len);
    if (ok && b->compiled.ok)
        ok = make_instance(s, unit, b, err);
    free(flags);
    free(include);
    free(name);
    return ok;
}

/* Another unit of the same cell, and another try. */
static bool compile_again(wb_session *s, const wb_cell *cell, wb_unit *unit, build *b,
                          wb_error *err) {
    free_build(b);
    wb_unit_free(unit);
    *b = (build){0};
    return wb_cellgen_unit(s->gen, cell->code, cell->len, cell->number, cell->program, unit, err) &&
           compile_unit(s, cell, unit, b, err);
}

/* The same; where the compiler finds a name of the notebook ambiguous, it is told which is meant,
 * in another text of the cell: *own, malloc'd, is what `cell` then has. */
static bool compile_cell(wb_session *s, wb_cell *cell, wb_unit *unit, build *b, char **own,
                         wb_error *err) {
    const wb_cell written = *cell;
    wb_insertions in = {.n = 0};
    size_t len = 0;
    bool ok = compile_unit(s, cell, unit, b, err);
    if (ok && !b->compiled.ok && !b->compiled.stopped && unit->left_out) {
        wb_cellgen_bring_all(s->gen, true);
        ok = compile_again(s, cell, unit, b, err);
    }
    for (int tries = 0; ok && tries < 4 && !b->compiled.ok && !unit->program; tries++) {
        char *text = wb_ambiguous_resolve(s->gen, unit, &b->compiled, cell->number, written.code,
                                          written.len, &in, &len);
        if (!text)
            break;
        free(*own);
        *own = text;
        cell->code = text;
        cell->len = len;
        ok = compile_again(s, cell, unit, b, err);
    }
    char *without = ok && !b->compiled.ok ? wb_ambiguous_retreat(s->gen, &b->compiled, written.code,
                                                                 written.len, &in, &len)
                                          : NULL;
    if (without) {
        free(*own);
        *own = without;
        cell->code = without;
        cell->len = len;
        ok = compile_again(s, cell, unit, b, err);
    }
    wb_cellgen_bring_all(s->gen, false);
    free(in.v);
    return ok;
}

static void show_warnings(const wb_compile_result *compiled, const wb_sink *sink) {
    json_t *bundle = wb_traceback_warnings(compiled);
    if (bundle && sink->display)
        sink->display(sink->ctx, bundle, NULL, NULL, false);
    json_decref(bundle);
}

/* ---- running
 * --------------------------------------------------------------------------------------- */

static wb_worker *start_worker(wb_session *s, wb_worker **slot, wb_error *err) {
    if (*slot && wb_worker_alive(*slot))
        return *slot;
    wb_worker_options options = {.device = &s->device, .cwd = s->cwd};
    wb_worker *fresh =
        wb_memory_limit(&options.limit_memory, err) ? wb_worker_start(&options, err) : NULL;
    if (fresh)
        wb_worker_stop(exchange_worker(s, slot, fresh));
    return fresh;
}

bool wb_session_prepare(wb_session *s, wb_error *err) {
    return ensure_device(s, err) && start_worker(s, &s->worker, err) != NULL;
}

static unsigned softgpu_options(const wb_cell *cell) {
    return (cell->counters ? SG_COUNT : 0u) | (cell->racecheck ? SG_RACECHECK : 0u) |
           (cell->initcheck ? SG_INITCHECK : 0u) | (cell->lines ? SG_COUNT | SG_LINES : 0u);
}

static void take_outcome(const wb_session *s, const wb_cell *cell, wb_outcome *o, bool program,
                         bool had_state, wb_result *r) {
    wb_tidy_outcome(o, s->names_of_cells, s->listing);
    const json_t *fault = json_object_get(o->report, "fault");
    if (o->kind == WB_RAN && json_is_object(fault))
        o->kind = WB_CUDA_FAILED; /* a kernel went wrong, whether or not the cell asked */
    r->state_lost = !program && !o->alive && had_state;
    wb_traceback_outcome(r, o, s->listing, cell->number, program, r->state_lost);
    r->run_s = o->run_s;
    r->report = json_incref(o->report);
    if (r->status == WB_OK)
        r->value = json_incref(o->value);
}

static void run_program(wb_session *s, const wb_cell *cell, const wb_sink *sink, const build *b,
                        wb_result *r) {
    wb_error err = {0};
    wordexp_t words = {0};
    if (cell->program_args && wordexp(cell->program_args, &words, WRDE_NOCMD) != 0) {
        wb_traceback_plain(r, "UsageError",
                           "the arguments of the program can't be split into words");
        return;
    }
    const char **argv = calloc(words.we_wordc + 2, sizeof *argv);
    wb_worker *worker = argv ? start_worker(s, &s->program, &err) : NULL;
    if (worker) {
        argv[0] = "program";
        for (size_t i = 0; i < words.we_wordc; i++)
            argv[1 + i] = words.we_wordv[i];
        wb_outcome o;
        wb_worker_run(worker,
                      &(wb_job){.library = b->instance,
                                .cell = cell->number,
                                .names = s->names_of_cells,
                                .options = softgpu_options(cell),
                                .program = true,
                                .argv = argv},
                      sink, &o);
        take_outcome(s, cell, &o, true, false, r);
        wb_outcome_free(&o);
    } else {
        wb_traceback_plain(r, "MachineError", err.text);
    }
    wb_worker_stop(exchange_worker(s, &s->program, NULL));
    free(argv);
    wordfree(&words);
}

/* The newest last; a unit that ran again is one source still. */
static void remember_source(wb_session *s, const char *source) {
    for (size_t i = 0; i < s->n_sources; i++)
        if (strcmp(s->sources[i], source) == 0) {
            char *again = s->sources[i];
            memmove(s->sources + i, s->sources + i + 1,
                    (s->n_sources - i - 1) * sizeof *s->sources);
            s->sources[s->n_sources - 1] = again;
            return;
        }
    char **grown = realloc(s->sources, (s->n_sources + 1) * sizeof *grown);
    if (!grown)
        return;
    s->sources = grown;
    s->sources[s->n_sources] = strdup(source);
    if (s->sources[s->n_sources])
        s->n_sources++;
}

/* What the cell's library shares with those of earlier cells. */
static json_t *shared_statics(wb_session *s, const build *b, wb_unit *unit) {
    wb_buf symbols = {0};
    json_t *statics = NULL;
    if (wb_elf_variables(b->instance, &symbols, NULL) && symbols.data)
        statics = wb_cellgen_statics(s->gen, unit, b->library, symbols.data);
    wb_buf_free(&symbols);
    return statics;
}

static void run_cell(wb_session *s, const wb_cell *cell, const wb_sink *sink, const build *b,
                     wb_unit *unit, wb_result *r) {
    wb_error err = {0};
    wb_worker *worker = start_worker(s, &s->worker, &err);
    if (!worker) {
        wb_traceback_plain(r, "MachineError", err.text);
        return;
    }
    wb_outcome o;
    bool had_state = s->n_sources > 0;
    json_t *statics = shared_statics(s, b, unit);
    wb_worker_run(worker,
                  &(wb_job){.library = b->instance,
                            .cell = cell->number,
                            .statics = statics,
                            .names = s->names_of_cells,
                            .options = softgpu_options(cell)},
                  sink, &o);
    json_decref(statics);
    char *missing = NULL;
    if (o.kind != WB_UNLOADABLE)
        missing = wb_cellgen_accept(s->gen, unit, b->library, b->compiled.inputs, o.finished);
    if (o.kind != WB_UNLOADABLE && o.alive) {
        remember_source(s, b->source);
        publish_names(s);
    }
    take_outcome(s, cell, &o, false, had_state, r);
    wb_traceback_missing(r, o.alive ? missing : NULL);
    free(missing);
    if (!o.alive)
        lose_state(s, cell->number, &o);
    wb_outcome_free(&o);
}

static void progress(const wb_sink *sink, const char *text) {
    if (sink->progress)
        sink->progress(sink->ctx, text);
}

static void compile_and_run(wb_session *s, const wb_cell *written, const wb_sink *sink,
                            wb_unit *unit, wb_result *r) {
    wb_error err = {0};
    build b = {0};
    wb_cell own = *written, *cell = &own;
    char *text = NULL;
    progress(sink, "compiling");
    if (!ensure_device(s, &err) || !compile_cell(s, cell, unit, &b, &text, &err)) {
        wb_traceback_plain(r, "MachineError", err.text);
    } else if (!b.compiled.ok) {
        wb_explain_errors(s->gen, s->lost, unit, cell->number, &b.compiled, r);
    } else {
        show_warnings(&b.compiled, sink);
        const char *warning = wb_cellgen_warning(unit);
        if (warning && sink->stream)
            sink->stream(sink->ctx, 2, warning, strlen(warning));
        progress(sink, "running");
        if (unit->program)
            run_program(s, cell, sink, &b, r);
        else
            run_cell(s, cell, sink, &b, unit, r);
    }
    r->compile_s = b.compiled.seconds;
    r->cached = b.compiled.from_cache;
    progress(sink, NULL);
    free_build(&b);
    free(text);
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
    s->sink = sink;
    s->waiting = false;
    list_cell(s, cell);
    wb_cellgen_origin(s->gen, cell->origin);
    wb_cellgen_folders(s->gen, s->cwd, (const char *const *)s->flags);
    if (!wb_cellgen_unit(s->gen, cell->code, cell->len, cell->number, cell->program, &unit, &err))
        wb_traceback_plain(r, "CompileError", err.text);
    else if (list_headers(s, &unit), !unit.empty)
        compile_and_run(s, cell, sink, &unit, r);
    wb_unit_free(&unit);
}

char *wb_session_alone(wb_session *s, const wb_cell *cell, wb_error *err) {
    wb_cellgen_origin(s->gen, cell->origin);
    wb_cellgen_folders(s->gen, s->cwd, (const char *const *)s->flags);
    return wb_cellgen_alone(s->gen, cell->code, cell->len, cell->number, err);
}

void wb_result_free(wb_result *r) {
    free(r->ename);
    free(r->evalue);
    json_decref(r->traceback);
    json_decref(r->value);
    json_decref(r->report);
    *r = (wb_result){0};
}

/* ---- from other threads
 * ------------------------------------------------------------------------------- */

void wb_session_interrupt(wb_session *s) {
    s->stop = 1;
    pthread_mutex_lock(&s->lock);
    if (s->worker)
        wb_worker_interrupt(s->worker);
    if (s->program)
        wb_worker_interrupt(s->program);
    pthread_mutex_unlock(&s->lock);
}

json_t *wb_session_names(wb_session *s) {
    pthread_mutex_lock(&s->lock);
    json_t *names = s->names ? json_incref(s->names) : json_array();
    pthread_mutex_unlock(&s->lock);
    return names;
}

bool wb_session_device(wb_session *s, wb_device *device) {
    pthread_mutex_lock(&s->lock);
    bool known = s->device_known;
    *device = s->device;
    pthread_mutex_unlock(&s->lock);
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
    return wb_json_pack(
        "{s:s, s:s, s:I, s:I, s:i, s:I}", "device", known ? device.name : "", "kind",
        !known                          ? ""
        : device.kind == WB_DEVICE_SOFT ? "soft"
                                        : "gpu",
        "memory_used", (json_int_t)used, "memory_total", (json_int_t)total, "worker_pid", pid,
        "worker_rss", pid > 0 ? (json_int_t)wb_memory_resident(pid) : 0);
}

char *wb_session_disassemble(wb_session *s, const char *kernel, bool sass, wb_error *err) {
    char *include = NULL, *text = NULL;
    const char **flags = wb_flags_all(s->flags, s->cwd, NULL, &include);
    if (!flags)
        wb_fail(err, 1, "out of memory");
    else if (s->n_sources == 0)
        wb_fail(err, 1, "no cell has defined a kernel yet");
    else if (ensure_device(s, err))
        text = wb_disassemble((const char *const *)s->sources, s->n_sources, flags, &s->device,
                              kernel, sass, err);
    wb_names_text(s->names_of_cells, &text);
    free(flags);
    free(include);
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
