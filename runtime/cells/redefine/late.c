/* late.c: see late.h. It goes by words, like all that cells need. */
#include "runtime/cells/redefine/late.h"

#include "runtime/cells/live/anew.h"
#include "runtime/cells/live/device_vars.h"

int wb_late_item_of(const wb_split *split, const wb_entity *e) {
    for (size_t i = 0; i < split->n_items; i++)
        if (e->start >= split->items[i].start && e->start < split->items[i].end)
            return (int)i + 1;
    return (int)split->n_items;
}

typedef struct search {
    const wb_live *live;
    const wb_split *split;
    const char *fates;
    const size_t *needed;
    const int *late; /* of the first n that are needed */
    size_t n;
    const char *text;
    int found;
} search;

/* Returns true if the cell's entity replaces an earlier one that can't be announced, and that the
 * needed one was not written without. */
static bool replaces(const search *s, const wb_entity *e) {
    for (size_t i = 0; i < s->live->n; i++)
        if (s->fates[i] == WB_REPLACED && strcmp(s->live->v[i].e.key, e->key) == 0)
            return !wb_anew_may_announce(&s->live->v[i].e, s->split) &&
                   !wb_live_did_without(s->live, s->needed[s->n], i);
    return false;
}

static void visit(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    int late = 0;
    for (WB_ENTITIES(e, s->split))
        if (wb_word_is(word, len, e->name) && replaces(s, e))
            late = wb_late_item_of(s->split, e);
    for (size_t k = 0; k < s->n; k++)
        if (s->late[k] > late && wb_word_is(word, len, s->live->v[s->needed[k]].e.name))
            late = s->late[k];
    if (late > s->found && !wb_text_declares(s->text, strlen(s->text), word, len))
        s->found = late;
}

/* Returns true if the cell's own text uses it before that place, so that it must come first. */
static bool used_before(const wb_split *split, const char *code, const wb_entity *e, int late) {
    const char *at = late > 0 ? wb_word_find(code, e->name, strlen(e->name)) : NULL;
    return at && (size_t)(at - code) < split->items[late - 1].end;
}

int *wb_late_find(const wb_live *live, const wb_split *split, const char *code,
                  const size_t *needed, size_t n) {
    int *late = calloc(n + 1, sizeof *late);
    WB_SCOPED char *fates = wb_live_fates(live, split);
    search s = {.live = live, .split = split, .fates = fates, .needed = needed, .late = late};
    for (; fates && late && s.n < n; s.n++) {
        const wb_entity *e = &live->v[needed[s.n]].e;
        s.text = e->kind == WB_ENTITY_VARIABLE && !e->stateless ? e->type : e->text;
        s.found = 0;
        if (s.text && !e->required && e->kind != WB_ENTITY_MACRO && e->kind != WB_ENTITY_HIDDEN)
            wb_words(s.text, strlen(s.text), visit, &s);
        late[s.n] = used_before(split, code, e, s.found) ? 0 : s.found;
    }
    return late;
}
