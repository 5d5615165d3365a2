/* cellgen.c: see cellgen.h. split.c takes a cell apart, live.c knows the live definitions, unit.c
 * writes the translation unit. */
#include "runtime/cells/alone.h"
#include "runtime/cells/cellgen.h"

#include "runtime/cells/headers/bring.h"
#include "runtime/cells/redefine/before.h"
#include "runtime/cells/redefine/carry.h"
#include "runtime/cells/redefine/chains.h"
#include "runtime/cells/live/live_names.h"
#include "runtime/cells/split/split.h"
#include "runtime/cells/live/statics.h"
#include "runtime/cells/live/types.h"
#include "runtime/cells/outline.h"
#include "runtime/cells/unit.h"
#include "runtime/cells/live/unfinished.h"

struct wb_cellgen {
    wb_notebook book;
    wb_statics statics;
    wb_chains chains;
    unsigned serial;
};

typedef struct changes {
    wb_text text;
    wb_split split;
    int number;
    bool typed; /* its variables' types are known */
} changes;

wb_cellgen *wb_cellgen_new(void) {
    return calloc(1, sizeof(wb_cellgen));
}

void wb_cellgen_free(wb_cellgen *gen) {
    if (!gen)
        return;
    wb_live_free(&gen->book.live);
    wb_own_headers_free(&gen->book.own);
    wb_statics_free(&gen->statics);
    wb_chains_free(&gen->chains);
    for (size_t i = 0; i < gen->book.n_loaded; i++)
        free(gen->book.loaded[i].brings);
    WB_FREE(gen->book.loaded, gen);
}

void wb_cellgen_origin(wb_cellgen *gen, const char *name) {
    /* never 0 for a name */
    gen->book.live.origin = name && *name ? wb_hash(WB_HASH, name, strlen(name)) | 1u : 0;
}

/* ---- a unit --------------------------------------------------------------------------------- */

/* Computes the id from the whole unit, with zeros in place of the id. */
static bool identify(wb_unit *unit) {
    WB_SCOPED_BUF wb_buf all = {0};
    char sum[WB_SHA256_TEXT];
    wb_buf_printf(&all, "%s\n%s\n%s\n", unit->source, unit->script ? unit->script : "",
                  unit->exports ? unit->exports : "");
    for (size_t i = 0; i < unit->flags.n; i++)
        wb_buf_printf(&all, "%s\n", unit->flags.v[i]);
    bool ok = !all.failed;
    wb_sha256(all.data, all.len, sum);
    if (ok)
        memcpy(unit->id, sum, WB_CELL_ID - 1);
    return ok;
}

static void free_texts(wb_unit *unit) {
    wb_strings_free(&unit->flags);
    WB_FREE(unit->source, unit->script, unit->exports, unit->links, unit->carried);
    unit->source = unit->script = unit->exports = NULL;
    unit->links = NULL;
    unit->carried = NULL;
    unit->n_links = unit->n_carried = unit->n_anew = 0;
}

const wb_entity *wb_cellgen_has(const wb_cellgen *gen, const wb_unit *unit, const char *name,
                                size_t len) {
    const changes *c = unit->changes;
    return wb_live_has(&gen->book.live, c ? &c->split : NULL, name, len);
}

bool wb_cellgen_variable(const wb_cellgen *gen, const char *code, size_t len, const char *name,
                         size_t name_len, size_t *start, size_t *end) {
    const wb_splitting how = wb_live_how(&gen->book.live);
    WB_SCOPED_SPLIT wb_split split;
    return wb_split_cell(code, len, &how, &split) &&
           wb_split_variable(&split, name, name_len, start, end);
}

bool wb_cellgen_doubt(wb_cellgen *gen, const char *code, size_t len, int line) {
    const wb_splitting how = wb_live_how(&gen->book.live);
    WB_SCOPED_SPLIT wb_split split;
    bool any = false, read = wb_split_cell(code, len, &how, &split);
    for (size_t i = 0; read && i < split.n_guesses; i++) {
        const wb_guess *g = &split.guesses[i];
        if (g->name && line >= wb_line_at(code, code + g->start) &&
            line <= wb_line_at(code, code + g->end))
            any |= wb_live_doubt(&gen->book.live, g);
    }
    return any;
}

bool wb_cellgen_doubt_none(wb_cellgen *gen) {
    return wb_live_doubt_none(&gen->book.live);
}

void wb_cellgen_settle(wb_cellgen *gen, bool keep) {
    wb_live_settle(&gen->book.live, keep);
}

bool wb_cellgen_folders(wb_cellgen *gen, const char *cwd, const char *const *flags) {
    return wb_own_headers_folders(&gen->book.own, cwd, flags);
}

