/* statics.c: see statics.h. A symbol is a mangled name. The entities whose names it contains define
 * it, and what their texts need decides its layout. It is made from the hashes of all these. A
 * later cell may add to them (an overload) and still means the same variable. */
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

/* Collects what one symbol is made from. */
typedef struct search {
    const wb_live *live;
    const wb_split *own;
    size_t cell;
    char *seen; /* a mark for each entity, the live ones first, then the unit's */
    uint64_t *found;
    size_t n;
    bool bodies; /* functions' bodies matter, not only their types */
    bool failed;
} search;

static void add(search *s, uint64_t h) {
    for (size_t i = 0; i < s->n; i++)
        if (s->found[i] == h)
            return;
    s->failed |= !WB_ADD(s->found, s->n, h);
}

/* Returns true for a live entity that the unit redefines. */
static bool replaced(const search *s, size_t i) {
    return i < s->live->n && wb_live_replaced(s->own, &s->live->v[i].e);
}

static bool hidden(const search *s, size_t i) {
    wb_entity_kind kind = wb_live_at(s->live, s->own, i)->kind;
    return kind == WB_ENTITY_HIDDEN || kind == WB_ENTITY_UNDEF || kind == WB_ENTITY_INCLUDE ||
           replaced(s, i);
}

static bool is_function(const wb_entity *e) {
    return strncmp(e->key, "f:", 2) == 0;
}

static size_t cell_of(const search *s, size_t i) {
    return i < s->live->n ? s->live->v[i].cell : s->cell;
}

/* Returns true for a variable that compiled code keeps using after a redefinition (chains.h). */
static bool is_bound(const wb_entity *e) {
    return e->kind == WB_ENTITY_DEVICE_VARIABLE || (e->kind == WB_ENTITY_VARIABLE && !e->chain);
}

static bool is_operator(const wb_entity *e) {
    return is_function(e) && strncmp(e->name, "operator", 8) == 0;
}

/* Returns true for "f<int>", which calls of f may mean. */
static bool is_instance(const wb_entity *e, const char *word, size_t len) {
    return is_function(e) && !is_operator(e) && strncmp(e->name, word, len) == 0 &&
           e->name[len] == '<';
}

/* Returns true for "S::get", which belongs to S. */
static bool is_member(const wb_entity *e) {
    return is_function(e) && strstr(e->name, "::");
}

/* Returns true for a type's name: the notebook's, or one with operators such as "float3". */
static bool names_type(const search *s, const char *word, size_t len) {
    for (size_t i = 0; i < wb_live_count(s->live, s->own); i++) {
        const wb_entity *e = wb_live_at(s->live, s->own, i);
        if ((e->kind == WB_ENTITY_TYPE || e->kind == WB_ENTITY_TEMPLATE) &&
            wb_word_is(word, len, e->name))
            return true;
    }
    return len > 3 && isdigit((unsigned char)word[len - 1]);
}

/* Returns the part of an entity that affects its users: of a function only its head, unless its
 * type is deduced. */
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
    for (size_t i = 0; i < wb_live_count(s->live, s->own); i++) {
        const wb_entity *e = wb_live_at(s->live, s->own, i);
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
        add(s, wb_hash_text(wb_hash_text(wb_hash(WB_HASH, &cell, sizeof cell), e->key), text));
        wb_words(text, strlen(text), visit, s);
    }
}

/* Adds an entity that a symbol names. Another cell's entity of that name is another. */
static void define(search *s, size_t i) {
    const wb_entity *e = wb_live_at(s->live, s->own, i);
    size_t cell = cell_of(s, i);
    const char *text = e->text ? e->text : "";
    if (e->kind == WB_ENTITY_CONSTANT) /* the same in a cell that is run again */
        add(s, wb_hash_text(wb_hash_text(WB_HASH, e->key), text));
    else
        add(s, wb_hash_text(wb_hash(WB_HASH, &cell, sizeof cell), e->key));
    s->seen[i] = 1;
    wb_words(text, strlen(text), visit, s);
    if (s->bodies && e->definition) /* it may contain a device lambda */
        wb_words(e->definition, strlen(e->definition), visit, s);
}

/* Returns the next name in a mangled one, "1f" in "_Z1fIiE", or NULL. *rest is the text after it.
 * Digits also occur in literals (Li3E), array types (A3_i) and substitutions (S0_). */
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

/* Returns true if the preceding name ends the entity's scope: "a::b::" ends with b. */
static bool scope_ends(const wb_entity *e, const char *name, size_t len) {
    size_t n = strlen(e->scope);
    if (n == 0 || !name)
        return n == 0 && !name;
    return n >= len + 2 && memcmp(e->scope + n - len - 2, name, len) == 0;
}

/* Returns true if the symbol's name means the entity. A type may be anywhere in a symbol; others
 * need their scope. */
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

/* Returns true if the name begins an inner symbol: "L_Z3runvE", a function as an argument. */
static bool begins_symbol(const char *symbol, const char *name) {
    size_t n = wb_trimmed(symbol, (size_t)(name - symbol), "0123456789");
    n = wb_trimmed(symbol, n, "KN");
    return n >= 2 && memcmp(symbol + n - 2, "_Z", 2) == 0;
}

/* Adds the user's #include lines: when they change, so does what a header defines. */
static void add_headers(search *s) {
    for (size_t i = 0; i < wb_live_count(s->live, s->own); i++) {
        const wb_entity *e = wb_live_at(s->live, s->own, i);
        if (e->kind == WB_ENTITY_INCLUDE && e->text && strchr(e->text, '"') && !replaced(s, i))
            define(s, i);
    }
}

/* Adds the entities that a symbol names, but not the last name of a local variable:
 * "_ZZ1fIiEiT_E1n". */
static void look_at(search *s, const char *symbol) {
    bool local = strncmp(symbol, "_ZZ", 3) == 0 || strncmp(symbol, "_ZGVZ", 5) == 0;
    const char *before = NULL, *rest = symbol + 2, *later;
    size_t before_len = 0, len, later_len;
    bool ours = false;
    for (const char *name; (name = next_name(rest, &len, &rest));) {
        before = begins_symbol(symbol, name) ? NULL : before;
        if (local && before && !next_name(rest, &later_len, &later))
            break;
        for (size_t i = 0; i < wb_live_count(s->live, s->own); i++) {
            const wb_entity *e = wb_live_at(s->live, s->own, i);
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

/* Returns the version of the symbol with these parts; 0 if memory runs out. */
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

/* Returns false for the tables and type descriptions of classes, which never change. */
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
        WB_SCOPED char *symbol = wb_format("%.*s", (int)strcspn(p, "\n"), p);
        s.seen = symbol && is_variable(symbol) ? calloc(wb_live_count(live, own) + 1, 1) : NULL;
        if (s.seen)
            look_at(&s, symbol);
        long version = s.seen && !s.failed ? version_of(statics, &s, symbol) : 0;
        if (version)
            json_object_set_new(versions, symbol, json_integer(version));
        WB_FREE(s.seen, s.found);
    }
    return versions;
}
