/* unit.c: see unit.h.
 *
 * Each cell becomes a library, linked to those whose definitions it uses. The loader finds the
 * cell's own symbols first, then theirs. So old code keeps what it was linked to, and a new
 * definition hides the old one only from new cells. The symbols of file-scope variables are not
 * mangled and might collide with libc's ("err"). So each gets a second symbol that can't. */
#include "runtime/cells/unit.h"

#include "runtime/cells/alone.h"
#include "runtime/cells/headers/bring.h"
#include "runtime/cells/split/closure.h"
#include "runtime/cells/live/anew.h"
#include "runtime/cells/redefine/before.h"
#include "runtime/cells/redefine/carry.h"
#include "runtime/cells/redefine/chains.h"
#include "runtime/cells/live/device_vars.h"
#include "runtime/cells/live/types.h"
#include "runtime/cells/redefine/late.h"
#include "runtime/compile/headers.h"
#include "runtime/cells/live/live_names.h"
#include "runtime/cells/live/macros.h"

/* Begins every cell. */
#define PREAMBLE "#line 1 \"warpbook\"\n" WB_CELL_HEADERS "#include \"warpbook_cell.h\"\n"

/* The unit that is being written. */
typedef struct writer {
    const wb_notebook *book;
    const wb_text *text;
    const wb_split *split;
    wb_unit *unit;
    wb_buf out, script, exports;
    wb_buf shadows; /* initialisers of __wb_shadow for the unit's earlier device variables */
    bool *linked;   /* by index of book->loaded */
    bool *anew;     /* by index of live: the body follows the cell; or NULL */
    bool *instead;  /* by index of book->loaded: replacements of its #include lines are written */
    wb_uses uses;
    size_t item; /* index of the item being written */
    bool failed;
} writer;

static void link_option(writer *w, char *option) {
    wb_strings_add(&w->unit->flags, "-Xlinker");
    wb_strings_own(&w->unit->flags, option);
}

/* ---- the declarations of earlier cells ------------------------------------------------------ */

static bool is_ascii(const char *name) {
    while (*name && (unsigned char)*name < 0x80)
        name++;
    return !*name;
}

/* Returns true if a file-scope variable has its cell's own second symbol. A type with an ABI tag
 * (std::string) mangles its symbol anyway. A linker script can't give a second symbol to
 * thread-local variables and non-ASCII names, and these never collide with libc's. */
static bool has_label(const wb_entity *e) {
    return !*e->scope && !*e->open && !e->tagged && !e->is_thread && is_ascii(e->name);
}

static void declare_variable(writer *w, const wb_live_entity *x, const char *id, const char *name,
                             bool anew) {
    const wb_entity *e = &x->e;
    /* C linkage; nvcc takes a C++ lambda type to be its own cell's */
    bool lambda = strstr(e->type, WB_CLOSURE) != NULL;
    wb_buf_printf(&w->out, "%sextern %s__wb_id<%s>::type %s", lambda ? "extern \"C\" { " : "",
                  e->is_thread ? "thread_local " : "", e->type, name);
    if ((has_label(e) && !anew) || name != e->name)
        wb_buf_printf(&w->out, " __asm__(\"wb%s.%s\")", id, e->name);
    else if ((lambda && e->tagged) || (e->is_binding && (e->tagged || *e->scope))) {
        WB_SCOPED char *symbol = wb_types_symbol(e, e->tagged ? WB_TYPES_TAG : "");
        wb_buf_printf(&w->out, " __asm__(\"%s\")", symbol ? symbol : "");
    }
    wb_buf_puts(&w->out, lambda ? "; }\n" : ";\n");
}

/* Returns true if the unit must contain the function's body, as no library has it as it is. */
static bool has_body(const writer *w, size_t i) {
    const wb_live_entity *x = &w->book->live.v[i];
    return x->e.definition && (x->homeless || (w->anew && w->anew[i]));
}