/* Splits the cell's text. Leaves a complete program unchanged. */
static bool take_apart(wb_cellgen *gen, const char *code, size_t len, bool program, changes *c,
                       wb_error *err) {
    const wb_splitting how = wb_live_how(&gen->book.live);
    if (!wb_split_cell(code, len, &how, &c->split))
        return wb_fail(err, 1, _("out of memory"));
    if (program || c->split.has_main)
        return wb_text_plain(code, len, &c->text) || wb_fail(err, 1, _("out of memory"));
    if (!wb_text_expand(&gen->book.own, &gen->book.live, code, len, &how, &c->text, err))
        return false;
    wb_split_free(&c->split);
    return (wb_split_cell(c->text.code, c->text.len, &how, &c->split) &&
            wb_text_name(&c->text, &c->split)) ||
           wb_fail(err, 1, _("out of memory"));
}

static bool has_nul(const char *code, size_t len, int number, wb_error *err) {
    return memchr(code, '\0', len) &&
           !wb_fail(
               err, 1,
               _("cell [%d] contains a NUL byte: remove it, because no source text may have one"),
               number);
}

bool wb_cellgen_unit(wb_cellgen *gen, const char *code, size_t len, int number, wb_unit_kind kind,
                     wb_unit *unit, wb_error *err) {
    bool program = kind == WB_UNIT_PROGRAM;
    *unit = (wb_unit){.serial = gen->serial + 1};
    memset(unit->id, '0', WB_CELL_ID - 1); /* a placeholder until the rest is known */
    if (has_nul(code, len, number, err))
        return false;
    changes *c = calloc(1, sizeof *c);
    if (!c)
        return wb_fail(err, 1, _("out of memory"));
    unit->changes = c;
    c->number = number;
    size_t unclosed = wb_split_unclosed(code, len);
    WB_SCOPED char *closed = unclosed ? wb_format("%.*s;%.*s", (int)unclosed, code,
                                                  (int)(len - unclosed), code + unclosed)
                                      : NULL;
    bool apart = closed ? take_apart(gen, closed, len + 1, program, c, err)
                        : take_apart(gen, code, len, program, c, err);
    if (!apart)
        return false;
    wb_before_mark(&gen->book.live, &c->split, c->text.code);
    unit->empty = c->split.n_items == 0;
    unit->program = kind != WB_UNIT_CELL || c->split.has_main;
    unit->alone = kind == WB_UNIT_ALONE && !c->split.has_main;
    if (unit->empty)
        return true;
    gen->serial++;
    if (wb_unit_write(&gen->book, &c->text, &c->split, unit) && identify(unit)) {
        free_texts(unit);
        if (wb_unit_write(&gen->book, &c->text, &c->split, unit))
            return true;
    }
    return wb_fail(err, 1, _("out of memory"));
}

char *wb_cellgen_alone(wb_cellgen *gen, const char *code, size_t len, int number, wb_error *err) {
    changes c = {.number = number};
    char *alone = NULL;
    if (!has_nul(code, len, number, err) && take_apart(gen, code, len, false, &c, err) &&
        !(alone = wb_alone_write(&gen->book, &c.text, &c.split, number)))
        wb_fail(err, 1, _("out of memory"));
    wb_split_free(&c.split);
    wb_text_free(&c.text);
    return alone;
}

void wb_unit_free(wb_unit *unit) {
    changes *c = unit->changes;
    if (c) {
        wb_split_free(&c->split);
        wb_text_free(&c->text);
    }
    free(c);
    free_texts(unit);
    *unit = (wb_unit){.source = NULL};
}

bool wb_cellgen_header(const wb_unit *unit, size_t i, const char **path, const char **name) {
    const changes *c = unit->changes;
    if (!c || i >= c->text.n_headers)
        return false;
    *path = c->text.headers[i].path;
    *name = c->text.headers[i].shown;
    return true;
}

const char *wb_cellgen_warning(const wb_unit *unit) {
    const changes *c = unit->changes;
    return c ? c->text.warning : NULL;
}

/* ---- taking a unit in ----------------------------------------------------------------------- */

/* Returns what the unit changes, with its variables' types. Returns NULL if it is a program, or not
 * apart. */
static changes *typed_changes(wb_cellgen *gen, const wb_unit *unit, const char *library) {
    changes *c = unit->program ? NULL : unit->changes;
    if (c && !c->typed) {
        wb_types_find(&c->split, library);
        wb_chains_give(&gen->chains, &gen->book.live, &c->split);
        c->typed = true;
    }
    return c;
}

