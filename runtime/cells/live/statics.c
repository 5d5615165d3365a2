/* statics.c: see statics.h. A symbol is a mangled name; the entities whose names stand in it define
 * it, and what their texts need decides its layout. All of that, a hash each, is what it was made
 * from. A later cell may add to it (an overload), and still means the same variable. */
#include "runtime/cells/live/statics.h"

#include <ctype.h>

struct wb_static {
    char *symbol;
    long version;
    uint64_t *made_from;
    size_t n;
};

void wb_statics_free(wb_statics *statics) {
    for (size_t i = 0; i < statics->n; i++)
        WB_FREE(statics->v[i].symbol, statics->v[i].made_from);
    free(statics->v);
    *statics = (wb_statics){.v = NULL};
}

/* What one symbol is made from, being found out. */
typedef struct search {
    const wb_live *live;
    const wb_split *own;
    size_t cell;
    char *seen; /* a mark for each entity, the unit's own behind the live ones */
    uint64_t *found;
    size_t n;
    bool bodies; /* what functions do matters, and not their types alone */
    bool failed;
} search;

static size_t count(const search *s) {
    return s->live->n + s->own->n_entities;
}

static const wb_entity *entity(const search *s, size_t i) {
    return i < s->live->n ? &s->live->v[i].e : &s->own->entities[i - s->live->n];
}

/* With the NUL, so that two texts in turn are not one. */
static uint64_t hash(uint64_t h, const char *text) {
    return wb_hash(h, text, strlen(text) + 1);
}

static void add(search *s, uint64_t h) {
    for (size_t i = 0; i < s->n; i++)
        if (s->found[i] == h)
            return;
    uint64_t *one = WB_PUSH(s->found, s->n);
    s->failed |= !one;
    if (one)
        *one = h;
}

/* A live one that the unit defines anew is not meant. */
static bool replaced(const search *s, size_t i) {
    for (size_t k = 0; i < s->live->n && k < s->own->n_entities; k++)
        if (wb_live_same_place(&s->own->entities[k], entity(s, i)))
            return true;
    return false;
}

static bool hidden(const search *s, size_t i) {
    wb_entity_kind kind = entity(s, i)->kind;
    return kind == WB_ENTITY_HIDDEN || kind == WB_ENTITY_UNDEF || kind == WB_ENTITY_INCLUDE ||
           replaced(s, i);
}

static bool is_function(const wb_entity *e) {
    return strncmp(e->key, "f:", 2) == 0;
}

static size_t cell_of(const search *s, size_t i) {
    return i < s->live->n ? s->live->v[i].cell : s->cell;
}

/* A variable that compiled code keeps to, whichever is defined anew (chains.h). */
static bool is_bound(const wb_entity *e) {
    return e->kind == WB_ENTITY_DEVICE_VARIABLE || (e->kind == WB_ENTITY_VARIABLE && !e->chain);
}

static bool is_operator(const wb_entity *e) {
    return is_function(e) && strncmp(e->name, "operator", 8) == 0;
}

/* "f<int>", which calls of f may mean. */
static bool is_instance(const wb_entity *e, const char *word, size_t len) {
    return is_function(e) && !is_operator(e) && strncmp(e->name, word, len) == 0 &&
           e->name[len] == '<';
}

/* "S::get", which goes wherever S goes. */
static bool is_member(const wb_entity *e) {
    return is_function(e) && strstr(e->name, "::");
}

/* Whether the word is a type's name: the notebook's, or "float3", which its operators may be of. */
static bool names_type(const search *s, const char *word, size_t len) {
    for (size_t i = 0; i < count(s); i++)
        if ((entity(s, i)->kind == WB_ENTITY_TYPE || entity(s, i)->kind == WB_ENTITY_TEMPLATE) &&
            wb_word_is(word, len, entity(s, i)->name))
            return true;
    return len > 3 && isdigit((unsigned char)word[len - 1]);
}

/* What of an entity decides about those that use it: of a function its head alone, unless the
 * compiler deduces its type from all of it. */
