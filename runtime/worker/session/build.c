/* build.c: compiles a cell, retries where that helps, and gives its library a name of its own. */
#include "runtime/worker/session/build.h"
#include "runtime/cells/ambiguous.h"
#include "runtime/worker/session/flags.h"
#include "runtime/worker/session/twin.h"
#include "runtime/worker/shared/elf.h"
#include "runtime/worker/words/tidy.h"

#include <unistd.h>

void wb_build_free(wb_build *b) {
    WB_FREE(b->source, b->library, b->instance);
    wb_compile_result_free(&b->compiled);
}

/* Makes the library for this run of the cell. The loader needs a new name for each run, and the
 * links must name the instances in use. */
static bool make_instance(wb_session *s, const wb_unit *unit, wb_build *b, wb_error *err) {
    wb_elf_name *names = calloc(unit->n_links + 1, sizeof *names);
    b->instance = wb_format("%s/live_%016u.so", s->folder, unit->serial);
    bool ok = (names && b->instance) || wb_fail(err, 1, _("out of memory"));
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

/* Shows the progress of what the cell waits for, as one line that changes. */
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

/* Writes a file for the linker. NULL text: nothing. */
static bool write_beside(const wb_session *s, const wb_unit *unit, const char *ending,
                         const char *text, wb_error *err) {
    char *path = text ? wb_format("%s/cell_%s.%s", s->folder, unit->id, ending) : NULL;
    bool ok = !text || (path ? wb_file_write_unsynced(path, text, strlen(text), err)
                             : wb_fail(err, 1, _("out of memory")));
    free(path);
    return ok;
}

/* Writes and compiles the unit. Returns false and sets err if the machine can't compile. */
static bool compile_unit(wb_session *s, const wb_cell *cell, const wb_unit *unit, wb_build *b,
                         wb_error *err) {
    char *include = NULL, *name = wb_format("cell_%s.cu", unit->id);
    const char **flags = wb_flags_all(s->flags, s->cwd, unit->flags.v, !unit->alone, &include);
    b->source = wb_format("%s/cell_%s.cu", s->folder, unit->id);
    b->library = wb_format("%s/cell_%s.so", s->folder, unit->id);
    bool ok = b->source && b->library && name && flags;
    ok = ok ? wb_file_write_unsynced(b->source, unit->source, strlen(unit->source), err)
            : wb_fail(err, 1, _("out of memory"));
    ok = ok && write_beside(s, unit, "ld", unit->script, err) &&
         write_beside(s, unit, "list", unit->exports, err);
    if (ok) {
        const char *sources[] = {name, NULL}; /* relative, for cache hits */
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
                                           .stop = &s->stop,
                                           .direct = true},
                        &b->compiled, err);
    }
    wb_names_add(s->names_of_cells, unit->id, cell->number);
    wb_twin_path(s, cell, unit);
    if (ok)
        wb_tidy_diagnostics(&b->compiled, s->names_of_cells, s->listing, cell->number, cell->code,
                            cell->len);
    if (ok && b->compiled.ok)
        ok = make_instance(s, unit, b, err);
    WB_FREE(flags, include, name);
    return ok;
}

wb_unit_kind wb_build_kind(const wb_cell *cell) {
    return cell->predict ? WB_UNIT_ALONE : cell->program ? WB_UNIT_PROGRAM : WB_UNIT_CELL;
}

/* Writes the unit again and compiles it. */
static bool compile_again(wb_session *s, const wb_cell *cell, wb_unit *unit, wb_build *b,
                          wb_error *err) {
    wb_build_free(b);
    wb_unit_free(unit);
    *b = (wb_build){0};
    return wb_cellgen_unit(s->gen, cell->code, cell->len, cell->number, wb_build_kind(cell), unit,
                           err) &&
           compile_unit(s, cell, unit, b, err);
}

/* Gives up definitions that were lost with a worker process and no longer compile. Returns true if
 * it gave up any. */
static bool give_up(wb_session *s, const wb_unit *unit, const wb_build *b) {
    int cell;
    bool any = false;
    for (size_t i = 0; !b->compiled.ok && i < b->compiled.n_diagnostics; i++) {
        const wb_diagnostic *d = &b->compiled.diagnostics[i];
        if (d->severity == WB_DIAG_ERROR && d->file && sscanf(d->file, "cell [%d]", &cell) == 1)
            any |= wb_cellgen_give_up(s->gen, unit, cell, d->line, d->text);
    }
    return any;
}

/* Changes the guesses in lines with an error. Returns true if a piece now reads another way. */
static bool doubt(wb_session *s, const wb_cell *cell, const wb_build *b) {
    int number;
    bool any = false;
    for (size_t i = 0; !b->compiled.ok && i < b->compiled.n_diagnostics; i++) {
        const wb_diagnostic *d = &b->compiled.diagnostics[i];
        if (d->severity == WB_DIAG_ERROR && d->file && sscanf(d->file, "cell [%d]", &number) == 1 &&
            number == cell->number)
            any |= wb_cellgen_doubt(s->gen, cell->code, cell->len, d->line);
    }
    return any;
}

bool wb_build_cell(wb_session *s, wb_cell *cell, wb_unit *unit, wb_build *b, char **own,
                   wb_error *err) {
    const wb_cell written = *cell;
    wb_unit_ways ways = {0};
    wb_insertions in = {.n = 0};
    size_t len = 0;
    bool ok = compile_unit(s, cell, unit, b, err);
    if (ok && !b->compiled.ok && !b->compiled.stopped && unit->left_out) {
        ways.bring_all = true;
        wb_cellgen_ways(s->gen, ways);
        ok = compile_again(s, cell, unit, b, err);
    }
    for (int tries = 0; ok && tries < 8 && give_up(s, unit, b); tries++)
        ok = compile_again(s, cell, unit, b, err);
    if (ok && !b->compiled.stopped && !unit->program && doubt(s, cell, b)) {
        ok = compile_again(s, cell, unit, b, err);
        if (ok && !b->compiled.ok && !b->compiled.stopped && wb_cellgen_doubt_none(s->gen))
            ok = compile_again(s, cell, unit, b, err);
        wb_cellgen_settle(s->gen, ok && b->compiled.ok);
    }
    if (ok && !b->compiled.ok && !b->compiled.stopped && unit->n_anew > 0) {
        ways.carry_none = true;
        wb_cellgen_ways(s->gen, ways);
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
    if (ok && !b->compiled.ok && wb_ambiguous_in_header(&b->compiled)) {
        ways.qualified = true;
        wb_cellgen_ways(s->gen, ways);
        ok = compile_again(s, cell, unit, b, err);
    }
    wb_cellgen_ways(s->gen, (wb_unit_ways){0});
    free(in.v);
    return ok;
}
