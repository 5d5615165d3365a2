/* chains.c: see chains.h. A chain's identity is a hash of the key (name and parameter types), of
 * the return or variable type, and of the definitions of all types that these name. */
#include "runtime/cells/redefine/chains.h"

#include <ctype.h>

#include "runtime/cells/live/anew.h"
#include "runtime/cells/redefine/late.h"
#include "runtime/cells/redefine/overload.h"

void wb_chains_free(wb_chains *chains) {
    free(chains->v);
    *chains = (wb_chains){.v = NULL};
}

/* Returns true if redefinitions can rebind it. A thread-local variable has too many addresses; a
 * lambda without captures is only text. */
static bool has_chain(const wb_entity *e) {
    return wb_entity_is_linked(e) ||
           (e->kind == WB_ENTITY_VARIABLE && !e->is_thread && !e->stateless && !e->is_binding);
}

/* ---- symbols -------------------------------------------------------------------------------- */

/* Returns "operator+" for "operator +", malloc'd. */
static char *operator_name(const wb_entity *e) {
    char *name = wb_format("%s", wb_word_last(e->name)), *to = name;
    for (const char *p = name; p && *p; p++)
        if (*p != ' ')
            *to++ = *p;
    if (name)
        *to = '\0';
    return name;
}

static bool is_nested(const wb_entity *e) {
    return *e->scope || wb_word_last(e->name) != e->name;
}

/* Returns a linker pattern for a name, with wildcards for what is not ASCII. */
static char *name_pattern(const char *name) {
    char *pattern = wb_format("%s", name);
    for (char *p = pattern; p && *p; p++)
        *p = (unsigned char)*p >= 0x80 ? '?' : *p;
    return pattern;
}

static char *operator_pattern(const wb_entity *e) {
    WB_SCOPED char *name = operator_name(e);
    const char *letters = name ? wb_operator_letters(name) : NULL;
    wb_buf b = {0};
    for (const char *l = letters; l && *l; l += 2)
        wb_buf_printf(&b, is_nested(e) ? "%s_ZN*%.2s*" : "%s_Z%.2s*", b.len ? ";\n" : "", l);
    return b.len ? wb_buf_steal(&b) : NULL;
}

char *wb_chain_pattern(const wb_entity *e) {
    const char *name = wb_word_last(e->name);
    if (has_chain(e) && strncmp(name, "operator", 8) == 0)
        return operator_pattern(e);
    if (!has_chain(e) || !*name || strpbrk(name, " ~()<>=+-*/%^&|!,[]"))
        return NULL; /* operators */
    bool variable = e->kind == WB_ENTITY_VARIABLE;
    WB_SCOPED char *word = name_pattern(name);
    size_t n = strlen(name);
    if (!word)
        return NULL;
    const char *quote = strchr(word, '?') ? "" : "\""; /* a quoted name matches literally */
    if (is_nested(e))
        return wb_format("_ZN*%zu%sE*", n, word);
    if (variable)
        return wb_format("%s%s%s;\n_Z%zu%sB*", quote, word, quote, n, word);
    return strstr(e->open, "extern") ? wb_format("%s%s%s", quote, word, quote)
                                     : wb_format("_Z%zu%s*", n, word);
}

/* The parts of a symbol's name: "a::b::" and "f". */
typedef struct symbol_name {
    char scope[256], name[256];
    bool mangled;
} symbol_name;

/* Reads "3abc" at *p and advances *p. Returns false if there is no such part. */
static bool take_part(const char **p, char *to, size_t room) {
    char *end;
    unsigned long n = isdigit((unsigned char)**p) ? strtoul(*p, &end, 10) : 0;
    if (n == 0 || n >= room || strnlen(end, n) < n)
        return false;
    memcpy(to, end, n);
    to[n] = '\0';
    *p = end + n;
    return true;
}

static bool take_operator(const char *p, symbol_name *s) {
    const char *name = wb_operator_name(p);
    if (name)
        strcpy(s->name, name);
    return name != NULL;
}

static bool take_nested(const char *p, symbol_name *s) {
    while (*p == 'K' || *p == 'V') /* const members */
        p++;
    while (take_part(&p, s->name, sizeof s->name)) {
        if (*p == 'E' || *p == 'B')
            return true;
        if (strlen(s->scope) + strlen(s->name) + 3 > sizeof s->scope)
            return false;
        strcat(strcat(s->scope, s->name), "::");
    }
    return *s->scope && take_operator(p, s);
}