/* Finds what the unit uses, from the text of the cell and of all that it repeats. */
static void find_uses(writer *w, const size_t *needed, size_t n) {
    w->uses = (wb_uses){.all = w->book->ways.bring_all};
    wb_uses_add(&w->uses, w->text->code, w->text->len);
    for (size_t i = 0; i < n; i++) {
        const wb_entity *e = &w->book->live.v[needed[i]].e;
        if (e->kind == WB_ENTITY_HIDDEN)
            continue;
        const char *const texts[] = {e->text, e->type, e->open,
                                     has_body(w, needed[i]) ? e->definition : NULL};
        for (size_t k = 0; k < WB_COUNT(texts); k++)
            if (texts[k] && !wb_live_names_file(e))
                wb_uses_add(&w->uses, texts[k], strlen(texts[k]));
        /* A header of the user's, or an unknown one. */
        w->uses.all |=
            wb_live_names_file(e) && !w->book->loaded[w->book->live.v[needed[i]].cell].brings;
    }
}

/* Returns true if the unit leaves out the live #include line. */
static bool stays_away(writer *w, const wb_live_entity *x) {
    const char *brings = w->book->loaded[x->cell].brings;
    if (!wb_may_stay_away(&x->e, brings, &w->uses))
        return false;
    if (!w->instead[x->cell])
        wb_buf_puts(&w->out, brings);
    w->instead[x->cell] = true;
    w->unit->left_out = true;
    return true;
}

/* Starts lines of a header, or of the cell with that id. */
static void put_place(writer *w, const char *file, int line, const char *id) {
    if (file)
        wb_buf_printf(&w->out, "#line %d \"%s\"\n", line, file);
    else
        wb_buf_printf(&w->out, "#line %d \"cell [%s]\"\n", line, id);
}

static void carry(writer *w, const wb_live_entity *x) {
    w->failed |= !WB_ADD(w->unit->carried, w->unit->n_carried, (size_t)(x - w->book->live.v));
}

/* Returns true if the entity needs its library. Text alone does not, and a library linked for it
 * could provide an inline function of the standard library from an ended process. */
static bool has_symbol(const wb_entity *e) {
    return e->kind != WB_ENTITY_INCLUDE && e->kind != WB_ENTITY_MACRO && e->kind != WB_ENTITY_UNDEF;
}

/* Declares the variable or constant that the cell uses before it redefines it. Returns false if
 * there is none. */
static bool declare_before(writer *w, const wb_live_entity *x, const char *id) {
    const wb_entity *e = &x->e;
    bool found = false;
    for (size_t i = 0; i < w->split->n_entities && *e->key == 'v'; i++)
        found |= w->split->entities[i].after_use && strcmp(w->split->entities[i].key, e->key) == 0;
    if (!found)
        return false;
    bool linked = e->kind == WB_ENTITY_VARIABLE && !e->stateless;
    w->linked[x->home] |= linked;
    WB_SCOPED char *words = linked ? wb_format(WB_BEFORE "%s", e->name) : wb_before_text(e);
    if (words && linked)
        declare_variable(w, x, id, words, false);
    else if (words)
        wb_buf_printf(&w->out, "static %s\n", words);
    return true;
}

