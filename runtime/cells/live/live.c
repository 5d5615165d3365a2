/* live.c: see live.h. Dependencies go by name: an entity needs every live entity whose name occurs
 * in its text. That may find too many, which costs a declaration, but never too few. */
#include "runtime/cells/live/live.h"

#include "runtime/cells/live/anew.h"
#include "runtime/cells/split/closure.h"
#include "runtime/cells/split/expand.h"

void wb_live_free(wb_live *live) {
    for (WB_LIVE(x, live))
        wb_entity_free(&x->e);
    for (size_t i = 0; i < live->n_learned; i++)
        free(live->learned[i].name);
    WB_FREE(live->learned, live->v);
    *live = (wb_live){.v = NULL};
}

bool wb_live_answers_to(const wb_entity *e, const char *word, size_t len) {
    return wb_word_is(word, len, e->name) || wb_word_find(e->also, word, len);
}

const wb_live_entity *wb_live_find(const wb_live *live, const char *name, size_t len) {
    for (size_t i = live->n; i-- > 0;)
        if (wb_live_answers_to(&live->v[i].e, name, len))
            return &live->v[i];
    return NULL;
}

/* ---- what replaces what ---- */

static bool is_function(wb_entity_kind kind) {
    return kind == WB_ENTITY_FUNCTION || kind == WB_ENTITY_KERNEL ||
           kind == WB_ENTITY_SOURCE_FUNCTION || kind == WB_ENTITY_TEMPLATE;
}

static bool defines_same(const wb_entity *old, const wb_split *split) {
    for (WB_ENTITIES(e, split))
        if (wb_entity_same_name(e, old))
            return true;
    return false;
}

/* Returns false for lambda types, whose names depend on their text. */
static bool has_name(const wb_entity *e) {
    return !e->required && !wb_closure_is(e) && !wb_unnamed_is(e);
}

static bool cell_defines(const wb_live *live, size_t cell, const wb_entity *e) {
    for (WB_LIVE(x, live))
        if (x->cell == cell && wb_entity_same_name(&x->e, e))
            return true;
    return false;
}

/* Returns true if the cell defines exactly the names of an earlier one, so that it is that cell,
 * edited and run again. Its overloads then replace the earlier ones. */
static bool ran_before(const wb_live *live, size_t cell, const wb_split *split) {
    for (WB_LIVE(x, live))
        if (x->cell == cell && has_name(&x->e) && !defines_same(&x->e, split))
            return false;
    for (WB_ENTITIES(e, split))
        if (has_name(e) && !cell_defines(live, cell, e))
            return false;
    return true;
}

/* Returns true if the new cell is the one that defined `old`, run again. */
static bool is_rerun(const wb_live *live, const wb_live_entity *old, const wb_split *split) {
    if (live->origin && old->origin)
        return live->origin == old->origin;
    return ran_before(live, old->cell, split);
}

static bool is_unscoped_enum(const wb_entity *e) {
    const char *tag = e->text && strncmp(e->text, "enum", 4) == 0 ? e->text + 4 : "class";
    tag += strspn(tag, " ");
    return e->kind == WB_ENTITY_TYPE && strncmp(tag, "class", 5) != 0 &&
           strncmp(tag, "struct", 6) != 0;
}

/* Returns true for a prototype kept beside its definition: "f:even(int);" and "f:even(int)". */
static bool declares_function(const wb_entity *prototype, const wb_entity *e) {
    size_t n = strlen(e->key);
    return strncmp(e->key, "f:", 2) == 0 && strncmp(prototype->key, e->key, n) == 0 &&
           strcmp(prototype->key + n, ";") == 0;
}

/* Returns true if both introduce a common name. */
static bool share_name(const wb_entity *a, const wb_entity *b) {
    bool shares = false;
    if (strcmp(a->scope, b->scope) != 0 || !a->also || !b->also)
        return false;
    for (const char *p = a->also + strspn(a->also, " "); *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        shares |= wb_word_find(b->also, p, n) != NULL;
        p += n;
    }
    return shares;
}

bool wb_live_same_place(const wb_entity *a, const wb_entity *b) {
    return strcmp(a->key, b->key) == 0 ||
           (is_unscoped_enum(a) && is_unscoped_enum(b) && share_name(a, b));
}

bool wb_live_replaced(const wb_split *own, const wb_entity *e) {
    for (WB_ENTITIES(other, own))
        if (wb_live_same_place(other, e))
            return true;
    return false;
}

