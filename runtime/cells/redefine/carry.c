/* carry.c: see carry.h. Code is searched by its words, like everything that cells need. So a
 * function may be compiled again without need, but is never forgotten. */
#include "runtime/cells/redefine/carry.h"

#include <ctype.h>

#include "runtime/cells/live/anew.h"
#include "runtime/cells/live/device_vars.h"
#include "runtime/cells/redefine/chains.h"
#include "runtime/cells/split/closure.h"

/* Returns true if code contains a copy of it, not a call or an address. */
static bool is_compiled_in(wb_entity_kind kind) {
    return kind == WB_ENTITY_SOURCE_FUNCTION || kind == WB_ENTITY_TEMPLATE ||
           kind == WB_ENTITY_TYPE || kind == WB_ENTITY_CONSTANT || kind == WB_ENTITY_MACRO ||
           kind == WB_ENTITY_DEVICE_VARIABLE;
}

/* Returns true if code that uses the entity repeats its text. */
static bool is_repeated(const wb_entity *e) {
    return is_compiled_in(e->kind) || e->stateless;
}

/* Returns "get" for S::get, "operator+" for P::operator+, "S" for S::~S. */
static const char *last_name(const wb_entity *e) {
    const char *name = wb_word_last(e->name);
    return name + (*name == '~');
}

/* Returns "+" for operator+; NULL for no operator. */
static const char *sign_of(const wb_entity *e) {
    const char *name = last_name(e);
    return strncmp(name, "operator", 8) == 0 && !wb_word_part(name[8])
               ? name + 8 + strspn(name + 8, " ")
               : NULL;
}

static bool has_word(const char *text, const char *word) {
    return wb_word_find(text, word, strlen(word)) != NULL;
}

/* TAKEN: calls reach the new one, but a value keeps the address of the old one. INSIDE: only code
 * of the same library may contain it, or what it refers to. */
enum { SAME, TAKEN, INSIDE, CHANGED };

/* ---- what the cell makes another ------------------------------------------------------------ */

/* Returns the cell's last definition that replaces `old`, which has that fate; or NULL. */
static const wb_entity *replacement(const wb_split *split, const wb_entity *old, char fate) {
    const wb_entity *found = NULL;
    bool same_place = false;
    for (WB_ENTITIES(e, split)) {
        bool same_name = wb_entity_same_name(e, old);
        bool same = wb_live_same_place(e, old);
        if (e->kind == WB_ENTITY_UNDEF ? same
                                       : same || (!same_place && same_name && fate == WB_REPLACED))
            found = e->kind == WB_ENTITY_UNDEF ? NULL : e, same_place = same && found;
    }
    return found;
}

/* Returns true if both declare the same type, as far as their text shows. */
static bool same_declaration(const wb_entity *a, const wb_entity *b) {
    const char *x = a->signature ? a->signature : "", *y = b->signature ? b->signature : "";
    size_t n = wb_trimmed(x, strcspn(x, "={;"), " "), m = wb_trimmed(y, strcspn(y, "={;"), " ");
    return n == m && memcmp(x, y, n) == 0;
}

/* Returns true for "int &r = b": code of the same cell may contain what it refers to. */
static bool is_reference(const wb_entity *e) {
    const char *name = wb_anew_name(e->signature, e->name);
    return name && memchr(e->signature, '&', (size_t)(name - e->signature));
}

/* Returns true for S::S and S::~S, which have several symbols each. */
static bool is_structor(const wb_entity *e) {
    const char *last = last_name(e), *start = last > e->name && last[-1] == '~' ? last - 1 : last;
    size_t n = strlen(last);
    return start >= e->name + n + 2 && memcmp(start - n - 2, last, n) == 0;
}

/* Returns true if no running code can be pointed at the new one: each lambda has a type of its own,
 * and some functions have no known symbol. */
static bool cannot_follow(const wb_split *split, const wb_entity *old, const wb_entity *e,
                          bool chains) {
    if (!wb_entity_is_linked(old))
        return old->stateless || (old->type && strstr(old->type, WB_CLOSURE)) ||
               !same_declaration(old, e);
    WB_SCOPED char *pattern = wb_chain_pattern(old);
    WB_SCOPED char *before = wb_anew_head(NULL, old), *now = wb_anew_head(split, e);
    bool may =
        pattern && !is_structor(old) && (chains || (before && now && strcmp(before, now) == 0));
    return !may;
}

/* Returns how the cell changes it, so that code that contains it must be compiled again. Deduced
 * types can be compared only once the chains are known. */