static void declare_entity(writer *w, const wb_live_entity *x) {
    const wb_entity *e = &x->e;
    const char *id = w->book->loaded[x->cell].id;
    if (e->kind == WB_ENTITY_HIDDEN && strcmp(e->scope, WB_ASIDE "::") == 0)
        wb_buf_printf(&w->out, "%s extern class __wb_gone %s; %s\n", e->open, e->name, e->close);
    if (e->kind == WB_ENTITY_HIDDEN || stays_away(w, x))
        return;
    bool anew = wb_anew_may_announce(e, w->split); /* then the cell's own is meant */
    if (declare_before(w, x, id) && !anew)
        return;
    size_t i = (size_t)(x - w->book->live.v);
    bool here = has_body(w, i);
    w->linked[x->home] |= !anew && !here && has_symbol(e);
    if (here && x->homeless && !anew)
        carry(w, x);
    bool text = e->kind != WB_ENTITY_MACRO && e->kind != WB_ENTITY_INCLUDE;
    if (text)
        wb_macros_aside_later(&w->out, &w->book->live, NULL, i);
    bool device = e->kind == WB_ENTITY_DEVICE_VARIABLE;
    if (*e->open && !device)
        wb_buf_printf(&w->out, "%s\n", e->open);
    if (device) {
        wb_device_var_declare(&w->out, e, id);
        wb_buf_printf(&w->shadows, "{__wb_shadow_%s_%s(), sizeof(__wb_id<%s>::type), %d}, ", id,
                      e->name, e->type, e->host_side);
    } else if (e->kind == WB_ENTITY_VARIABLE && !e->stateless) {
        declare_variable(w, x, id, e->name, anew);
    } else {
        put_place(w, e->file, e->line, id);
        bool whole = here && x->homeless && !e->announced && !anew;
        const char *words = whole ? e->definition : e->text;
        WB_SCOPED char *head = anew && e->kind == WB_ENTITY_SOURCE_FUNCTION
                                   ? wb_format("%s;", e->signature)
                                   : wb_anew_plain_head(w->split, e);
        words = head ? head : words;
        wb_device_vars_rewrite(&w->out, &w->book->live, w->split, true,
                               e->device && (whole || e->kind != WB_ENTITY_KERNEL), words,
                               strlen(words));
        wb_buf_puts(&w->out, "\n#line 1 \"warpbook\"\n");
    }
    if (*e->close && !device)
        wb_buf_printf(&w->out, "%s\n", e->close);
    if (text)
        wb_macros_back_later(&w->out, &w->book->live, NULL, i);
}

/* ---- the cell itself ------------------------------------------------------------------------ */

/* Writes the text's bytes [start, end). Other files may begin inside. */
static void put_pieces(writer *w, size_t start, size_t end) {
    for (size_t i = 0; i < w->text->n_pieces; i++) {
        const wb_piece *p = &w->text->pieces[i];
        if (p->at <= start || p->at >= end)
            continue;
        wb_buf_append(&w->out, w->text->code + start, p->at - start);
        if (w->text->code[p->at - 1] != '\n')
            wb_buf_putc(&w->out, '\n');
        put_place(w, p->file, p->line, w->unit->id);
        start = p->at;
    }
    wb_buf_append(&w->out, w->text->code + start, end - start);
}

/* Writes the bytes with the split's edits. */
static void put_edited(writer *w, size_t start, size_t end) {
    for (size_t i = 0; i < w->split->n_edits; i++) {
        const wb_edit *edit = &w->split->edits[i];
        if (edit->at < start || edit->at >= end)
            continue;
        put_pieces(w, start, edit->at);
        wb_buf_puts(&w->out, edit->with);
        start = edit->at + edit->len;
    }
    if (start < end)
        put_pieces(w, start, end);
}

/* Writes the bytes with edits. Renames other cells' device variables in device functions. */
static void put_rewritten(writer *w, size_t start, size_t end, bool device) {
    wb_buf all = w->out;
    w->out = (wb_buf){0};
    put_edited(w, start, end);
    WB_SCOPED_BUF wb_buf edited = w->out, plain = {0};
    w->out = all;
    wb_before_rename(&plain, w->split, w->item, edited.data ? edited.data : "", edited.len);
    if (plain.data)
        wb_device_vars_rewrite(&w->out, &w->book->live, w->split, false, device, plain.data,
                               plain.len);
}

