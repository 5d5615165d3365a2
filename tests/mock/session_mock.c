/* session_mock.c: runtime/worker/session.h without compiler and worker, for tests of the kernel's
 * protocol. A cell is a line of commands each:
 *
 *   print TEXT | eprint TEXT | value TEXT | error TEXT | sleep SECONDS | flood BYTES (0: for ever)
 *   show TEXT | show_id ID TEXT | update ID TEXT | clear | ask PROMPT | secret PROMPT
 *   define NAME | utf8 | dead
 *   path | debug (where an engine connects) | gpu (the device is one from now on)
 *
 * A line that is none of these is an error, as a compiler's would be. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

#include "runtime/cli/cli.h"
#include "runtime/worker/session.h"

/* The commands whose options %%grade and %%compare take. */
struct asked {
    wb_seed seed;
    bool json, stage;
};
#define WB_RECORD struct asked
static const wb_option options[] = {WB_OPTION_SEED(seed),
                                    WB_OPTION("--stage", FLAG, stage, NULL, "the back row"),
                                    WB_OPTION_JSON(json, .shell = true),
                                    WB_OPTION("--csv", FLAG, json, NULL, "a table", .shell = true),
                                    {0}};
WB_COMMAND(mock_grade){.name = "grade", .usage = "LAB", .summary = "", .options = options};
WB_COMMAND(mock_compare){.name = "compare", .usage = "NAME", .summary = "", .options = options};

struct wb_session {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool interrupted;
    json_t *names;
    char device[32], debug[128];
    const wb_cell *cell; /* that runs */
    bool gpu;
};

wb_session *wb_session_open(const wb_session_options *options, wb_error *err) {
    if (strcmp(options->device, "gpu") == 0) {
        wb_fail(err, 1, "no usable GPU: this is the mock");
        return NULL;
    }
    wb_session *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->names = json_array();
    snprintf(s->device, sizeof s->device, "%s", options->device);
    return s;
}

void wb_session_expect(wb_session *s) {
    (void)s;
}

bool wb_session_prepare(wb_session *s, wb_error *err) {
    (void)s;
    (void)err;
    return true;
}

void wb_session_close(wb_session *s) {
    json_decref(s->names);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s);
}

void wb_session_debug(wb_session *s, const char *path) {
    snprintf(s->debug, sizeof s->debug, "%s", path ? path : "");
}