static bool take_apart(const char *symbol, symbol_name *s) {
    *s = (symbol_name){.mangled = strncmp(symbol, "_Z", 2) == 0};
    if (s->mangled) {
        const char *p = symbol + 2;
        return *p == 'N' ? take_nested(p + 1, s)
                         : take_part(&p, s->name, sizeof s->name) || take_operator(p, s);
    }
    const char *dot = strncmp(symbol, "wb", 2) == 0 ? strchr(symbol, '.') : NULL; /* wbID.x */
    const char *name = dot ? dot + 1 : symbol;
    if (strlen(name) >= sizeof s->name)
        return false;
    strcpy(s->name, name);
    return true;
}

static bool answers(const wb_entity *e, const symbol_name *s) {
    WB_SCOPED char *name =
        strncmp(wb_word_last(e->name), "operator", 8) == 0 ? operator_name(e) : NULL;
    WB_SCOPED char *whole = wb_format("%s%s", e->scope, name ? name : e->name),
                   *asked = wb_format("%s%s", s->scope, s->name);
    bool plain = !s->mangled && wb_entity_is_linked(e) && !strstr(e->open, "extern");
    bool same = whole && asked && !plain && strcmp(whole, asked) == 0;
    return same && has_chain(e);
}

/* ---- what a chain is of --------------------------------------------------------------------- */

typedef struct search {
    const wb_live *live;
    const wb_split *own;
    char *seen;
    uint64_t sum; /* of hashes, so the order of the definitions does not matter */
} search;

static bool shapes_types(const wb_entity *e) {
    return e->kind == WB_ENTITY_TYPE || e->kind == WB_ENTITY_MACRO ||
           e->kind == WB_ENTITY_CONSTANT || strncmp(e->key, "t:", 2) == 0;
}

static void visit(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    for (size_t i = 0; i < wb_live_count(s->live, s->own); i++) {
        bool own = i >= s->live->n;
        const wb_entity *e = wb_live_at(s->live, s->own, i);
        if (s->seen[i] || !e->text || !shapes_types(e) || !wb_word_is(word, len, e->name) ||
            (!own && wb_live_replaced(s->own, e)))
            continue;
        s->seen[i] = 1;
        s->sum += wb_hash_text(wb_hash_text(WB_HASH, e->key), e->text);
        wb_words(e->text, strlen(e->text), visit, s);
    }
}

/* Returns the identity of a definition. Includes default arguments, because callers contain them. 0
 * if memory runs out. */
static uint64_t identity(const wb_live *live, const wb_split *own, const wb_entity *e) {
    bool linked = wb_entity_is_linked(e);
    WB_SCOPED char *head = linked ? wb_anew_head(own, e) : NULL;
    WB_SCOPED char *seen = calloc(wb_live_count(live, own) + 1, 1);
    search s = {.live = live, .own = own, .seen = seen};
    const char *type = linked ? head : e->type, *parameters = strchr(e->key, '(');
    if (!seen || !type)
        return 0;
    wb_words(type, strlen(type), visit, &s);
    if (linked && parameters)
        wb_words(parameters, strlen(parameters), visit, &s);
    uint64_t all = wb_hash_text(wb_hash_text(wb_hash_text(WB_HASH, e->key), type), e->open) + s.sum;
    return all + (uint64_t)e->kind + (all == 0);
}

static long chain_of(wb_chains *chains, uint64_t what) {
    for (size_t i = 0; i < chains->n; i++)
        if (chains->v[i] == what)
            return (long)i + 1;
    return what && WB_ADD(chains->v, chains->n, what) ? (long)chains->n : 0;
}

/* ---- a unit --------------------------------------------------------------------------------- */

/* Picks from entities of one name the one with the symbol's parameters. */
typedef struct choice {
    const char *symbol;
    wb_entity *found, *fitting;
    size_t n, n_fitting;
} choice;

static void consider(choice *c, wb_entity *e) {
    bool other = c->found && strcmp(c->found->key, e->key) != 0;
    if (other && c->n == 1 && wb_overload_is(c->found, c->symbol)) {
        c->fitting = c->found;
        c->n_fitting = 1;
    }
    c->n += !c->found || other;
    c->found = e;
    if (!other || !wb_overload_is(e, c->symbol))
        return;
    c->fitting = e;
    c->n_fitting++;
}

static wb_entity *chosen(const choice *c) {
    return c->n <= 1 ? c->found : c->n_fitting == 1 ? c->fitting : NULL;
}

static wb_entity *owner(wb_split *own, const symbol_name *s, const char *symbol) {
    choice c = {.symbol = symbol};
    for (WB_ENTITIES(e, own))
        if (answers(e, s))
            consider(&c, e);
    return chosen(&c);
}