static void put_text(writer *w, size_t start, size_t end) {
    for (WB_ENTITIES(e, w->split)) {
        if (!e->device || e->start < start || e->end > end)
            continue;
        put_rewritten(w, start, e->start, false);
        put_rewritten(w, e->start, e->end, true);
        start = e->end;
    }
    put_rewritten(w, start, end, false);
}

static void put_line(writer *w, const wb_item *item) {
    put_place(w, item->file, item->line, w->unit->id);
    for (int i = 0; i < item->column; i++) /* keeps the cell's columns */
        wb_buf_putc(&w->out, ' ');
}

/* Writes statements as the body of a function whose call initialises a variable. A unit's
 * initialisers run in the order of their definitions. */
static void put_statements(writer *w, const wb_item *item, size_t i) {
    wb_buf_printf(&w->out, "static __wb_end cell_statements_%zu() {\n", i);
    put_line(w, item);
    put_text(w, item->start, item->end);
    /* A macro call that is a statement may end a cell like an expression. */
    if (i + 1 == w->split->n_items && w->text->code[item->end - 1] == ')')
        wb_buf_putc(&w->out, ';');
    wb_buf_printf(
        &w->out,
        "\n#line 1 \"warpbook\"\nreturn __wb_end();\n}\n"
        "static int __wb_ran_%zu = (cell_statements_%zu().go_on(), wb_cell_finished = %zu);\n",
        i, i, i + 1);
}

/* Lists the device variables that the last expression may show, because their values are on the
 * device. Returns false if there is none. */
static bool put_shadows(writer *w, const wb_item *item) {
    WB_SCOPED_BUF wb_buf own = {0};
    for (WB_ENTITIES(e, w->split))
        if (e->kind == WB_ENTITY_DEVICE_VARIABLE && e->end <= item->start)
            wb_buf_printf(&own, "{&::%s%s, sizeof ::%s%s, %d}, ", e->scope, e->name, e->scope,
                          e->name, e->host_side);
    bool any = own.len || w->shadows.len;
    if (any)
        wb_buf_printf(&w->out, "const __wb_shadow __wb_shadows[] = {%s%s};\n",
                      own.len ? own.data : "", w->shadows.len ? w->shadows.data : "");
    return any;
}

static void put_expression(writer *w, const wb_item *item, size_t i) {
    wb_macros_aside(&w->out, &w->book->live, w->split);
    wb_buf_puts(&w->out, "#include \"warpbook_show.h\"\n");
    wb_macros_back(&w->out, &w->book->live, w->split);
    wb_buf_printf(&w->out, "static void cell_statements_%zu() {\n", i);
    bool shadows = put_shadows(w, item);
    /* for an operator in the expression, g++ reports the line of the whole call */
    put_line(w, item);
    wb_buf_puts(&w->out, "__wb_value((\n");
    put_line(w, item);
    put_text(w, item->start, item->end);
    wb_buf_putc(&w->out, '\n');
    const char *code = w->text->code;
    int last = item->line + wb_line_at(code + item->start, code + item->end) - 1;
    put_place(w, item->file, last, w->unit->id);
    wb_buf_printf(&w->out,
                  ", __wb_nothing())\n#line 1 \"warpbook\"\n%s);\n}\n"
                  "static int __wb_ran_%zu = (cell_statements_%zu(), wb_cell_finished = %zu);\n",
                  shadows ? ", __wb_shadows" : "", i, i, i + 1);
}

/* Returns true if the worker must know when the item's definitions exist. */
static bool is_awaited(const wb_split *split, const wb_item *item) {
    for (WB_ENTITIES(e, split))
        if ((e->kind == WB_ENTITY_VARIABLE || e->after_use) && e->start >= item->start &&
            e->start < item->end)
            return true;
    return false;
}

/* Undefines earlier macros that the item redefines. */
static void put_undefs(writer *w, const wb_item *item) {
    for (WB_ENTITIES(e, w->split))
        if (e->after_use && *e->key == 'm' && e->start >= item->start && e->start < item->end)
            wb_buf_printf(&w->out, "#undef %s\n", e->name);
}