void wb_session_interrupt(wb_session *s) {
    pthread_mutex_lock(&s->lock);
    s->interrupted = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static bool interrupted(wb_session *s) {
    pthread_mutex_lock(&s->lock);
    bool yes = s->interrupted;
    pthread_mutex_unlock(&s->lock);
    return yes;
}

static void sleep_for(wb_session *s, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    double end = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + seconds;
    until.tv_sec = (time_t)end;
    until.tv_nsec = (long)((end - (double)until.tv_sec) * 1e9);
    pthread_mutex_lock(&s->lock);
    while (!s->interrupted && pthread_cond_timedwait(&s->changed, &s->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&s->lock);
}

static void flood(wb_session *s, const wb_sink *sink, size_t bytes) {
    char block[4096];
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = i % 64 == 63 ? '\n' : (char)('a' + i % 26);
    size_t done = 0;
    while ((bytes == 0 || done < bytes) && !interrupted(s)) {
        size_t n = bytes && bytes - done < sizeof block ? bytes - done : sizeof block;
        sink->stream(sink->ctx, 1, block, n);
        done += n;
    }
}

static void say(const wb_sink *sink, int fd, const char *text) {
    sink->stream(sink->ctx, fd, text, strlen(text));
    sink->stream(sink->ctx, fd, "\n", 1);
}

static void fail(wb_result *r, const char *ename, const char *text) {
    r->status = WB_ERROR;
    r->ename = strdup(ename);
    r->evalue = strdup(text);
    r->traceback = json_pack("[s, s]", ename, text);
}

static void show(const wb_sink *sink, const char *id, const char *text, bool update) {
    json_t *data = json_pack("{s:s}", "text/plain", text);
    json_t *metadata = json_object();
    sink->display(sink->ctx, data, metadata, id, update);
    json_decref(data);
    json_decref(metadata);
}

static void ask(const wb_sink *sink, const char *prompt, bool password) {
    char *line = sink->input(sink->ctx, prompt, password);
    char *text = wb_format(line ? "got %s" : "end of file%s", line ? line : "");
    say(sink, 1, text);
    free(text);
    free(line);
}

/* One command; false: it is not known. */
static bool run_line(wb_session *s, char *line, const wb_sink *sink, wb_result *r) {
    char *rest = line + strcspn(line, " ");
    if (*rest)
        *rest++ = '\0';
    char *second = strchr(rest, ' ');
    if (strcmp(line, "print") == 0)
        say(sink, 1, rest);
    else if (strcmp(line, "eprint") == 0)
        say(sink, 2, rest);
    else if (strcmp(line, "value") == 0)
        r->value = json_pack("{s:s}", "text/plain", rest);
    else if (strcmp(line, "error") == 0)
        fail(r, "MockError", rest);
    else if (strcmp(line, "sleep") == 0)
        sleep_for(s, atof(rest));
    else if (strcmp(line, "flood") == 0)
        flood(s, sink, strtoull(rest, NULL, 10));
    else if (strcmp(line, "show") == 0)
        show(sink, NULL, rest, false);
    else if ((strcmp(line, "show_id") == 0 || strcmp(line, "update") == 0) && second) {
        *second = '\0';
        show(sink, rest, second + 1, line[0] == 'u');
    } else if (strcmp(line, "clear") == 0)
        sink->clear(sink->ctx, true);
    else if (strcmp(line, "ask") == 0 || strcmp(line, "secret") == 0)
        ask(sink, rest, line[0] == 's');
    else if (strcmp(line, "define") == 0)
        json_array_append_new(s->names, json_pack("{s:s, s:s, s:s, s:i}", "name", rest, "kind",
                                                  "variable", "type", "int", "cell", 1));
    else if (strcmp(line, "path") == 0)
        say(sink, 1, s->cell->path);
    else if (strcmp(line, "debug") == 0)
        say(sink, 1, s->debug);
    else if (strcmp(line, "gpu") == 0)
        s->gpu = true;
    else if (strcmp(line, "utf8") == 0)
        say(sink, 1, "gr\xc3\xbc\xc3\x9f dich \xf0\x9f\x9a\x80");
    else
        return false;
    return true;
}

void wb_session_run(wb_session *s, const wb_cell *cell, const wb_sink *sink, wb_result *r) {
    *r = (wb_result){0};
    pthread_mutex_lock(&s->lock);
    s->interrupted = false;
    s->cell = cell;
    pthread_mutex_unlock(&s->lock);
    char *code = strndup(cell->code, cell->len), *save = NULL;
    for (char *line = strtok_r(code, "\n;", &save); line && r->status == WB_OK;
         line = strtok_r(NULL, "\n;", &save)) {
        line += strspn(line, " \t");
        char *whole = strdup(line);
        if (*line && strncmp(line, "//", 2) != 0 && !run_line(s, line, sink, r)) {
            char *text = wb_format("cell [%d]: no such command: %s", cell->number, whole);
            fail(r, "CompileError", text);
            free(text);
        }
        free(whole);
        if (r->status == WB_OK && interrupted(s)) {
            fail(r, "Interrupted", "The cell was interrupted.");
            r->status = WB_INTERRUPTED;
        }
    }
    free(code);
    r->compile_s = 0.001;
    r->run_s = 0.002;
    if (cell->counters || cell->memcheck || cell->racecheck)
        r->report = json_pack("{s:[{s:s, s:[i,i,i], s:[i,i,i], s:{s:i, s:i, s:i, s:i, s:i}}], s:i}",
                              "launches", "kernel", "twice(float*)", "grid", 4, 1, 1, "block", 32,
                              1, 1, "counters", "global_load_requests", 4, "global_load_sectors",
                              16, "global_load_used", 512, "global_store_requests", 4,
                              "global_store_sectors", 128, "dropped", 0);
}

void wb_result_free(wb_result *r) {
    free(r->ename);
    free(r->evalue);
    json_decref(r->traceback);
    json_decref(r->value);
    json_decref(r->report);
}

bool wb_session_reset(wb_session *s, const wb_session_options *options, wb_error *err) {
    if (options && options->device && strcmp(options->device, "gpu") == 0)
        return wb_fail(err, 1, "no usable GPU: this is the mock");
    json_array_clear(s->names);
    return true;
}

char *wb_cell_error_hint(const char *text, const char *excerpt) {
    (void)text;
    (void)excerpt;
    return NULL;
}

bool wb_session_enter(const char *folder, wb_error *err) {
    return chdir(folder) == 0 || wb_fail(err, 1, "%s: no such folder", folder);
}

bool wb_session_set_variable(const char *name, const char *value, wb_error *err) {
    return setenv(name, value, 1) == 0 || wb_fail(err, 1, "no name");
}

bool wb_session_set_flags(wb_session *s, const char *const *flags, wb_error *err) {
    (void)s;
    for (; *flags; flags++)
        if (strcmp(*flags, "-bad") == 0)
            return wb_fail(err, 1, "nvcc does not know the flag -bad");
    return true;
}

json_t *wb_session_outline(wb_session *s) {
    (void)s;
    return json_array();
}

json_t *wb_session_names(wb_session *s) {
    return json_deep_copy(s->names);
}

bool wb_session_device(wb_session *s, wb_device *device) {
    bool known = wb_device_select("soft", device, NULL);
    if (s->gpu)
        device->kind = WB_DEVICE_GPU;
    return known;
}

json_t *wb_session_usage(wb_session *s) {
    (void)s;
    return json_pack("{s:s, s:s, s:i, s:i}", "device", "softgpu", "kind", "soft", "memory_used",
                     1 << 20, "memory_total", 1 << 30);
}

const char *wb_cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size) {
    int depth = 0;
    for (size_t i = 0; i < len; i++)
        depth += (code[i] == '{') - (code[i] == '}');
    if (depth > 0)
        snprintf(indent, indent_size, "    ");
    return depth > 0 ? "incomplete" : depth < 0 ? "invalid" : "complete";
}

bool wb_session_declares(wb_session *s, const char *code, size_t len, const char *name) {
    (void)s;
    char *own = wb_format("int %s =", name);
    bool found = memmem(code, len, own, strlen(own)) != NULL;
    free(own);
    return found;
}

char *wb_session_alone(wb_session *s, const wb_cell *cell, wb_error *err) {
    (void)s;
    (void)err;
    return wb_format("%.*s", (int)cell->len, cell->code);
}

char *wb_session_disassemble(wb_session *s, const char *kernel, bool sass, wb_error *err) {
    (void)s;
    if (kernel) {
        wb_fail(err, 1, "no kernel '%s' has been defined", kernel);
        return NULL;
    }
    return strdup(sass ? "MOV R1, R2\n" : ".version 9.0\n");
}