static const char *matter(const search *s, const wb_entity *e) {
    const char *text = e->type ? e->type : e->text ? e->text : "";
    if (s->bodies && e->definition && is_operator(e))
        return e->definition; /* no redefinition reaches it (chains.h) */
    if (s->bodies || !is_function(e) || !e->signature || wb_word_find(e->signature, "auto", 4))
        return text;
    return e->signature;
}

static void visit(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    bool is_type = s->bodies && names_type(s, word, len);
    for (size_t i = 0; i < count(s); i++) {
        const wb_entity *e = entity(s, i);
        bool goes_along = strncmp(e->key, "t:", 2) == 0 ||
                          (s->bodies && (is_member(e) || (is_operator(e) && is_type)));
        bool special = goes_along && e->attach && wb_word_find(e->attach, word, len);
        if (s->seen[i] || !(wb_word_is(word, len, e->name) || is_instance(e, word, len) ||
                            wb_word_find(e->also, word, len) || special))
            continue;
        s->seen[i] = 1;
        if (hidden(s, i))
            continue;
        const char *text = matter(s, e);
        size_t cell = s->bodies && is_bound(e) ? cell_of(s, i) : 0;
        add(s, hash(hash(wb_hash(WB_HASH, &cell, sizeof cell), e->key), text));
        wb_words(text, strlen(text), visit, s);
    }
}

/* An entity that a symbol names: another of the same name, in another cell, is another. */
static void define(search *s, size_t i) {
    const wb_entity *e = entity(s, i);
    size_t cell = cell_of(s, i);
    const char *text = e->text ? e->text : "";
    if (e->kind == WB_ENTITY_CONSTANT) /* the same in a cell that is run again */
        add(s, hash(hash(WB_HASH, e->key), text));
    else
        add(s, hash(wb_hash(WB_HASH, &cell, sizeof cell), e->key));
    s->seen[i] = 1;
    wb_words(text, strlen(text), visit, s);
    if (s->bodies && e->definition) /* a device lambda stands in it */
        wb_words(e->definition, strlen(e->definition), visit, s);
}

/* The next name in a mangled one, "1f" in "_Z1fIiE", or NULL; *rest is what follows it. Digits mean
 * something else in literals (Li3E), array types (A3_i) and substitutions (S0_). */
static const char *next_name(const char *p, size_t *len, const char **rest) {
    for (; *p; p++) {
        if (!isdigit((unsigned char)*p))
            continue;
        const char *digits = p;
        size_t n = 0;
        while (isdigit((unsigned char)*p) && n < 4096)
            n = n * 10 + (size_t)(*p++ - '0');
        bool literal = islower((unsigned char)digits[-1]) &&
                       (digits[-2] == 'L' || (digits[-1] == 'n' && digits[-3] == 'L'));
        bool number = *p == '_' && strchr("AST", digits[-1]);
        if (n > 0 && !literal && !number && strnlen(p, n) == n &&
            (isalpha((unsigned char)*p) || *p == '_' || (unsigned char)*p >= 0x80)) {
            *len = n;
            *rest = p + n;
            return p;
        }
        p--;
    }
    return NULL;
}

/* Whether the entity stands in the scope that the name before ends: "a::b::" ends with b. */
static bool scope_ends(const wb_entity *e, const char *name, size_t len) {
    size_t n = strlen(e->scope);
    if (n == 0 || !name)
        return n == 0 && !name;
    return n >= len + 2 && memcmp(e->scope + n - len - 2, name, len) == 0;
}

/* Types may stand anywhere in a symbol; what else it names stands where its scope does. */
static bool answers(const wb_entity *e, const char *name, size_t len, const char *before,
                    size_t before_len) {
    if (strcmp(e->name, "(member)") == 0)
        return wb_word_find(e->attach, name, len);
    if (strcmp(e->name, "(conditional)") == 0)
        return wb_word_find(e->also, name, len);
    if (strncmp(e->key, "t:", 2) == 0)
        return strncmp(e->name, name, len) == 0 && (!e->name[len] || e->name[len] == '<');
    return wb_word_is(name, len, e->name) && scope_ends(e, before, before_len);
}