static void put_item(writer *w, const wb_item *item, size_t i) {
    w->item = i;
    put_undefs(w, item);
    if (item->kind == WB_ITEM_STATEMENT) {
        put_statements(w, item, i);
    } else if (item->kind == WB_ITEM_EXPRESSION) {
        put_expression(w, item, i);
    } else {
        put_line(w, item);
        put_text(w, item->start, item->end);
        wb_buf_puts(&w->out, "\n#line 1 \"warpbook\"\n");
        if (is_awaited(w->split, item))
            wb_buf_printf(&w->out, "static int __wb_ran_%zu = wb_cell_made(%zu);\n", i, i + 1);
    }
}

/* Writes the bodies of earlier functions after the cell, so that they use its new definitions. */
static void put_bodies(writer *w) {
    const wb_live *live = &w->book->live;
    for (size_t k = 0; k < w->unit->n_carried; k++) {
        size_t i = w->unit->carried[k];
        const wb_entity *e = &live->v[i].e;
        if (live->v[i].homeless && !e->announced)
            continue; /* its body is at its declaration */
        wb_macros_aside_later(&w->out, live, w->split, i);
        wb_buf_printf(&w->out, "%s\n", e->open);
        put_place(w, e->file, e->line, w->book->loaded[live->v[i].cell].id);
        WB_SCOPED char *body = wb_anew_without_defaults(e->definition, e->name);
        if (body)
            wb_device_vars_rewrite(&w->out, live, w->split, true, e->device, body, strlen(body));
        wb_buf_printf(&w->out, "\n#line 1 \"warpbook\"\n%s\n", e->close);
        wb_macros_back_later(&w->out, live, w->split, i);
    }
}

/* Gives a variable its second symbol. The quotes are needed: to the linker dx and add are
 * hexadecimal numbers, and MAX is a function. */
static void put_label(writer *w, const wb_entity *e) {
    WB_SCOPED char *tagged = wb_types_symbol(e, WB_TYPES_TAG);
    WB_SCOPED char *plain = wb_format("%s%s", e->is_binding ? WB_BINDING : "", e->name);
    wb_buf_printf(&w->script,
                  "wb%s.%s = DEFINED(\"%s\") ? \"%s\" : DEFINED(\"%s\") ? \"%s\" : 0;\n",
                  w->unit->id, e->name, plain, plain, tagged, tagged);
}

/* Writes second symbols, and the markers from which wb_cellgen_accept reads variables' types. */
static void put_variables(writer *w) {
    for (size_t i = 0; i < w->split->n_entities; i++) {
        const wb_entity *e = &w->split->entities[i];
        bool device = e->kind == WB_ENTITY_DEVICE_VARIABLE;
        if (e->kind != WB_ENTITY_VARIABLE && !device)
            continue;
        WB_SCOPED char *marker =
            e->branch ? NULL : wb_closure_marker(e, i); /* declare.c wrote that one */
        wb_buf_printf(&w->out, "%s\n", marker ? marker : "");
        if (device)
            wb_device_var_export(&w->out, e, w->unit->id);
        else if (has_label(e))
            put_label(w, e);
    }
}

/* Exports what another cell may redefine. The cell's own code then also uses the loader's address,
 * which the worker can change (runtime/worker/process/redefine.c). */
static void put_export(writer *w, const wb_entity *e) {
    WB_SCOPED char *symbol = wb_chain_pattern(e);
    if (symbol)
        wb_buf_printf(&w->exports, "%s%s;\n", w->exports.len ? "" : "{\n", symbol);
}

static void put_exports(writer *w) {
    for (WB_ENTITIES(e, w->split))
        put_export(w, e);
    for (size_t i = 0; i < w->unit->n_carried; i++)
        put_export(w, &w->book->live.v[w->unit->carried[i]].e);
    if (w->exports.len)
        wb_buf_puts(&w->exports, "};\n");
}

