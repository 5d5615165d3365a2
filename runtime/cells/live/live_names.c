/* live_names.c: see live_names.h. */
#include "runtime/cells/live/live_names.h"

#include "runtime/cells/split/closure.h"
#include "runtime/json/json.h"

static bool is_aside(const wb_entity *e) {
    return strcmp(e->scope, WB_ASIDE "::") == 0;
}

/* NULL: not listed */
static const char *const kind_names[] = {
    [WB_ENTITY_VARIABLE] = "variable", [WB_ENTITY_DEVICE_VARIABLE] = "variable",
    [WB_ENTITY_CONSTANT] = "variable", [WB_ENTITY_FUNCTION] = "function",
    [WB_ENTITY_KERNEL] = "kernel",     [WB_ENTITY_SOURCE_FUNCTION] = "function",
    [WB_ENTITY_TYPE] = "type",         [WB_ENTITY_TEMPLATE] = "template",
    [WB_ENTITY_MACRO] = "macro",       [WB_ENTITY_HIDDEN] = NULL,
};

static int by_name(const void *a, const void *b) {
    const wb_live_entity *x = *(const wb_live_entity *const *)a;
    const wb_live_entity *y = *(const wb_live_entity *const *)b;
    int order = strcmp(x->e.name, y->e.name);
    return order ? order : (x > y) - (x < y);
}

/* Returns the text as the user wrote it, malloc'd. */
static char *without_aside(const char *text) {
    wb_buf b = {0};
    wb_buf_replace(&b, text, WB_ASIDE "::", "");
    return wb_buf_steal(&b);
}

json_t *wb_live_names(const wb_live *live) {
    json_t *list = json_array();
    WB_SCOPED const wb_live_entity **sorted = calloc(live->n + 1, sizeof *sorted);
    size_t n = 0;
    for (size_t i = 0; sorted && i < live->n; i++)
        if (kind_names[live->v[i].e.kind] && live->v[i].e.name[0] != '(' &&
            !wb_closure_is(&live->v[i].e) && !wb_unnamed_is(&live->v[i].e))
            sorted[n++] = &live->v[i];
    if (n)
        qsort(sorted, n, sizeof *sorted, by_name);
    for (size_t i = 0; i < n; i++) {
        const wb_entity *e = &sorted[i]->e;
        WB_SCOPED char *name = wb_format("%s%s", is_aside(e) ? "" : e->scope, e->name);
        WB_SCOPED char *signature = without_aside(e->signature ? e->signature : "");
        WB_SCOPED char *type = wb_closure_plain(wb_format("%s", e->type ? e->type : ""));
        bool is_type = e->kind == WB_ENTITY_TYPE || e->kind == WB_ENTITY_TEMPLATE;
        json_array_append_new(
            list, wb_json_pack("{s:s, s:s, s:s*, s:s, s:i, s:s, s:s*}", "name",
                               name ? name : e->name, "kind", kind_names[e->kind], "place",
                               e->kind == WB_ENTITY_DEVICE_VARIABLE ? "device" : NULL, "type",
                               type ? type : "", "cell", sorted[i]->number, "signature",
                               signature ? signature : "", "text", is_type ? e->text : NULL));
    }
    return list;
}

/* ---- what the compiler showed -------------------------------------------------------------- */

bool wb_live_doubt(wb_live *live, const wb_guess *guess) {
    char *name = strdup(guess->name);
    return name && WB_ADD(live->learned, live->n_learned,
                          (wb_learned){.name = name,
                                       .type = !guess->type,
                                       .plain = guess->type == guess->plain,
                                       .trial = true});
}

bool wb_live_doubt_none(wb_live *live) {
    bool changed = false;
    for (size_t i = 0; i < live->n_learned; i++) {
        wb_learned *l = &live->learned[i];
        changed |= l->trial && l->type != l->plain;
        l->type = l->trial ? l->plain : l->type;
    }
    return changed;
}

void wb_live_settle(wb_live *live, bool keep) {
    size_t kept = 0;
    for (size_t i = 0; i < live->n_learned; i++) {
        wb_learned l = live->learned[i];
        if (l.trial && !keep) {
            free(l.name);
            continue;
        }
        l.trial = false;
        live->learned[kept++] = l;
    }
    live->n_learned = kept;
}