static bool replaces(const wb_live *live, const wb_split *split, const wb_live_entity *old) {
    for (WB_ENTITIES(e, split)) {
        bool macro = e->kind == WB_ENTITY_MACRO || e->kind == WB_ENTITY_UNDEF;
        bool rerun = live->origin && live->origin == old->origin;
        if (macro && old->e.kind != WB_ENTITY_MACRO && (e->kind == WB_ENTITY_UNDEF || !rerun))
            continue; /* it only hides its name */
        if (wb_anew_declares_again(split, e, &old->e))
            continue;
        if (wb_live_same_place(&old->e, e) || declares_function(&old->e, e))
            return true;
        if (rerun && strcmp(old->e.name, "(conditional)") == 0 && share_name(e, &old->e))
            return true; /* the branches were edited */
        if (!wb_entity_same_name(e, &old->e) || e->required || e->name[0] == '(')
            continue; /* "(conditional)" and the like are no names */
        bool types = e->kind == WB_ENTITY_TYPE || old->e.kind == WB_ENTITY_TYPE;
        if (!types && (!is_function(e->kind) || !is_function(old->e.kind) ||
                       e->key[0] != old->e.key[0])) /* a variable template and a function */
            return true;                            /* another kind of thing */
        if (is_function(e->kind) && is_function(old->e.kind) && !wb_anew_is_prototype(e) &&
            is_rerun(live, old, split))
            return true;
    }
    return false;
}

/* Returns true if the cell changes the type `old`. */
static bool changes_type(const wb_entity *old, const wb_split *split) {
    if (old->kind != WB_ENTITY_TYPE && old->kind != WB_ENTITY_TEMPLATE)
        return false;
    for (WB_ENTITIES(e, split)) {
        if (strcmp(e->key, old->key) != 0 || strncmp(e->key, "t:", 2) != 0)
            continue;
        if (wb_closure_is(e) && !e->type) /* its captures are unknown until it is compiled */
            return true;
        return strcmp(e->text, old->text) != 0;
    }
    return false;
}

static void mark_users(const wb_live *live, char *fates, const char *type, int depth) {
    for (size_t i = 0; i < live->n && depth < 16; i++) {
        const wb_entity *e = &live->v[i].e;
        const char *declared = e->type ? e->type : e->text;
        bool is_type = e->kind == WB_ENTITY_TYPE; /* a type with the same text changes too */
        if ((fates[i] != WB_KEPT && !(is_type && fates[i] == WB_REPLACED)) ||
            e->kind == WB_ENTITY_HIDDEN || e->required || !declared || strcmp(e->name, type) == 0 ||
            !wb_word_find(declared, type, strlen(type)))
            continue;
        if (is_type)
            mark_users(live, fates, e->name, depth + 1);
        else if (e->kind == WB_ENTITY_VARIABLE || e->kind == WB_ENTITY_DEVICE_VARIABLE ||
                 wb_entity_is_linked(e))
            fates[i] = WB_STALE;
    }
}

/* Returns true if the cell uses it before it redefines it, or before an #undef. */
static bool used_before(const wb_entity *old, const wb_split *split) {
    for (WB_ENTITIES(e, split))
        if (strcmp(e->key, old->key) == 0)
            return e->after_use ||
                   (old->kind == WB_ENTITY_MACRO && e->kind == WB_ENTITY_UNDEF && !e->text);
    return false;
}

char *wb_live_fates(const wb_live *live, const wb_split *split) {
    char *fates = calloc(live->n + 1, 1);
    for (size_t i = 0; fates && i < live->n; i++)
        fates[i] = replaces(live, split, &live->v[i]) ? WB_REPLACED : WB_KEPT;
    for (size_t i = 0; fates && i < live->n; i++)
        if (changes_type(&live->v[i].e, split))
            mark_users(live, fates, live->v[i].e.name, 0);
    return fates;
}

/* ---- what a cell needs -------------------------------------------------------------------- */

/* ALONE: a macro for the headers after it, whose body's names are not needed. ANEW: the cell
 * redefines it, and code repeated before that may use it. */
enum { UNSEEN, ALONE, VISITING, DONE, ANEW, GONE };