/* Links to a library. Of two instances of one unit the newer counts, because it replaced all that
 * the older defined. */
static void link_to(writer *w, size_t loaded) {
    wb_unit *u = w->unit;
    for (size_t i = 0; i < u->n_links; i++)
        if (strcmp(u->links[i].id, w->book->loaded[loaded].id) == 0)
            return;
    wb_unit_link link = {.serial = w->book->loaded[loaded].serial};
    memcpy(link.id, w->book->loaded[loaded].id, WB_CELL_ID);
    w->failed |= !WB_ADD(u->links, u->n_links, link);
    wb_strings_own(&u->flags, wb_format("cell_%s.so", link.id));
}

static void link_libraries(writer *w) {
    char *support = wb_path_lib("cell_support.o");
    wb_strings_own(&w->unit->flags, support);
    link_option(w, wb_format("-soname=cell_%s.so", w->unit->id));
    WB_SCOPED char *list = wb_path_lib("cell_statics.list");
    link_option(w, list ? wb_format("--dynamic-list=%s", list) : NULL);
    /* The worker writes to addresses that the loader bound (norelro). The stubs that launch earlier
     * cells' kernels are hidden by default, and all cells share the instances of a kernel template
     * (live/statics.c). */
    wb_strings_words(&w->unit->flags,
                     "-Xlinker -z -Xlinker norelro -Xlinker --as-needed -Xlinker -z -Xlinker defs "
                     "-Xlinker --unresolved-symbols=report-all -Xcompiler -fno-gnu-unique "
                     "--device-entity-has-hidden-visibility=false "
                     "-static-global-template-stub=false");
    for (size_t i = w->book->n_loaded; i-- > 0;) /* newest first: its symbols win */
        if (w->linked[i])
            link_to(w, i);
}

/* ---- a unit --------------------------------------------------------------------------------- */

/* Returns true for "using namespace a;" or "namespace b = a;". */
static bool names_namespace(const wb_entity *e) {
    const char *at = e->text && (e->kind == WB_ENTITY_INCLUDE || e->kind == WB_ENTITY_TYPE)
                         ? strstr(e->text, "namespace")
                         : NULL;
    return at && (at == e->text || strncmp(e->text, "using", 5) == 0);
}

/* Declares, empty, the namespaces that cells have made. */
static void put_namespaces(writer *w) {
    const wb_live *live = &w->book->live;
    for (size_t i = 0; i < live->n; i++) {
        const wb_entity *e = &live->v[i].e;
        bool said = !strstr(e->open, "namespace");
        for (size_t k = 0; k < i && !said; k++)
            said = strcmp(live->v[k].e.open, e->open) == 0;
        if (!said)
            wb_buf_printf(&w->out, "%s %s\n", e->open, e->close);
    }
}

/* Declares those that belong after that many of the cell's items. */
static void declare_those(writer *w, const size_t *needed, const int *late, size_t n, int items) {
    for (size_t i = 0; i < n && !w->failed; i++)
        if (late[i] == items)
            declare_entity(w, &w->book->live.v[needed[i]]);
}