static char changes(const wb_split *split, const wb_entity *old, char fate, bool chains) {
    const wb_entity *e = replacement(split, old, fate);
    if (!e || e->kind == WB_ENTITY_HIDDEN || e->kind == WB_ENTITY_INCLUDE ||
        wb_anew_is_prototype(old) || wb_anew_is_prototype(e))
        return SAME;
    if (e->kind != old->kind)
        return CHANGED;
    bool compiled_in = is_compiled_in(e->kind);
    const char *x = wb_entity_is_linked(e) ? e->definition : compiled_in ? e->text : e->signature;
    const char *y = wb_entity_is_linked(e) ? old->definition
                    : compiled_in          ? old->text
                                           : old->signature;
    if (e->kind == WB_ENTITY_DEVICE_VARIABLE || e->is_thread || e->is_binding)
        return CHANGED; /* another variable, even with the same text */
    bool same = x && y && strcmp(x, y) == 0;
    if (compiled_in)
        return same ? SAME : CHANGED;
    bool deduced = !wb_entity_is_linked(old) && !same && has_word(old->signature, "auto");
    if ((chains ? !old->stateless && (e->chain != old->chain || !e->chain) : deduced) ||
        (!same && cannot_follow(split, old, e, chains)))
        return CHANGED;
    bool inside = !wb_entity_is_linked(old) && (is_reference(old) || old->constant);
    bool function = old->kind == WB_ENTITY_FUNCTION && *old->key == 'f'; /* no static member */
    return inside ? INSIDE : function && !same ? TAKEN : SAME;
}

/* ---- what code uses ------------------------------------------------------------------------- */

/* Marks: the type, the sign or the name of an operator or a method was found. */
enum { SEEN = 1, TYPED = 2, SIGNED = 4 };

typedef struct search {
    const wb_live *live;
    const char *changed;
    size_t home;      /* the library with the code */
    const char *text; /* the text that is searched now */
    /* the kind of the text; OTHER is a macro, a constant or a type */
    enum { CODE, CLASS, OTHER } what;
    char *marks;
    bool *reached; /* the changed entities that it found */
    bool erases;   /* a value may contain code that its type does not name */
    bool takes;    /* the text gives values, and contains no calls that run later */
} search;

static void visit_text(search *s, const char *text, int what);

/* Returns true for S::get defined outside its class. */
static bool is_method(const wb_entity *e) {
    return e->attach && last_name(e) != e->name && *e->key == 'f';
}

/* Marks the type's operators and methods, because code with the type may use them. */
static void mark_members(search *s, const wb_entity *type) {
    for (size_t i = 0; i < s->live->n; i++) {
        const wb_entity *e = &s->live->v[i].e;
        if (e->attach && (sign_of(e) || is_method(e)) && has_word(e->attach, type->name))
            s->marks[i] |= TYPED;
    }
}

static void visit_entity(search *s, size_t i, bool called) {
    const wb_entity *e = &s->live->v[i].e;
    s->marks[i] |= SEEN;
    s->reached[i] |= s->changed[i] == CHANGED ||
                     (s->changed[i] == INSIDE && s->live->v[i].home == s->home) ||
                     (s->changed[i] == TAKEN && s->takes && !called);
    mark_members(s, e);
    bool repeated = is_repeated(e), linked = wb_entity_is_linked(e);
    bool code = linked || e->kind == WB_ENTITY_SOURCE_FUNCTION;
    bool class = e->kind == WB_ENTITY_TYPE || e->kind == WB_ENTITY_TEMPLATE;
    visit_text(s,
               repeated ? e->text
               : linked ? e->signature
                        : e->type,
               code    ? CODE
               : class ? CLASS
                       : OTHER);
}

/* Lists the words that may stand before a name and are no type. */
#define NO_TYPE                                                                                    \
    "typedef typename struct class union enum using friend mutable public private protected "      \
    "virtual operator return goto case do else throw new delete sizeof not co_return co_yield "    \
    "co_await"

static const char *without_space(const char *text, const char *end) {
    return text + wb_trimmed(text, (size_t)(end - text), WB_BLANK);
}

/* Finds a member such as c in "char c;", where the class has no other c: it uses nothing outside.
 * Returns false in doubt: a warning too many is better than a missing one. */
static bool is_member(const char *type, const char *word, size_t len) {
    const char *at = wb_word_find(type, word, len);
    if (!at || wb_word_find(at + len, word, len) ||
        !memchr(";=[{,", at[len + strspn(at + len, " ")], 5))
        return false;
    const char *end = without_space(type, at);
    const char *begin = type + wb_word_begin(type, (size_t)(end - type));
    at = without_space(type, begin);
    return end > begin && !wb_word_among(begin, (size_t)(end - begin), NO_TYPE) && at > type &&
           strchr("{;:", at[-1]);
}

