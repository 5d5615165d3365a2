/* ahead.c: see ahead.h. A notebook whose cells are run at once, by nbclient, say, takes no time
 * from them: its second cell has them begun anyway. */
#include "runtime/worker/session/ahead.h"
#include "runtime/cells/cellgen.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/standby/standby.h"
#include "runtime/worker/session/flags.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS = 1000, LOOK_MS = 50, PAIR = 2, SHORT_S = 60 };

struct wb_ahead {
    pthread_t thread;
    volatile int stop;
    char *folder, *cwd, **flags;
    wb_device device;
};

static void free_parts(wb_ahead *a) {
    wb_flags_free(a->flags);
    free(a->folder);
    free(a->cwd);
    free(a);
}

/* Compiles the unit, as far as it goes. */
static void compile(wb_ahead *a, const wb_unit *unit) {
    char *name = wb_format("cell_%s.cu", unit->id), *include = NULL;
    char *source = wb_format("%s/cell_%s.cu", a->folder, unit->id);
    char *output = wb_format("%s/cell_%s.so", a->folder, unit->id);
    const char **flags = wb_flags_all(a->flags, a->cwd, unit->flags, true, &include);
    wb_compile_result result = {0};
    wb_error err;
    if (name && source && output && flags &&
        wb_file_write(source, unit->source, strlen(unit->source), NULL))
        wb_compile(&(wb_compile_spec){.kind = WB_COMPILE_SHARED,
                                      .sources = (const char *const[]){name, NULL},
                                      .flags = flags,
                                      .output = output,
                                      .cwd = a->folder,
                                      .device = &a->device,
                                      .line_info = true,
                                      .auto_link = true,
                                      .stop = &a->stop,
                                      .standby = true,
                                      .ahead = true},
                   &result, &err);
    wb_compile_result_free(&result);
    free(flags);
    free(include);
    free(output);
    free(source);
    free(name);
}

/* For the unit of a small cell, the first of some notebook. */
static void begin(wb_ahead *a) {
    static const char cell[] = "typedef int soon;\n";
    wb_cellgen *gen = wb_cellgen_new();
    wb_unit unit = {0};
    wb_error err;
    if (gen && wb_cellgen_unit(gen, cell, strlen(cell), 1, WB_UNIT_CELL, &unit, &err))
        compile(a, &unit);
    wb_unit_free(&unit);
    wb_cellgen_free(gen);
}

static void *work(void *argument) {
    wb_ahead *a = argument;
    const struct timespec look = {.tv_nsec = LOOK_MS * 1000000L};
    size_t bytes;
    for (int i = 0; i < WAIT_MS / LOOK_MS && !a->stop; i++)
        nanosleep(&look, NULL);
    int there = a->stop ? PAIR : wb_compile_standbys(&bytes);
    if (there >= 0 && there < PAIR)
        begin(a);
    return NULL;
}

wb_ahead *wb_ahead_begin(const wb_session *s) {
    const char *idle = getenv(STANDBY_IDLE); /* soon gone again: not worth it */
    wb_ahead *a = idle && *idle && atol(idle) < SHORT_S ? NULL : calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->folder = wb_format("%s", s->folder);
    a->cwd = s->cwd ? wb_format("%s", s->cwd) : NULL;
    a->flags = wb_flags_copy((const char *const *)s->flags, s->cwd);
    a->device = s->device;
    if (a->folder && a->flags && (a->cwd || !s->cwd) &&
        pthread_create(&a->thread, NULL, work, a) == 0)
        return a;
    free_parts(a);
    return NULL;
}

void wb_ahead_stop(wb_ahead *a) {
    if (a)
        a->stop = 1;
}

void wb_ahead_free(wb_ahead *a) {
    if (!a)
        return;
    wb_ahead_stop(a);
    pthread_join(a->thread, NULL);
    free_parts(a);
}