static void write_unit(writer *w) {
    size_t n = 0, front = 0;
    w->anew = w->book->ways.carry_none ? NULL : wb_carry_find(&w->book->live, w->split);
    size_t *needed = wb_live_needed(&w->book->live, w->split, w->text->code, w->text->len, false,
                                    w->anew, &front, &n);
    w->failed |= !needed;
    if (needed)
        find_uses(w, needed, n);
    wb_buf_puts(&w->out, PREAMBLE);
    bool namespaces = false;
    for (size_t i = 0; i < n; i++)
        namespaces |= names_namespace(&w->book->live.v[needed[i]].e);
    if (namespaces)
        put_namespaces(w);
    WB_SCOPED int *late =
        needed ? wb_late_find(&w->book->live, w->split, w->text->code, needed, front) : NULL;
    w->failed |= !late;
    declare_those(w, needed, late, w->failed ? 0 : front, 0);
    /* They must be bound before the cell runs. */
    for (size_t i = front; i < n && !w->failed; i++)
        if (w->book->live.v[needed[i]].e.kind == WB_ENTITY_DEVICE_VARIABLE)
            declare_entity(w, &w->book->live.v[needed[i]]);
    bool aside = !w->book->ways.qualified && wb_live_aside(&w->book->live, w->split, needed, n);
    bool began = false;
    for (size_t i = 0; i < w->split->n_items; i++) {
        const char *code = w->text->code + w->split->items[i].start;
        if (!began &&
            (*code != '#' || strncmp(code, "#if", 3) == 0)) { /* #include lines go first */
            wb_buf_puts(&w->out, "static int __wb_began = wb_cell_made(0);\n");
            began = true;
        }
        if (aside && *code != '#') { /* headers do not need it */
            wb_buf_puts(&w->out, "namespace " WB_ASIDE " {}\nusing namespace " WB_ASIDE ";\n");
            aside = false;
        }
        put_item(w, &w->split->items[i], i);
        declare_those(w, needed, late, w->failed ? 0 : front, (int)i + 1);
    }
    for (size_t i = 0; w->anew && i < w->book->live.n; i++)
        if (w->anew[i]) {
            carry(w, &w->book->live.v[i]);
            w->unit->n_anew++;
        }
    for (size_t i = front; i < n && !w->failed; i++)
        if (w->book->live.v[needed[i]].e.kind != WB_ENTITY_DEVICE_VARIABLE)
            declare_entity(w, &w->book->live.v[needed[i]]);
    put_bodies(w);
    put_variables(w);
    link_libraries(w);
    if (w->script.len)
        link_option(w, wb_format("cell_%s.ld", w->unit->id));
    put_exports(w);
    if (w->exports.len)
        link_option(w, wb_format("--dynamic-list=cell_%s.list", w->unit->id));
    WB_FREE(needed, w->anew);
    wb_buf_free(&w->shadows);
}

/* Writes a whole program: the cell unchanged. Without a main, its statements run all the same. */
static void write_program(writer *w) {
    if (w->split->has_main) {
        wb_buf_printf(&w->out, PREAMBLE "#line 1 \"cell [%s]\"\n", w->unit->id);
        wb_buf_append(&w->out, w->text->code, w->text->len);
        wb_buf_puts(&w->out, "\n");
    } else {
        wb_buf_puts(&w->out, PREAMBLE);
        if (w->unit->alone && !wb_alone_definitions(&w->out, w->book, w->text, w->split, true))
            w->failed = true;
        for (size_t i = 0; i < w->split->n_items; i++)
            put_item(w, &w->split->items[i], i);
        wb_buf_puts(&w->out, "int main() { return 0; }\n");
    }
    link_libraries(w);
}

bool wb_unit_write(const wb_notebook *book, const wb_text *text, const wb_split *split,
                   wb_unit *unit) {
    writer w = {.book = book, .text = text, .split = split, .unit = unit};
    w.linked = calloc(book->n_loaded + 1, sizeof *w.linked);
    w.instead = calloc(book->n_loaded + 1, sizeof *w.instead);
    unit->left_out = false;
    if (w.linked && w.instead && unit->program)
        write_program(&w);
    else if (w.linked && w.instead)
        write_unit(&w);
    bool ok = w.linked && w.instead && !w.failed && !unit->flags.failed;
    WB_FREE(w.linked, w.instead);
    unit->source = wb_buf_steal(&w.out);
    unit->script = w.script.len ? wb_buf_steal(&w.script) : NULL;
    unit->exports = w.exports.len ? wb_buf_steal(&w.exports) : NULL;
    return ok && unit->source;
}