typedef struct search {
    const wb_live *live;
    const wb_split *split;
    bool pastes;   /* a macro pastes names, so texts are searched expanded, too */
    char *state;   /* a mark for each entity */
    size_t before; /* the entity being prepared, or SIZE_MAX */
    size_t depth;  /* how many are being prepared */
    size_t late;   /* of `found`: from here on, their later needs are not visited yet */
    bool whole;    /* finds definitions, not declarations */
    size_t *found, n;
} search;

bool wb_live_did_without(const wb_live *live, size_t i, size_t other) {
    const wb_live_entity *x = &live->v[i], *y = &live->v[other];
    if (x->cell == y->cell && other > i)
        return true;
    for (size_t k = 0; k <= i && !wb_anew_is_forward(&y->e); k++)
        if (live->v[k].cell == x->cell && wb_anew_is_forward(&live->v[k].e) &&
            strcmp(live->v[k].e.name, y->e.name) == 0)
            return true;
    return false;
}

static void visit(search *s, size_t i);
static void visit_body(search *s, size_t i);

bool wb_live_operates_on(const wb_entity *e, const char *word, size_t len) {
    static const char ordinary[] =
        "const volatile unsigned signed int long short char bool float double auto void std size_t "
        "operator class struct enum typename template";
    static const char *const built_in[][2] = {
        {"threadIdx", "uint3"}, {"blockIdx", "uint3"}, {"blockDim", "dim3"}, {"gridDim", "dim3"}};
    if (!e->attach || len < 3 || strncmp(e->name, "operator", 8) != 0 || !is_function(e->kind))
        return false;
    if (len > 5 && memcmp(word, "make_", 5) == 0)
        return wb_word_find(e->attach, word + 5, len - 5);
    for (size_t i = 0; i < WB_COUNT(built_in); i++)
        if (wb_word_is(word, len, built_in[i][0]))
            return wb_word_find(e->attach, built_in[i][1], strlen(built_in[i][1]));
    return !wb_word_among(word, len, ordinary) && wb_word_find(e->attach, word, len);
}

/* Returns true if entity i is called by the word. An operator may use only operators before it. */
static bool calls(const search *s, size_t i, const char *word, size_t len) {
    const wb_entity *e = &s->live->v[i].e;
    return wb_live_answers_to(e, word, len) ||
           ((s->before == SIZE_MAX || i < s->before) && wb_live_operates_on(e, word, len));
}

static void visit_word(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    for (size_t i = 0; i < s->live->n; i++)
        if ((s->state[i] <= ALONE || (s->state[i] == ANEW && s->depth > 0)) &&
            calls(s, i, word, len) &&
            (s->before == SIZE_MAX || !wb_live_did_without(s->live, s->before, i)))
            s->state[i] == ALONE ? visit_body(s, i) : visit(s, i);
}

static const char *find_macro(void *ctx, const char *name, size_t len) {
    const search *s = ctx;
    for (size_t i = wb_live_count(s->live, s->split); i-- > 0;) {
        const wb_entity *e = wb_live_at(s->live, s->split, i);
        if (e->kind == WB_ENTITY_MACRO && wb_word_is(name, len, e->name))
            return e->text;
    }
    return NULL;
}

/* "#define CALL(n) run_##n()" makes run_all of CALL(all), a name that no text contains. */
static bool any_pastes(const wb_live *live, const wb_split *split) {
    bool any = false;
    for (size_t i = 0; i < wb_live_count(live, split) && !any; i++)
        any = wb_live_at(live, split, i)->kind == WB_ENTITY_MACRO &&
              wb_macro_pastes(wb_live_at(live, split, i)->text);
    return any;
}

static void visit_text(search *s, const char *text, size_t len) {
    WB_SCOPED char *expanded = s->pastes ? wb_macro_expand(text, len, find_macro, s) : NULL;
    wb_words(text, len, visit_word, s);
    if (expanded)
        wb_words(expanded, strlen(expanded), visit_word, s);
}

static void visit_words(search *s, const char *text) {
    if (text)
        visit_text(s, text, strlen(text));
}

/* Visits operators, specialisations and overloads that are found through the type. */
static void visit_attached(search *s, const wb_entity *type) {
    for (size_t i = 0; i < s->live->n; i++) {
        const wb_entity *e = &s->live->v[i].e;
        if (s->state[i] == UNSEEN && e->attach &&
            wb_word_find(e->attach, type->name, strlen(type->name)))
            visit(s, i);
    }
}