/* Whether the name begins a symbol within the symbol: "L_Z3runvE", a function as an argument. */
static bool begins_symbol(const char *symbol, const char *name) {
    while (name > symbol && isdigit((unsigned char)name[-1]))
        name--;
    while (name > symbol && strchr("KN", name[-1]))
        name--;
    return name - symbol >= 2 && memcmp(name - 2, "_Z", 2) == 0;
}

/* What a header defines is made anew with the headers of the user's, by the directives. */
static void add_headers(search *s) {
    for (size_t i = 0; i < count(s); i++) {
        const wb_entity *e = entity(s, i);
        if (e->kind == WB_ENTITY_INCLUDE && e->text && strchr(e->text, '"') && !replaced(s, i))
            define(s, i);
    }
}

/* A local variable's own name, the last, is no entity's: "_ZZ1fIiEiT_E1n". */
static void look_at(search *s, const char *symbol) {
    bool local = strncmp(symbol, "_ZZ", 3) == 0 || strncmp(symbol, "_ZGVZ", 5) == 0;
    const char *before = NULL, *rest = symbol + 2, *later;
    size_t before_len = 0, len, later_len;
    bool ours = false;
    for (const char *name; (name = next_name(rest, &len, &rest));) {
        before = begins_symbol(symbol, name) ? NULL : before;
        if (local && before && !next_name(rest, &later_len, &later))
            break;
        for (size_t i = 0; i < count(s); i++) {
            const wb_entity *e = entity(s, i);
            if (!hidden(s, i) && answers(e, name, len, before, before_len)) {
                define(s, i);
                ours |= !before || scope_ends(e, before, before_len);
            }
        }
        before = name;
        before_len = len;
    }
    if (!ours)
        add_headers(s);
}

static bool covers(const search *s, const struct wb_static *old) {
    for (size_t i = 0; i < old->n; i++) {
        bool there = false;
        for (size_t k = 0; k < s->n; k++)
            there |= s->found[k] == old->made_from[i];
        if (!there)
            return false;
    }
    return true;
}

/* The version of a symbol made from what was found; 0 when memory ran out. */
static long version_of(wb_statics *statics, search *s, const char *symbol) {
    size_t i = 0;
    while (i < statics->n && strcmp(statics->v[i].symbol, symbol) != 0)
        i++;
    if (i < statics->n && covers(s, &statics->v[i]))
        return statics->v[i].version;
    if (i == statics->n) {
        char *name = strdup(symbol);
        if (!name || !WB_PUSH(statics->v, statics->n)) {
            free(name);
            return 0;
        }
        statics->v[i].symbol = name;
    }
    struct wb_static *x = &statics->v[i];
    free(x->made_from);
    x->made_from = s->found;
    x->n = s->n;
    s->found = NULL;
    return x->version = ++statics->versions;
}

/* Not the tables and type descriptions that go with every class: they hold nothing that changes. */
static bool is_variable(const char *symbol) {
    return strncmp(symbol, "_Z", 2) == 0 &&
           !(symbol[2] == 'T' && isupper((unsigned char)symbol[3]));
}

json_t *wb_statics_versions(wb_statics *statics, const wb_live *live, const wb_split *own,
                            size_t cell, const char *symbols) {
    json_t *versions = json_object();
    for (const char *p = symbols; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        search s = {.live = live, .own = own, .cell = cell, .bodies = *p == '&'};
        p += s.bodies;
        char *symbol = wb_format("%.*s", (int)strcspn(p, "\n"), p);
        s.seen = symbol && is_variable(symbol) ? calloc(count(&s) + 1, 1) : NULL;
        if (s.seen)
            look_at(&s, symbol);
        long version = s.seen && !s.failed ? version_of(statics, &s, symbol) : 0;
        if (version)
            json_object_set_new(versions, symbol, json_integer(version));
        WB_FREE(s.seen, s.found, symbol);
    }
    return versions;
}
