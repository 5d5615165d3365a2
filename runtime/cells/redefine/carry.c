/* carry.c: see carry.h. By words, as all that cells need: at times something is compiled again that
 * did not have to be. */
#include "runtime/cells/redefine/carry.h"
#include "runtime/base/language.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/cells/live/device_vars.h"

/* What code has in it, rather than a call or an address of. */
static bool is_compiled_in(wb_entity_kind kind) {
    return kind == WB_ENTITY_SOURCE_FUNCTION || kind == WB_ENTITY_TEMPLATE ||
           kind == WB_ENTITY_TYPE || kind == WB_ENTITY_CONSTANT ||
           kind == WB_ENTITY_DEVICE_VARIABLE;
}

static bool is_linked(const wb_entity *e) {
    return e->kind == WB_ENTITY_FUNCTION || e->kind == WB_ENTITY_KERNEL;
}

static const wb_entity *replacement(const wb_split *split, const wb_entity *old) {
    for (size_t i = 0; i < split->n_entities; i++)
        if (strcmp(split->entities[i].key, old->key) == 0)
            return &split->entities[i];
    return NULL;
}

/* "S" of the constructor S::S, "+" of operator+: how code names it. */
static const char *called(const wb_entity *e) {
    const char *name = e->name;
    for (const char *p = name; (p = strstr(p, "::")); p += 2)
        name = p + 2;
    bool sign = strncmp(name, "operator", 8) == 0;
    name += sign ? 8 : *name == '~';
    return name + strspn(name, " ");
}

/* S::S, S::~S, whose code the linker has under several names. */
static bool is_structor(const wb_entity *e) {
    const char *name = called(e);
    size_t n = strlen(name);
    const char *end = name > e->name && name[-1] == '~' ? name - 1 : name;
    return e->kind == WB_ENTITY_FUNCTION && e->definition && (size_t)(end - e->name) >= n + 2 &&
           memcmp(end - n - 2, name, n) == 0 && memcmp(end - 2, "::", 2) == 0 &&
           (end == e->name + n + 2 || strchr(": ", end[-(long)n - 3]));
}

/* "auto f = [...": its type is known later, or is of a name that says nothing. */
static bool is_lambda(const wb_entity *e) {
    const char *at =
        e->kind == WB_ENTITY_VARIABLE && e->signature ? strchr(e->signature, '=') : NULL;
    return at && at[1 + strspn(at + 1, " ")] == '[';
}

/* "thread_local int" of "thread_local int x = 3". */
static bool same_type(const wb_entity *a, const wb_entity *b) {
    const char *x = a->signature ? strstr(a->signature, a->name) : NULL;
    const char *y = b->signature ? strstr(b->signature, b->name) : NULL;
    return x && y && x - a->signature == y - b->signature &&
           memcmp(a->signature, b->signature, (size_t)(x - a->signature)) == 0;
}

/* Linked, and the same kind of thing anew, but nothing that runs can be pointed at it: a lambda has
 * a type of its own each time, of a thread's variable there are many, constructors have many
 * symbols, and a structured binding has none. */
static bool succeeds(const wb_entity *old, const wb_entity *e) {
    if (e->kind == WB_ENTITY_FUNCTION)
        return is_structor(old) && is_structor(e) && strcmp(old->definition, e->definition) != 0;
    if (old->is_thread || e->is_thread)
        return old->is_thread && e->is_thread && same_type(old, e);
    if (old->is_binding)
        return true;
    return is_lambda(old) && is_lambda(e) && strcmp(old->signature, e->signature) != 0;
}

/* Whether the cell makes it another, so that what has it in it is to be compiled again. */
static bool changes(const wb_split *split, const wb_entity *old) {
    const wb_entity *e = replacement(split, old);
    if (!e)
        return false;
    if (!is_compiled_in(old->kind) && !is_compiled_in(e->kind))
        return e->kind == old->kind && succeeds(old, e);
    return e->kind != old->kind || e->kind == WB_ENTITY_DEVICE_VARIABLE || !e->text || !old->text ||
           strcmp(e->text, old->text) != 0;
}

typedef struct search {
    const wb_live *live;
    const wb_split *split;
    const char *text; /* that the words are of */
    char *seen;
    bool found;
} search;

static void visit_text(search *s, const char *text);

static void visit(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    for (size_t i = 0; i < s->live->n && !s->found; i++) {
        const wb_entity *e = &s->live->v[i].e;
        bool repeated = is_compiled_in(e->kind) || e->kind == WB_ENTITY_MACRO || is_lambda(e);
        const char *name = is_structor(e) ? called(e) : e->name;
        bool pointed_at = !repeated && !e->is_thread && !e->is_binding && name == e->name;
        if (s->seen[i] || pointed_at || strlen(name) != len || memcmp(name, word, len) != 0 ||
            wb_text_declares(s->text, strlen(s->text), word, len))
            continue;
        s->seen[i] = 1;
        s->found = changes(s->split, e);
        if (!s->found && repeated)
            visit_text(s, e->text);
    }
}

static void visit_text(search *s, const char *text) {
    const char *outer = s->text;
    s->text = text;
    if (text)
        wb_words(text, strlen(text), visit, s);
    s->text = outer;
}

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += n)
        if ((p == text || !strchr("_abcdefghijklmnopqrstuvwxyz", p[-1])) &&
            !strchr("_abcdefghijklmnopqrstuvwxyz", p[n]))
            return true;
    return false;
}