/* Finds a name that a lambda captures with a value, such as c in "return [c = 1] { return c; };".
 * The lambda has to end the text, so that each later c is its own. */
static bool is_capture(const char *text, const char *word, size_t len) {
    const char *at = wb_word_find(text, word, len), *value = at ? at + len : "";
    value += strspn(value, " ");
    const char *close = strchr(value, ']'), *body = close ? strchr(close, '{') : NULL;
    const char *again = body ? wb_word_find(value, word, len) : NULL;
    if (!body || *value != '=' || value[1] == '=' || (again && again < body))
        return false;
    at = without_space(text, at);
    if (at == text || at[-1] != '[')
        return false;
    at = without_space(text, at - 1);
    bool begins = at > text &&
                  (strchr("=(,;{", at[-1]) || (at - text > 6 && wb_word_is(at - 6, 6, "return")));
    for (int depth = *body == '{'; begins && depth && *++body;)
        depth += *body == '{' ? 1 : *body == '}' ? -1 : 0;
    return begins && *body && body[1 + strspn(body + 1, "}; \n")] == '\0';
}

/* Returns true if the text itself declares the name. */
static bool is_own_name(const search *s, const char *word, size_t len) {
    return (s->what == CODE && wb_text_declares(s->text, strlen(s->text), word, len)) ||
           (s->what == CLASS && is_member(s->text, word, len)) || is_capture(s->text, word, len);
}

/* Returns true if code means it by the word: get for S::get, S for S<int>, or another name. */
static bool is_called(const wb_entity *e, const char *word, size_t len) {
    const char *last = last_name(e);
    size_t n = sign_of(e) ? strlen(last) : strcspn(last, "<");
    return (n == len && memcmp(last, word, len) == 0) || wb_live_answers_to(e, word, len);
}

static void visit(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    for (size_t i = 0; i < s->live->n; i++) {
        const wb_entity *e = &s->live->v[i].e;
        if (wb_live_operates_on(e, word, len))
            s->marks[i] |= TYPED;
        if ((s->marks[i] & SEEN) || e->kind == WB_ENTITY_HIDDEN || e->kind == WB_ENTITY_INCLUDE ||
            !is_called(e, word, len) || is_own_name(s, word, len))
            continue;
        if (is_method(e))
            s->marks[i] |= SIGNED;
        else
            visit_entity(s, i, word[len + strspn(word + len, " ")] == '(');
    }
}

/* Returns true if the text has the operator's sign. A conversion has none. */
static bool has_sign(const char *text, const char *sign) {
    return isalpha((unsigned char)*sign) || strstr(text, strcspn(sign, " ") ? sign : "");
}

static void visit_text(search *s, const char *text, int what) {
    search outer = *s;
    if (!text)
        return;
    s->text = text;
    s->what = what;
    s->erases |= has_word(text, "function") || has_word(text, "virtual");
    wb_words(text, strlen(text), visit, s);
    s->text = outer.text;
    s->what = outer.what;
    for (size_t i = 0; i < s->live->n; i++) {
        const char *sign = sign_of(&s->live->v[i].e);
        if (sign && has_sign(text, sign))
            s->marks[i] |= SIGNED;
    }
}

/* Finds what the code uses of the changed entities. */
static void find_changed(search *s, const char *code) {
    bool more = true;
    memset(s->marks, 0, s->live->n);
    visit_text(s, code, CODE);
    while (more) {
        more = false;
        for (size_t i = 0; i < s->live->n; i++)
            if (s->marks[i] == (TYPED | SIGNED)) {
                visit_entity(s, i, true);
                more = true;
            }
    }
}

/* ---- who uses it ---------------------------------------------------------------------------- */

/* Searches a function, or a variable that may contain code: a std::function, or a pointer to an
 * object with virtual functions. If the type alone names the code, its users contain it. */
static void find_changed_of(search *s, const wb_entity *e) {
    if (wb_entity_is_linked(e)) {
        find_changed(s, e->definition);
    } else if (e->kind == WB_ENTITY_VARIABLE && !e->stateless && e->type && e->signature &&
               !strstr(e->type, WB_CLOSURE)) {
        find_changed(s, e->type);
        s->takes = !strstr(e->signature, "](") && !strstr(e->signature, "] {");
        s->erases ? find_changed(s, e->signature) : memset(s->reached, 0, s->live->n);
    }
}

