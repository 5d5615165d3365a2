/* macros.c: see macros.h. */
#include "runtime/cells/live/macros.h"

#include "runtime/cells/live/device_vars.h"

static void aside(void *out, const char *name, size_t len) {
    wb_buf_printf(out, "#pragma push_macro(\"%.*s\")\n#undef %.*s\n", (int)len, name, (int)len,
                  name);
}

static void back(void *out, const char *name, size_t len) {
    wb_buf_printf(out, "#pragma pop_macro(\"%.*s\")\n", (int)len, name);
}

static void each(wb_buf *out, const wb_live *live, const wb_split *split,
                 void (*f)(void *, const char *, size_t)) {
    for (size_t i = 0; i < wb_live_count(live, split); i++) {
        const wb_entity *e = wb_live_at(live, split, i);
        if (e->kind == WB_ENTITY_MACRO)
            f(out, e->name, strlen(e->name));
        else if (e->kind == WB_ENTITY_TEMPLATE && e->also) /* macros inside #if */
            wb_words(e->also, strlen(e->also), f, out);
    }
}

void wb_macros_aside(wb_buf *out, const wb_live *live, const wb_split *split) {
    each(out, live, split, aside);
}

void wb_macros_back(wb_buf *out, const wb_live *live, const wb_split *split) {
    each(out, live, split, back);
}

/* ---- earlier text and later macros -------------------------------------------------------- */

/* Returns true if the notebook has another thing of the macro's name, which the text may mean. */
static bool hides(const wb_live *live, const char *name) {
    for (WB_LIVE(x, live))
        if (x->e.kind != WB_ENTITY_MACRO && wb_live_answers_to(&x->e, name, strlen(name)))
            return true;
    return false;
}

static bool declares(const char *text, const char *name) {
    return text && wb_text_declares(text, strlen(text), name, strlen(name));
}

/* Returns the order of the notebook's first definition of the macro in a row; 0: it has none. */
static size_t since(const wb_live *live, const char *name) {
    for (WB_LIVE(x, live))
        if (x->e.kind == WB_ENTITY_MACRO && strcmp(x->e.name, name) == 0)
            return x->since;
    return 0;
}

static void each_later(wb_buf *out, const wb_live *live, const wb_split *own, size_t i,
                       void (*f)(void *, const char *, size_t)) {
    for (size_t k = 0; k < live->n + (own ? own->n_entities : 0); k++) {
        const wb_entity *e = k < live->n ? &live->v[k].e : &own->entities[k - live->n];
        bool later = k < live->n ? live->v[k].since > live->v[i].order : !since(live, e->name);
        const wb_entity *by = &live->v[i].e;
        if (e->kind == WB_ENTITY_MACRO && later &&
            (hides(live, e->name) || declares(by->text, e->name) ||
             declares(by->definition, e->name)))
            f(out, e->name, strlen(e->name));
    }
}

void wb_macros_aside_later(wb_buf *out, const wb_live *live, const wb_split *own, size_t i) {
    each_later(out, live, own, i, aside);
}

void wb_macros_back_later(wb_buf *out, const wb_live *live, const wb_split *own, size_t i) {
    each_later(out, live, own, i, back);
}
