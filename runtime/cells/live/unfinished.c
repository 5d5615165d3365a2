/* unfinished.c: see unfinished.h. */
#include "runtime/cells/live/unfinished.h"

#include "runtime/cells/live/device_vars.h"

static bool in_unfinished_item(const wb_split *split, const wb_entity *e, size_t finished) {
    for (size_t i = finished; i < split->n_items; i++)
        if (e->start >= split->items[i].start && e->start < split->items[i].end)
            return true;
    return false;
}

typedef struct search {
    const wb_split *split;
    const bool *lost;
    const char *text;
    size_t len;
    const char *found; /* the first lost variable that the text uses */
} search;

static void look_for(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    for (size_t i = 0; i < s->split->n_entities && !s->found; i++) {
        const char *name = s->split->entities[i].name;
        if (s->lost[i] && wb_word_is(word, len, name) &&
            !wb_text_declares(s->text, s->len, name, len))
            s->found = name;
    }
}

/* Returns the lost name that a function uses, or NULL. Device code can't use host variables. */
static const char *lost_use(const wb_split *split, const bool *lost, const wb_entity *e,
                            const char *code) {
    search s = {split, lost, code + e->start, e->end - e->start, NULL};
    if (e->kind == WB_ENTITY_FUNCTION || e->kind == WB_ENTITY_SOURCE_FUNCTION ||
        e->kind == WB_ENTITY_TEMPLATE)
        wb_words(s.text, s.len, look_for, &s);
    return s.found;
}

/* Marks what is lost. Returns false if nothing is. */
static bool mark(wb_split *split, const char *code, size_t finished, bool *lost,
                 const char **because) {
    bool any = false, more = false;
    for (size_t i = 0; i < split->n_entities; i++) {
        const wb_entity *e = &split->entities[i];
        lost[i] = e->kind == WB_ENTITY_VARIABLE && in_unfinished_item(split, e, finished);
        any |= lost[i];
    }
    do { /* functions that use functions that use a lost variable */
        more = false;
        for (size_t i = 0; any && i < split->n_entities; i++)
            if (!lost[i] && (because[i] = lost_use(split, lost, &split->entities[i], code)))
                more = lost[i] = true;
    } while (more);
    return any;
}

static void hide(wb_entity *e, const char *because) {
    wb_entity_hide(e, because ? wb_format(_("it uses %s, which the cell did not come to"), because)
                              : wb_format(_("the cell ended before it was created; run that cell "
                                            "again")));
}

/* Returns true for a plain variable, which later cells use by its cell's own symbol (cellgen.c). */
static bool has_own_symbol(const wb_entity *e) {
    return e->kind == WB_ENTITY_VARIABLE && !*e->scope && !*e->open && !e->tagged &&
           !e->stateless && !e->is_thread;
}

/* Returns true if the earlier live variable may stay. */
static bool stays(const wb_live *live, const wb_entity *lost) {
    const wb_live_entity *before = wb_live_find(live, lost->name, strlen(lost->name));
    return before && has_own_symbol(&before->e) && has_own_symbol(lost);
}

/* Returns the lost names as "x, y and f". */
static char *in_words(const wb_split *split, const bool *lost) {
    wb_buf names = {0};
    size_t all = 0, n = 0;
    for (size_t i = 0; i < split->n_entities; i++)
        all += lost[i];
    for (size_t i = 0; i < split->n_entities; i++)
        if (lost[i] && ++n)
            wb_buf_printf(&names, "%s%s",
                          n == 1     ? ""
                          : n == all ? _(" and ")
                                     : ", ",
                          split->entities[i].name);
    return wb_buf_steal(&names);
}

static void take_out(wb_split *split, const wb_live *live, const bool *lost,
                     const char *const *because) {
    size_t kept = 0;
    for (size_t i = 0; i < split->n_entities; i++)
        if (lost[i] && !stays(live, &split->entities[i]))
            hide(&split->entities[i], because[i]);
    for (size_t i = 0; i < split->n_entities; i++) {
        wb_entity *e = &split->entities[i];
        if (lost[i] && e->kind != WB_ENTITY_HIDDEN)
            wb_entity_free(e);
        else
            split->entities[kept++] = *e;
    }
    split->n_entities = kept;
}

char *wb_unfinished(wb_split *split, const wb_live *live, const char *code, size_t finished) {
    WB_SCOPED bool *lost = calloc(split->n_entities + 1, sizeof *lost);
    WB_SCOPED const char **because = calloc(split->n_entities + 1, sizeof *because);
    char *names = NULL;
    if (lost && because && mark(split, code, finished, lost, because)) {
        names = in_words(split, lost);
        take_out(split, live, lost, because);
    }
    return names;
}