json_t *wb_cellgen_statics(wb_cellgen *gen, wb_unit *unit, const char *library,
                           const char *symbols) {
    changes *c = typed_changes(gen, unit, library);
    if (!c)
        return NULL;
    wb_types_hide_vexing(&c->split, symbols);
    return wb_statics_versions(&gen->statics, &gen->book.live, &c->split, gen->book.n_loaded,
                               symbols);
}

json_t *wb_cellgen_binds(wb_cellgen *gen, wb_unit *unit, const char *library, const char *defined,
                         const char *used) {
    changes *c = typed_changes(gen, unit, library);
    return c ? wb_chains_binds(&gen->book.live, &c->split, defined, used) : NULL;
}

void wb_cellgen_ways(wb_cellgen *gen, wb_unit_ways ways) {
    bool usual = !ways.bring_all && !ways.qualified && !ways.carry_none;
    gen->book.ways = ways;
    for (size_t i = 0; usual && i < gen->book.live.n; i++)
        gen->book.live.v[i].stays = false;
}

bool wb_cellgen_give_up(wb_cellgen *gen, const wb_unit *unit, int cell, int line, const char *why) {
    for (size_t i = 0; i < unit->n_carried; i++) {
        wb_live_entity *x = &gen->book.live.v[unit->carried[i]];
        if (x->e.file || x->number != cell || line < x->e.line ||
            line >= x->e.line + wb_line_at(x->e.definition, strchr(x->e.definition, '\0')))
            continue;
        if (!x->homeless) {
            x->stays = true;
            return true;
        }
        wb_entity_hide(&x->e,
                       wb_format(_("its process has ended, and it no longer compiles: line %d has "
                                   "an error (%s); run cell [%d] again"),
                                 line, why, cell));
        x->homeless = false;
        return true;
    }
    return false;
}

char *wb_cellgen_kept(wb_cellgen *gen, wb_unit *unit, const char *library) {
    changes *c = typed_changes(gen, unit, library);
    WB_SCOPED bool *carried = c ? calloc(gen->book.live.n + 1, sizeof *carried) : NULL;
    if (!carried)
        return NULL;
    for (size_t i = 0; i < unit->n_carried; i++)
        carried[unit->carried[i]] = true;
    return wb_carry_kept(&gen->book.live, &c->split, carried);
}

void wb_cellgen_lose(wb_cellgen *gen) {
    wb_live_lose(&gen->book.live);
}

static bool has_include(const wb_split *split) {
    for (WB_ENTITIES(e, split))
        if (wb_live_names_file(e))
            return true;
    return false;
}

char *wb_cellgen_accept(wb_cellgen *gen, wb_unit *unit, const char *library, const char *inputs,
                        size_t finished) {
    changes *c = typed_changes(gen, unit, library);
    if (!c)
        return NULL;
    size_t cell = gen->book.n_loaded;
    wb_loaded *loaded = WB_PUSH(gen->book.loaded, gen->book.n_loaded);
    if (!loaded)
        return NULL;
    memcpy(loaded->id, unit->id, WB_CELL_ID);
    loaded->serial = unit->serial;
    loaded->number = c->number;
    loaded->brings = has_include(&c->split) ? wb_brings(inputs) : NULL;
    for (size_t i = 0; i < unit->n_carried; i++) {
        wb_live_entity *x = &gen->book.live.v[unit->carried[i]];
        x->home = cell;
        x->homeless = false;
    }
    char *missing = wb_unfinished(&c->split, &gen->book.live, c->text.code, finished);
    if (wb_live_accept(&gen->book.live, &c->split, cell, c->number)) {
        wb_own_headers_accept(&gen->book.own, &c->text, &gen->book.live, cell);
    } else {
        free(gen->book.loaded[cell].brings);
        gen->book.n_loaded = cell;
    }
    return missing;
}

/* ---- what is live --------------------------------------------------------------------------- */

bool wb_cellgen_hint(const wb_cellgen *gen, const wb_unit *unit, const wb_diagnostic *d, bool here,
                     wb_hint *hint) {
    const changes *c = unit->changes;
    wb_hint_question q = {.live = &gen->book.live,
                          .own = c ? &c->split : NULL,
                          .code = c && here ? c->text.code : NULL,
                          .program = unit->program && !unit->alone,
                          .text = d->text,
                          .excerpt = d->excerpt,
                          .line = d->line};
    return wb_hint_find(&q, hint);
}

json_t *wb_cellgen_names(const wb_cellgen *gen) {
    return wb_live_names(&gen->book.live);
}

json_t *wb_cellgen_outline(const wb_cellgen *gen) {
    return wb_outline(&gen->book.live);
}
