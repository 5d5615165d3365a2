/* break.c: breakpoints: where they are, and whether one stops a thread. */
#include <ctype.h>

#include "runtime/base/base.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/debug/state.h"
#include "runtime/softgpu/watch/record/record.h"

/* ---- the client's list --------------------------------------------------------------------- */

static void free_one(dbg_breakpoint *b) {
    WB_FREE(b->path, b->condition);
}

void dbg_breaks_clear(void) {
    for (uint32_t k = 0; k < dbg.n_breaks; k++)
        free_one(&dbg.breaks[k]);
    free(dbg.breaks);
    dbg.breaks = NULL;
    dbg.n_breaks = 0;
}

/* Removes the breakpoints of a source. */
static void forget(const char *path) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < dbg.n_breaks; k++)
        if (strcmp(dbg.breaks[k].path, path) == 0)
            free_one(&dbg.breaks[k]);
        else
            dbg.breaks[n++] = dbg.breaks[k];
    dbg.n_breaks = n;
}

/* Reads ">= 5", "% 2" or "5", which means == 5. */
static void read_hits(dbg_breakpoint *b, const char *text) {
    size_t n = 0;
    while (text && isspace((unsigned char)*text))
        text++;
    while (text && *text && strchr("<>=%", *text) && n < 2)
        b->relation[n++] = *text++;
    b->number = text ? strtoull(text, NULL, 10) : 0;
    if (b->number && !n)
        strcpy(b->relation, "==");
    if (!b->number)
        b->relation[0] = '\0';
}

json_t *dbg_breaks_set(const json_t *arguments) {
    static json_int_t last;
    const json_t *list = json_object_get(arguments, "breakpoints"), *one;
    const char *path =
        json_string_value(json_object_get(json_object_get(arguments, "source"), "path"));
    json_t *answer = json_array();
    size_t i;
    if (!path) {
        json_decref(answer);
        return NULL;
    }
    forget(path);
    json_array_foreach(list, i, one) {
        const char *condition = json_string_value(json_object_get(one, "condition"));
        dbg_breakpoint *b = WB_PUSH(dbg.breaks, dbg.n_breaks);
        if (!b || !(b->path = strdup(path))) {
            dbg.n_breaks -= b != NULL;
            break;
        }
        b->id = ++last;
        b->line = (uint32_t)json_integer_value(json_object_get(one, "line"));
        b->condition = condition && *condition ? strdup(condition) : NULL;
        read_hits(b, json_string_value(json_object_get(one, "hitCondition")));
        json_array_append_new(answer, wb_json_pack("{s:I, s:b, s:I}", "id", b->id, "verified", 1,
                                                   "line", (json_int_t)b->line));
    }
    return wb_json_pack("{s:o}", "breakpoints", answer);
}

/* ---- places -------------------------------------------------------------------------------- */

/* Returns the first line of the function with code from `line` on; 0: it is not in the function. */
static uint32_t line_in(const ptx_module *m, const ptx_function *f, const char *path,
                        uint32_t line) {
    uint32_t first = UINT32_MAX, found = UINT32_MAX, file = UINT32_MAX;
    bool same = false;
    for (uint32_t k = 0; k < f->n_insts; k++) {
        const ptx_loc *at = &f->insts[k].loc;
        if (at->file != file)
            same = at->file < m->n_files && strcmp(dbg_path(m->files[at->file]), path) == 0;
        file = at->file;
        if (!at->line || !same)
            continue;
        first = at->line < first ? at->line : first;
        if (at->line >= line && at->line < found)
            found = at->line;
    }
    return first <= line && found != UINT32_MAX ? found : 0;
}

/* Marks the ops that begin the line: in each function, the first of its pieces. */
static void mark(const sg_run *run, const char *path, uint32_t line, uint8_t *marks) {
    const sg_code *code = run->code;
    for (uint32_t k = 0; k < code->kernel->module->ptx->n_functions; k++) {
        const sg_func *f = code->funcs[k];
        for (uint32_t i = 0; f && i < f->n_ops; i++) {
            const struct sg_line *at = &code->lines[f->ops[i].line];
            if (f->ops[i].aux != &sg_record_piece || at->line != line || !f->ops[i].d ||
                !at->file || strcmp(dbg_path(at->file), path) != 0)
                continue;
            marks[f->ordinal + i] = 1;
            break;
        }
    }
}

void dbg_breaks_place(const sg_run *run, uint8_t *marks) {
    const ptx_module *m = run->code->kernel->module->ptx;
    for (uint32_t k = 0; k < dbg.n_breaks; k++) {
        dbg_breakpoint *b = &dbg.breaks[k];
        uint32_t at = 0;
        for (uint32_t i = 0; i < m->n_functions && !at; i++)
            at = line_in(m, m->functions[i], b->path, b->line);
        if (at && at != b->at && at != b->line)
            dbg_event("breakpoint",
                      wb_json_pack("{s:s, s:{s:I, s:b, s:I, s:{s:s}}}", "reason", "changed",
                                   "breakpoint", "id", b->id, "verified", 1, "line", (json_int_t)at,
                                   "source", "path", b->path));
        b->at = at ? at : b->at;
        if (at)
            mark(run, b->path, at, marks);
    }
}

/* ---- hits ---------------------------------------------------------------------------------- */

static bool enough(const dbg_breakpoint *b) {
    switch (b->relation[0]) {
    case '=':
        return b->hits == b->number;
    case '>':
        return b->relation[1] ? b->hits >= b->number : b->hits > b->number;
    case '<':
        return b->relation[1] ? b->hits <= b->number : b->hits < b->number;
    case '%':
        return b->hits % b->number == 0;
    default:
        return true;
    }
}

const dbg_breakpoint *dbg_breaks_hit(const dbg_stop *stop, int lane) {
    const struct sg_line *here = &stop->run->code->lines[stop->ip->line];
    for (uint32_t k = 0; k < dbg.n_breaks; k++) {
        dbg_breakpoint *b = &dbg.breaks[k];
        dbg_number value = {0};
        const char *why;
        if (!b->at || b->at != here->line || strcmp(dbg_path(here->file), b->path) != 0)
            continue;
        /* a condition that can't be computed stops, so that the user sees it */
        if (b->condition && dbg_compute(stop, 0, lane, b->condition, &value, &why) &&
            value.value == 0)
            continue;
        b->hits++;
        if (enough(b))
            return b;
    }
    return NULL;
}