bool wb_live_names_file(const wb_entity *e) {
    size_t n;
    return e->kind == WB_ENTITY_INCLUDE && e->text && wb_word_included(e->text, &n);
}

static void visit_all_words(search *s, size_t i) {
    const wb_entity *e = &s->live->v[i].e;
    bool body = s->whole || s->live->v[i].homeless;
    if (e->kind == WB_ENTITY_HIDDEN || wb_live_names_file(e))
        return;
    visit_words(s, e->kind == WB_ENTITY_VARIABLE && !e->stateless ? e->type : e->text);
    visit_words(s, body ? e->definition : NULL);
    visit_words(s, e->type);
    visit_words(s, e->scope);
}

static void visit(search *s, size_t i) {
    const wb_entity *e = &s->live->v[i].e;
    size_t outer = s->before;
    s->before = i;
    s->depth++;
    s->state[i] = VISITING;
    visit_all_words(s, i);
    s->state[i] = DONE;
    s->found[s->n++] = i;
    s->before = SIZE_MAX;
    if (e->kind == WB_ENTITY_TYPE || e->kind == WB_ENTITY_TEMPLATE)
        visit_attached(s, e);
    s->depth--;
    while (s->depth == 0 && s->late < s->n) { /* what they were written without */
        size_t late = s->found[s->late++];
        if (s->state[late] != ALONE)
            visit_all_words(s, late);
    }
    s->before = outer;
}

/* Visits what a used macro's body names. */
static void visit_body(search *s, size_t i) {
    s->state[i] = DONE;
    s->depth++;
    visit_all_words(s, i);
    s->depth--;
}

/* Visits an entity whose body comes last. */
static void visit_later(search *s, size_t i) {
    s->depth++;
    s->before = i;
    visit_words(s, s->live->v[i].e.definition);
    s->before = SIZE_MAX;
    s->depth--;
    if (s->state[i] == UNSEEN)
        visit(s, i);
}

/* Returns true if entity i is a macro that only headers of the system may see. A user's header may
 * use what the body names. */
static bool stands_alone(const search *s, size_t i) {
    const wb_live_entity *x = &s->live->v[i];
    bool alone = x->e.kind == WB_ENTITY_MACRO;
    for (size_t k = i + 1; alone && k < s->live->n && s->live->v[k].cell == x->cell; k++)
        alone = !wb_live_names_file(&s->live->v[k].e) || !strchr(s->live->v[k].e.text, '"');
    return alone;
}

/* Visits includes and directives first, in the order of the notebook. */
static void visit_required(search *s) {
    for (size_t i = 0; i < s->live->n; i++)
        if (s->live->v[i].e.required && s->state[i] == UNSEEN) {
            if (!stands_alone(s, i)) {
                visit(s, i);
            } else {
                s->state[i] = ALONE;
                s->found[s->n++] = i;
            }
        }
}

size_t *wb_live_needed(const wb_live *live, const wb_split *split, const char *words, size_t len,
                       bool whole, const bool *bodies, size_t *front, size_t *n) {
    search s = {.live = live, .split = split, .before = SIZE_MAX, .whole = whole};
    s.pastes = any_pastes(live, split);
    char *fates = wb_live_fates(live, split);
    s.state = calloc(live->n + 1, 1);
    for (size_t i = 0; fates && s.state && i < live->n; i++)
        s.state[i] = fates[i] == WB_KEPT || used_before(&live->v[i].e, split) ? UNSEEN
                     : !whole && wb_anew_may_announce(&live->v[i].e, split)   ? ANEW
                                                                              : GONE;
    s.found = calloc(live->n + 1, sizeof *s.found);
    *n = 0;
    if (fates && s.state && s.found) {
        visit_required(&s);
        visit_text(&s, words, len);
        *front = s.n;
        for (size_t i = 0; bodies && i < live->n; i++)
            if (bodies[i])
                visit_later(&s, i);
        *n = s.n;
    } else {
        free(s.found);
        s.found = NULL;
    }
    WB_FREE(fates, s.state);
    return s.found;
}

/* ---- taking in ---------------------------------------------------------------------------- */

static void drop(wb_live *live, size_t i) {
    wb_entity_free(&live->v[i].e);
    memmove(live->v + i, live->v + i + 1, (live->n - i - 1) * sizeof *live->v);
    live->n--;
}

