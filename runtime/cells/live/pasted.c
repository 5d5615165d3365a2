/* pasted.c: see pasted.h. */
#include "runtime/cells/live/pasted.h"

#include "runtime/cells/split/expand.h"

typedef struct finder {
    const wb_live *live;
    const wb_split *split;
} finder;

static const wb_entity *entity(const finder *f, size_t i) {
    return i < f->live->n ? &f->live->v[i].e : &f->split->entities[i - f->live->n];
}

static const char *find(void *ctx, const char *name, size_t len) {
    const finder *f = ctx;
    for (size_t i = f->live->n + f->split->n_entities; i-- > 0;) {
        const wb_entity *e = entity(f, i);
        if (e->kind == WB_ENTITY_MACRO && strlen(e->name) == len && memcmp(e->name, name, len) == 0)
            return e->text;
    }
    return NULL;
}

bool wb_pasted_any(const wb_live *live, const wb_split *split) {
    finder f = {live, split};
    for (size_t i = 0; i < live->n + split->n_entities; i++)
        if (entity(&f, i)->kind == WB_ENTITY_MACRO && wb_macro_pastes(entity(&f, i)->text))
            return true;
    return false;
}

void wb_pasted_words(const wb_live *live, const wb_split *split, const char *text, size_t len,
                     void (*f)(void *ctx, const char *word, size_t len), void *ctx) {
    finder all = {live, split};
    WB_SCOPED char *expanded = wb_macro_expand(text, len, find, &all);
    if (expanded)
        wb_words(expanded, strlen(expanded), f, ctx);
}