static const wb_entity *user(const wb_live *live, const symbol_name *s, const char *symbol) {
    choice c = {.symbol = symbol};
    for (WB_LIVE(x, live)) {
        wb_entity *e = &x->e;
        if (e->symbol && strcmp(e->symbol, symbol) == 0)
            return e;
        if (answers(e, s) && !e->symbol)
            consider(&c, e);
    }
    return chosen(&c);
}

/* `waits`: until that item, the cell's own code uses the earlier function, too. */
static void add_bind(json_t *binds, const char *symbol, long chain, int item, bool waits) {
    json_t *first = item >= 0 ? json_integer(item) : NULL, *late = waits ? json_true() : NULL;
    json_object_set_new(binds, symbol, json_pack("[I, o*, o*]", (json_int_t)chain, first, late));
}

typedef struct binding {
    json_t *binds;
    const wb_live *live;
    wb_split *own;
} binding;

/* Returns the chain of an earlier function with the same symbol, "f(T const &)" for "f(const T &)",
 * and the same result type; 0: none. */
static long chain_by_symbol(const wb_live *live, const wb_entity *e, const char *symbol) {
    for (size_t i = live->n; i-- > 0;) {
        const wb_entity *x = &live->v[i].e;
        if (!x->symbol || strcmp(x->symbol, symbol) != 0 || strcmp(x->key, e->key) == 0)
            continue;
        WB_SCOPED char *before = wb_anew_result(x), *now = wb_anew_result(e);
        bool same = before && now && strcmp(before, now) == 0;
        return same ? x->chain : 0;
    }
    return 0;
}

/* Records the symbol of a function and its prototype. */
static void note_symbol(const wb_live *live, wb_split *own, const char *key, const char *symbol) {
    for (WB_ENTITIES(e, own)) {
        if (!wb_entity_is_linked(e) || strcmp(e->key, key) != 0)
            continue;
        long before = chain_by_symbol(live, e, symbol);
        e->chain = before ? before : e->chain;
        free(e->symbol);
        e->symbol = wb_format("%s", symbol);
    }
}

static void bind_defined(const binding *b, const char *symbol) {
    symbol_name s;
    if (!take_apart(symbol, &s))
        return;
    wb_entity *e = owner(b->own, &s, symbol);
    const wb_entity *carried = user(b->live, &s, symbol);
    bool other = e && carried && carried->symbol && strcmp(carried->symbol, symbol) == 0 &&
                 strcmp(carried->key, e->key) != 0 && !wb_overload_is(e, symbol);
    if (other) /* an overload that is compiled again beside the cell's own function */
        e = NULL;
    if (e && wb_entity_is_linked(e))
        note_symbol(b->live, b->own, e->key, symbol);
    if (e && e->chain)
        add_bind(b->binds, symbol, e->chain,
                 wb_entity_is_linked(e) && !e->after_use ? 0 : wb_late_item_of(b->own, e),
                 wb_entity_is_linked(e) && e->after_use);
    else if (!e && carried && carried->chain && wb_entity_is_linked(carried))
        add_bind(b->binds, symbol, carried->chain, 0, false);
}

static void bind_used(const binding *b, const char *symbol) {
    symbol_name s;
    const wb_entity *e = take_apart(symbol, &s) ? user(b->live, &s, symbol) : NULL;
    /* libc's "err": the notebook's own is used only by its cell's symbol */
    bool other = e && e->kind == WB_ENTITY_VARIABLE && !s.mangled && !strchr(symbol, '.');
    if (e && e->chain && !other)
        add_bind(b->binds, symbol, e->chain, -1, false);
}

static void each_line(const char *lines, void (*f)(const binding *, const char *),
                      const binding *b) {
    for (const char *p = lines ? lines : ""; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        WB_SCOPED char *line = wb_format("%.*s", (int)strcspn(p, "\n"), p);
        if (line)
            f(b, line);
    }
}

void wb_chains_give(wb_chains *chains, const wb_live *live, wb_split *own) {
    for (WB_ENTITIES(e, own))
        if (has_chain(e))
            e->chain = chain_of(chains, identity(live, own, e));
}

/* Removes the chain of a function whose symbol can't be distinguished from its overloads'. No
 * redefinition reaches it, and carry.c warns of that. */
static void unchain(wb_split *own) {
    for (WB_ENTITIES(e, own))
        if (e->definition && !e->symbol)
            e->chain = 0;
}

json_t *wb_chains_binds(const wb_live *live, wb_split *own, const char *defined, const char *used) {
    binding b = {json_object(), live, own};
    each_line(defined, bind_defined, &b);
    unchain(own);
    each_line(used, bind_used, &b);
    return b.binds;
}