/* Returns true for state. A lambda without captures is only text. */
static bool is_state(const wb_entity *e) {
    return e->kind == WB_ENTITY_DEVICE_VARIABLE || wb_closure_is(e) ||
           (e->kind == WB_ENTITY_VARIABLE && !e->stateless);
}

void wb_live_lose(wb_live *live) {
    for (size_t i = live->n; i-- > 0;) {
        if (is_state(&live->v[i].e))
            drop(live, i);
        else
            live->v[i].homeless |= live->v[i].e.definition != NULL;
    }
}

/* Returns true if another entity of the cell with the same key stays instead: the last one, but of
 * a prototype and its definition the first, which has the default arguments. */
static bool superseded(const wb_split *split, size_t i) {
    const wb_entity *e = &split->entities[i];
    for (size_t k = 0; k < split->n_entities; k++) {
        const wb_entity *other = &split->entities[k];
        if (k == i || !other->name || other->kind == WB_ENTITY_UNDEF ||
            strcmp(other->key, e->key) != 0)
            continue;
        if (wb_entity_is_linked(e) && other->kind == e->kind ? k < i : k > i)
            return true;
    }
    return false;
}

/* Moves the definition's body to the prototype that stays. */
static void keep_bodies(wb_split *split) {
    for (size_t i = 0; i < split->n_entities; i++)
        for (size_t k = 0; k < i && split->entities[i].definition; k++) {
            wb_entity *first = &split->entities[k], *e = &split->entities[i];
            if (first->kind == e->kind && !first->definition && strcmp(first->key, e->key) == 0) {
                first->definition = e->definition;
                first->announced = true;
                e->definition = NULL;
            }
        }
}

/* Returns true if the earlier definition stays. It takes over the prototype's defaults. */
static bool takes_prototype(wb_live *live, const wb_split *split, wb_entity *e) {
    for (WB_LIVE(x, live)) {
        wb_entity *old = &x->e;
        if (!wb_anew_declares_again(split, e, old))
            continue;
        if (old->definition && strchr(e->text, '=')) {
            char *before = old->text;
            old->text = e->text;
            e->text = before;
            old->announced = true;
        }
        return true;
    }
    return false;
}

/* Returns when the row of definitions that `e` continues began; 0: with it. */
static size_t row_start(const wb_live *live, const char *fates, const wb_entity *e) {
    for (size_t i = 0; i < live->n; i++)
        if (fates[i] == WB_REPLACED && wb_entity_same_name(&live->v[i].e, e))
            return live->v[i].since;
    return 0;
}

bool wb_live_accept(wb_live *live, wb_split *split, size_t cell, int number) {
    wb_live_entity *more = realloc(live->v, (live->n + split->n_entities + 1) * sizeof *more);
    if (more)
        live->v = more;
    WB_SCOPED char *fates = more ? wb_live_fates(live, split) : NULL;
    WB_SCOPED bool *old = calloc(split->n_entities + 1, sizeof *old);
    WB_SCOPED size_t *since = calloc(split->n_entities + 1, sizeof *since);
    if (!fates || !old || !since)
        return false;
    for (size_t i = 0; i < split->n_entities; i++)
        since[i] = row_start(live, fates, &split->entities[i]);
    for (size_t i = live->n; i-- > 0;) {
        if (fates[i] == WB_STALE)
            wb_entity_hide(&live->v[i].e, wb_format(_("it was made with a type that cell [%d] has "
                                                      "redefined since; run cell [%d] again"),
                                                    number, live->v[i].number));
        else if (fates[i] == WB_REPLACED)
            drop(live, i);
    }
    for (size_t i = 0; i < split->n_entities; i++)
        old[i] = split->entities[i].kind == WB_ENTITY_UNDEF || superseded(split, i) ||
                 takes_prototype(live, split, &split->entities[i]);
    keep_bodies(split);
    size_t kept = 0;
    for (size_t i = 0; i < split->n_entities; i++) {
        live->orders++;
        if (old[i]) /* stays with the split, which frees it */
            split->entities[kept++] = split->entities[i];
        else
            live->v[live->n++] = (wb_live_entity){.e = split->entities[i],
                                                  .cell = cell,
                                                  .home = cell,
                                                  .number = number,
                                                  .origin = live->origin,
                                                  .order = live->orders,
                                                  .since = since[i] ? since[i] : live->orders};
    }
    split->n_entities = kept;
    return true;
}