/* Returns false for a function with a static variable, which would start anew, and for one that
 * needs something stale. */
static bool may_come_again(const wb_live *live, const char *fates, size_t i) {
    const wb_live_entity *x = &live->v[i];
    if (!wb_entity_is_linked(&x->e) || x->stays || has_word(x->e.definition, "static"))
        return false;
    for (size_t k = 0; k < live->n; k++)
        if (fates[k] == WB_STALE && has_word(x->e.definition, last_name(&live->v[k].e)))
            return false;
    return true;
}

/* For each live entity that keeps its code, a row of marks: the changed entities that it uses. */
typedef struct users {
    bool *rows;
    char *changed, *fates;
} users;

static void free_users(users *u) {
    WB_FREE(u->changed, u->rows, u->fates);
}

static bool find_users(const wb_live *live, const wb_split *split, bool chains, users *u) {
    WB_SCOPED char *marks = calloc(live->n + 1, 1);
    bool any = false, ok;
    *u = (users){NULL, calloc(live->n + 1, 1), wb_live_fates(live, split)};
    ok = marks && u->changed && u->fates;
    for (size_t i = 0; ok && i < live->n; i++)
        any |= u->changed[i] = changes(split, &live->v[i].e, u->fates[i], chains);
    u->rows = calloc(any ? live->n * live->n : 1, sizeof *u->rows);
    ok = ok && u->rows;
    for (size_t i = 0; ok && any && i < live->n; i++) {
        search s = {.live = live,
                    .changed = u->changed,
                    .home = live->v[i].home,
                    .marks = marks,
                    .reached = u->rows + i * live->n};
        if (u->fates[i] == WB_KEPT && !live->v[i].homeless)
            find_changed_of(&s, &live->v[i].e);
    }
    if (!ok)
        free_users(u);
    return ok;
}

static bool uses(const wb_live *live, const users *u, size_t i) {
    for (size_t k = 0; k < live->n; k++)
        if (u->changed[k] && u->rows[i * live->n + k])
            return true;
    return false;
}

bool *wb_carry_find(const wb_live *live, const wb_split *split) {
    bool *marks = calloc(live->n + 1, sizeof *marks);
    users u;
    if (!marks || !find_users(live, split, false, &u)) {
        free(marks);
        return NULL;
    }
    for (size_t i = 0; i < live->n; i++)
        marks[i] = uses(live, &u, i) && may_come_again(live, u.fates, i);
    free_users(&u);
    return marks;
}

/* ---- what keeps the old one ----------------------------------------------------------------- */

/* Appends "a (cell [1]) and b (cell [2]) use" for the users of a changed entity. */
static void put_users(wb_buf *out, const wb_live *live, const bool *which) {
    size_t all = 0, n = 0;
    for (size_t i = 0; i < live->n; i++)
        all += which[i];
    for (size_t i = 0; i < live->n; i++)
        if (which[i] && ++n)
            wb_buf_printf(out, _("%s%s%s (cell [%d])"),
                          n == 1     ? ""
                          : n == all ? _(" and ")
                                     : ", ",
                          live->v[i].e.scope, live->v[i].e.name, live->v[i].number);
    wb_buf_puts(out, all > 1 ? _(" use") : _(" uses"));
}

static void put_kept(wb_buf *out, const wb_live *live, const wb_entity *e, const bool *users) {
    const char *name = e->name;
    if (*name == '(' && e->also) /* an unnamed enum is called by its first enumerator */
        name = e->also + strspn(e->also, " ");
    WB_SCOPED char *called =
        wb_format("%.*s", (int)(name == e->name ? strlen(name) : strcspn(name, " ")), name);
    wb_buf_printf(out, _("warning: %s is defined anew, but "), called ? called : "");
    put_users(out, live, users);
    wb_buf_printf(out, _(" the one before; run that cell again to have the new one\n"));
}

char *wb_carry_kept(const wb_live *live, const wb_split *split, const bool *carried) {
    wb_buf out = {0};
    users u;
    WB_SCOPED bool *which = calloc(live->n + 1, sizeof *which);
    if (!which || !find_users(live, split, true, &u))
        return NULL;
    for (size_t k = 0; k < live->n; k++) {
        bool any = false;
        for (size_t i = 0; u.changed[k] && i < live->n; i++)
            any |= which[i] = !carried[i] && u.rows[i * live->n + k];
        if (any)
            put_kept(&out, live, &live->v[k].e, which);
    }
    free_users(&u);
    return out.len ? wb_buf_steal(&out) : NULL;
}