static int learned(const wb_live *live, const char *name, size_t len) {
    for (size_t i = 0; i < live->n_learned; i++)
        if (wb_word_is(name, len, live->learned[i].name))
            return live->learned[i].type ? 't'
                                         : 'c'; /* not a variable, so lambdas do not capture it */
    return 0;
}

static int means(const wb_live *live, const char *name, size_t len) {
    WB_SCOPED char *whole = wb_format("%.*s", (int)len, name);
    int kind = 0;
    for (size_t i = live->n; whole && !kind && i-- > 0;)
        kind = wb_entity_means(&live->v[i].e, whole);
    return kind ? kind : learned(live, name, len);
}

int wb_live_ask(void *live, const char *name, size_t len) {
    if (memmem(name, len, "::", 2))
        return means(live, name, len);
    const wb_live_entity *x = wb_live_find(live, name, len);
    if (!x)
        return learned(live, name, len);
    static const char kinds[] = {
        [WB_ENTITY_DEVICE_VARIABLE] = 'd', [WB_ENTITY_CONSTANT] = 'k', [WB_ENTITY_FUNCTION] = 'f',
        [WB_ENTITY_SOURCE_FUNCTION] = 'f', [WB_ENTITY_KERNEL] = 'f',   [WB_ENTITY_TYPE] = 'f',
        [WB_ENTITY_TEMPLATE] = 'f',        [WB_ENTITY_HIDDEN] = 0};
    if (x->e.kind == WB_ENTITY_VARIABLE)
        return wb_entity_shape(&x->e) | (is_aside(&x->e) ? WB_SPLIT_ASIDE : 0);
    if (x->e.kind == WB_ENTITY_MACRO)
        return wb_split_macro_is_statement(x->e.text) ? 'm' : 'c';
    bool type = kinds[x->e.kind] == 'f' && strncmp(x->e.key, "t:", 2) == 0;
    return !type ? kinds[x->e.kind] : wb_word_is(name, len, x->e.name) ? 't' : 'c';
}

static const char *find_macro(void *live, const char *name, size_t len) {
    const wb_live_entity *x = wb_live_find(live, name, len);
    return x && x->e.kind == WB_ENTITY_MACRO ? x->e.text : NULL;
}

wb_splitting wb_live_how(const wb_live *live) {
    return (wb_splitting){wb_live_ask, find_macro, (void *)live};
}

/* ---- what is put aside (ambiguous.h) ------------------------------------------------------- */

const wb_entity *wb_live_has(const wb_live *live, const wb_split *own, const char *name,
                             size_t len) {
    const wb_entity *e = NULL;
    for (size_t i = 0; own && !e && i < own->n_entities; i++)
        e = wb_word_is(name, len, own->entities[i].name) ? &own->entities[i] : NULL;
    const wb_live_entity *x = e ? NULL : wb_live_find(live, name, len);
    e = x ? &x->e : e;
    return e && (!*e->scope || is_aside(e)) && e->kind != WB_ENTITY_HIDDEN ? e : NULL;
}

/* "struct A { int a; } x;" */
static bool makes_type(const wb_split *split, const wb_entity *variable) {
    for (WB_ENTITIES(e, split))
        if (e->kind == WB_ENTITY_TYPE && e->start >= variable->start && e->end <= variable->end)
            return true;
    return false;
}

bool wb_split_variable(const wb_split *split, const char *name, size_t len, size_t *start,
                       size_t *end) {
    for (WB_ENTITIES(e, split)) {
        if (!wb_word_is(name, len, e->name) || *e->open || makes_type(split, e) ||
            (e->kind != WB_ENTITY_VARIABLE && e->kind != WB_ENTITY_CONSTANT))
            continue;
        *start = e->start;
        *end = e->end;
        return true;
    }
    return false;
}

bool wb_live_aside(const wb_live *live, const wb_split *own, const size_t *needed, size_t n) {
    bool aside = false;
    for (size_t i = 0; i < n; i++)
        aside |= is_aside(&live->v[needed[i]].e);
    for (WB_ENTITIES(e, own))
        aside |= is_aside(e);
    return aside;
}
