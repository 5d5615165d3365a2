/* before.c: see before.h. A variable has another name in the pieces before its new definition.
 * Functions are reached through addresses, to which the worker writes the new one later. */
#include "runtime/cells/redefine/before.h"

#include "runtime/cells/live/anew.h"
#include "runtime/cells/live/device_vars.h"
#include "runtime/cells/redefine/late.h"
#include "runtime/base/words.h"

static bool is_variable(const wb_entity *e) {
    return e->kind == WB_ENTITY_VARIABLE || e->kind == WB_ENTITY_CONSTANT;
}

typedef struct renaming {
    const char *text, *name;
    bool declared; /* the text has a variable of that name itself */
    size_t found;
} renaming;

static bool add_prefix(void *ctx, wb_buf *out, const char *word, size_t n, char before) {
    renaming *r = ctx;
    const char *scope = before == ':' && word - r->text > 2 ? word - 3 : NULL;
    if (r->declared || !wb_word_is(word, n, r->name) ||
        (scope && scope[1] == ':' && (wb_word_part(*scope) || *scope == '>')))
        return false;
    r->found++;
    return wb_buf_puts(out, WB_BEFORE) && wb_buf_append(out, word, n);
}

/* Appends the text with the variable renamed. Returns the number of its occurrences. */
static size_t rename_words(wb_buf *out, const char *text, size_t len, const char *name) {
    renaming r = {text, name, wb_text_declares(text, len, name, strlen(name)), 0};
    wb_text_rewrite(out, text, len, add_prefix, &r);
    return r.found;
}

/* Returns true if code before the new definition can have the earlier one. */
static bool may_have(const wb_live_entity *x, const wb_entity *e, const wb_split *split) {
    const wb_entity *old = &x->e;
    if (old->kind == WB_ENTITY_MACRO)
        return e->text && (e->kind == WB_ENTITY_MACRO || e->kind == WB_ENTITY_UNDEF);
    if (wb_entity_is_linked(old))
        return old->definition && e->definition && !x->homeless && wb_anew_may_announce(old, split);
    return is_variable(old) && !*old->open && !old->is_thread && !old->is_binding;
}

void wb_before_mark(const wb_live *live, wb_split *split, const char *code) {
    for (size_t i = 0; i < split->n_entities; i++) {
        wb_entity *e = &split->entities[i];
        bool may = false;
        for (WB_LIVE(x, live))
            may |= strcmp(x->e.key, e->key) == 0 && may_have(x, e, split);
        for (size_t k = 0; k < i; k++) /* a prototype announces the new one */
            may &= strcmp(split->entities[k].key, e->key) != 0;
        size_t n = may ? (size_t)wb_late_item_of(split, e) : 0, found = 0;
        for (size_t k = 0; k + 1 < n; k++) {
            const wb_item *item = &split->items[k];
            WB_SCOPED_BUF wb_buf scratch = {0};
            found += rename_words(&scratch, code + item->start, item->end - item->start, e->name);
        }
        e->after_use = found > 0;
    }
}

void wb_before_rename(wb_buf *out, const wb_split *split, size_t item, const char *text,
                      size_t len) {
    WB_SCOPED_BUF wb_buf all = {0};
    wb_buf_append(&all, text, len);
    for (size_t i = 0; i < split->n_entities && all.data; i++) {
        const wb_entity *e = &split->entities[i];
        if (!e->after_use || *e->key != 'v' || item + 1 >= (size_t)wb_late_item_of(split, e))
            continue;
        wb_buf renamed = {0};
        rename_words(&renamed, all.data, all.len, e->name);
        wb_buf_free(&all);
        all = renamed;
    }
    wb_buf_append(out, all.data ? all.data : "", all.len);
}

char *wb_before_text(const wb_entity *old) {
    const char *text = old->kind == WB_ENTITY_CONSTANT ? old->signature : old->text;
    const char *name = wb_word_find(text, old->name, strlen(old->name));
    return name ? wb_format("%.*s" WB_BEFORE "%s", (int)(name - text), text, name) : NULL;
}
