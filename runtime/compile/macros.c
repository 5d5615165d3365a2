/* macros.c: see macros.h. */
#include "runtime/compile/macros.h"

#include <string.h>

static void aside(void *out, const char *name, size_t len) {
    wb_buf_printf(out, "#pragma push_macro(\"%.*s\")\n#undef %.*s\n", (int)len, name, (int)len,
                  name);
}

static void back(void *out, const char *name, size_t len) {
    wb_buf_printf(out, "#pragma pop_macro(\"%.*s\")\n", (int)len, name);
}

static void each(wb_buf *out, const wb_live *live, const wb_split *split,
                 void (*f)(void *, const char *, size_t)) {
    for (size_t i = 0; i < live->n + split->n_entities; i++) {
        const wb_entity *e = i < live->n ? &live->v[i].e : &split->entities[i - live->n];
        if (e->kind == WB_ENTITY_MACRO)
            f(out, e->name, strlen(e->name));
        else if (e->kind == WB_ENTITY_TEMPLATE && e->also) /* those inside #if */
            wb_words(e->also, strlen(e->also), f, out);
    }
}

void wb_macros_aside(wb_buf *out, const wb_live *live, const wb_split *split) {
    each(out, live, split, aside);
}

void wb_macros_back(wb_buf *out, const wb_live *live, const wb_split *split) {
    each(out, live, split, back);
}