/* Not what keeps a variable of its own, which would begin anew, nor what has default arguments,
 * which may not be said twice. */
static bool may_come_again(const wb_entity *e) {
    return !has_word(e->definition, "static") && !strchr(e->text ? e->text : "", '=');
}

static bool *affected(const wb_live *live, const wb_split *split) {
    char *fates = wb_live_fates(live, split), *seen = calloc(live->n + 1, 1);
    bool *marks = calloc(live->n + 1, sizeof *marks), any = false;
    for (size_t i = 0; i < live->n; i++)
        any |= changes(split, &live->v[i].e);
    for (size_t i = 0; any && fates && seen && marks && i < live->n; i++) {
        const wb_entity *e = &live->v[i].e;
        if (fates[i] != WB_KEPT || !is_linked(e) || !e->definition || live->v[i].homeless)
            continue;
        search s = {.live = live, .split = split, .seen = seen};
        memset(seen, 0, live->n);
        visit_text(&s, e->definition);
        marks[i] = s.found;
    }
    bool ok = fates && seen;
    free(fates);
    free(seen);
    if (ok)
        return marks;
    free(marks);
    return NULL;
}

bool *wb_carry_find(const wb_live *live, const wb_split *split) {
    bool *marks = affected(live, split);
    for (size_t i = 0; marks && i < live->n; i++)
        marks[i] = marks[i] && may_come_again(&live->v[i].e);
    return marks;
}

/* ---- what keeps the old one ----------------------------------------------------------------- */

/* A definition that is linked, and that the newest does not replace for those linked to it. */
static bool stays_behind(const wb_split *split, const wb_entity *old) {
    const wb_entity *e = replacement(split, old);
    bool linked = is_linked(old) || old->kind == WB_ENTITY_VARIABLE;
    if (!e || !linked || old->stateless || (is_linked(old) && !old->definition))
        return false;
    return e->kind != old->kind || !e->chain || e->chain != old->chain;
}

typedef struct mention {
    const char *name;
    const char *text;
    bool found;
} mention;

static void compare(void *ctx, const char *word, size_t len) {
    mention *m = ctx;
    m->found |= strlen(m->name) == len && memcmp(m->name, word, len) == 0 &&
                !wb_text_declares(m->text, strlen(m->text), word, len);
}

static bool mentions(const wb_entity *e, const wb_entity *what) {
    mention m = {called(what), is_lambda(e) ? e->signature : e->definition, false};
    if (m.text && strncmp(what->name, "operator", 8) == 0)
        return strstr(m.text, m.name) != NULL;
    if (m.text)
        wb_words(m.text, strlen(m.text), compare, &m);
    return m.found;
}

/* ", a (cell [1]) and b (cell [2])" of those marked. */
static void put_users(wb_buf *out, const wb_live *live, const bool *users) {
    size_t all = 0, n = 0;
    for (size_t i = 0; i < live->n; i++)
        all += users[i];
    for (size_t i = 0; i < live->n; i++)
        if (users[i] && ++n)
            wb_buf_printf(out, "%s%s%s (cell [%d])",
                          n == 1     ? ""
                          : n == all ? wb_tr(" and ")
                                     : ", ",
                          live->v[i].e.scope, live->v[i].e.name, live->v[i].number);
    wb_buf_puts(out, all > 1 ? wb_tr(" use") : wb_tr(" uses"));
}

static void put_kept(wb_buf *out, const wb_live *live, const char *name, const bool *users) {
    wb_buf_printf(out, "warning: %s is defined anew, but ", name);
    put_users(out, live, users);
    wb_buf_printf(out, " the one before; run that cell again to have the new one\n");
}

char *wb_carry_kept(const wb_live *live, const wb_split *split, const bool *carried) {
    wb_buf out = {0};
    char *fates = wb_live_fates(live, split);
    bool *left = affected(live, split), *users = calloc(live->n + 1, sizeof *users), any = false;
    for (size_t i = 0; fates && left && users && i < live->n; i++) {
        if (!stays_behind(split, &live->v[i].e))
            continue;
        any = false;
        for (size_t k = 0; k < live->n; k++)
            any |= users[k] = fates[k] == WB_KEPT && !carried[k] && !live->v[k].homeless &&
                              (is_linked(&live->v[k].e) || is_lambda(&live->v[k].e)) &&
                              mentions(&live->v[k].e, &live->v[i].e);
        if (any)
            put_kept(&out, live, live->v[i].e.name, users);
        for (size_t k = 0; k < live->n; k++) /* named now */
            left[k] &= !users[k];
    }
    any = false;
    for (size_t i = 0; left && i < live->n; i++)
        any |= left[i] = left[i] && !carried[i];
    if (any) {
        wb_buf_puts(&out, "warning: ");
        put_users(&out, live, left);
        wb_buf_puts(&out,
                    wb_tr(" what this cell defines anew, as it was before; run that cell again to "
                          "have the new one\n"));
    }
    free(fates);
    free(left);
    free(users);
    return out.len ? wb_buf_steal(&out) : NULL;
}
