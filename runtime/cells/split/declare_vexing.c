/* declare_vexing.c: "std::vector<float> a(n * n);" parses as a function whose parameter, a pointer
 * n, is of a type n. To the compiler it is a variable, since it knows what n is. */
#include <stdlib.h>
#include <string.h>

#include "runtime/cells/split/parts.h"

enum { UNKNOWN, TYPE, VALUE };

/* "#define real float" stands for a type, "#define N 1024" for a value. */
static int macro_means(const char *define, const char *name, size_t len) {
    static const char *const words[] = {"const",  "unsigned", "signed", "long",   "short",
                                        "int",    "float",    "double", "char",   "bool",
                                        "void",   "struct",   "class",  "enum",   "typename",
                                        "size_t", "auto",     "std::",  "__half", "half"};
    const char *body = define ? strstr(define, "define") : NULL;
    body = body ? memmem(body, strlen(body), name, len) : NULL;
    body = body ? body + len : "";
    body += strspn(body, " \t");
    for (size_t i = 0; i < WB_COUNT(words); i++)
        if (strncmp(body, words[i], strlen(words[i])) == 0)
            return TYPE;
    return VALUE;
}

static bool also_names(const wb_entity *e, const char *name, size_t len) {
    for (const char *p = e->also; p && *p; p += strcspn(p, " ")) {
        p += strspn(p, " ");
        if (strcspn(p, " ") == len && memcmp(p, name, len) == 0)
            return true;
    }
    return false;
}

static int entity_means(const wb_entity *e, const char *name, size_t len) {
    switch (e->kind) {
    case WB_ENTITY_VARIABLE:
    case WB_ENTITY_DEVICE_VARIABLE:
    case WB_ENTITY_CONSTANT:
        return VALUE;
    case WB_ENTITY_MACRO:
        return macro_means(e->text, name, len);
    case WB_ENTITY_FUNCTION:
    case WB_ENTITY_SOURCE_FUNCTION:
        return VALUE;
    default:
        return TYPE;
    }
}

/* What a name at file scope stands for, in this cell or in an earlier one. */
static int meaning(const splitter *s, const char *name, size_t len) {
    for (size_t k = s->out->n_entities; k-- > 0;) {
        const wb_entity *e = &s->out->entities[k];
        if (strlen(e->name) == len && strncmp(e->name, name, len) == 0)
            return entity_means(e, name, len);
        if (also_names(e, name, len))
            return strncmp(e->signature ? e->signature : "", "typedef", 7) == 0 ? TYPE : VALUE;
    }
    int known = s->ask ? s->ask(s->ctx, name, len) : 0;
    if (known == 'c' || known == 'm') {
        const char *define = s->macro ? s->macro(s->ctx, name, len) : NULL;
        return define ? macro_means(define, name, len) : VALUE; /* or an enumerator */
    }
    return known == 't' ? TYPE : known ? VALUE : UNKNOWN;
}

static int node_means(const splitter *s, TSNode node) {
    size_t len;
    const char *name = node_text(s, node, &len);
    return meaning(s, name, len);
}

static bool takes_values(const splitter *s, TSNode list);

/* Whether what follows the type speaks of values, as in "sqrt(x)" and "max(a, b)". */
static bool declares_value(const splitter *s, TSNode d) {
    if (node_is(d, "identifier"))
        return node_means(s, d) == VALUE;
    if (node_is(d, "function_declarator") || node_is(d, "abstract_function_declarator")) {
        TSNode list = node_field(d, "parameters");
        return ts_node_named_child_count(list) == 0 || takes_values(s, list); /* "rand()" */
    }
    if (node_is(d, "parenthesized_declarator"))
        return declares_value(s, ts_node_named_child(d, 0));
    return false;
}

/* A parameter that the compiler takes for an expression. */
static bool is_value(const splitter *s, TSNode parameter) {
    TSNode type = node_field(parameter, "type"), d = node_field(parameter, "declarator");
    bool plain = node_is(type, "type_identifier"),
         qualified = node_is(type, "qualified_identifier");
    if ((!plain && !qualified) || node_is(d, "identifier")) /* "T x" is nothing else */
        return false;
    int means = plain ? node_means(s, type) : UNKNOWN;
    return means == VALUE || (means == UNKNOWN && declares_value(s, d));
}

static bool takes_values(const splitter *s, TSNode list) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++)
        if (is_value(s, ts_node_named_child(list, i)))
            return true;
    return false;
}

/* "a::C<int>::b" as "a::C::b", malloc'd. */
static char *plain_name(const splitter *s, TSNode node) {
    char *name = declare_squeeze_types(node_copy(s, node)), *to = name;
    int depth = 0;
    for (const char *p = name; p && *p; p++) {
        depth += *p == '<';
        if (depth == 0)
            *to++ = *p;
        depth -= *p == '>';
    }
    if (name)
        *to = '\0';
    return name;
}

static int qualified_means(const splitter *s, TSNode node) {
    char *name = plain_name(s, node);
    const char *asked = name && strncmp(name, "::", 2) == 0 ? name + 2 : name;
    int kind = 0;
    for (size_t i = s->out->n_entities; asked && !kind && i-- > 0;)
        kind = wb_entity_means(&s->out->entities[i], asked);
    if (!kind && asked && s->ask)
        kind = s->ask(s->ctx, asked, strlen(asked));
    free(name);
    return kind == 't' ? TYPE : kind ? VALUE : UNKNOWN;
}

bool declare_is_product(const splitter *s, TSNode node) {
    TSNode type = node_field(node, "type"), d = node_field(node, "declarator");
    if (!node_is(node, "declaration") ||
        !(node_is(d, "pointer_declarator") || node_is(d, "reference_declarator")))
        return false;
    return (node_is(type, "type_identifier") && node_means(s, type) == VALUE) ||
           (node_is(type, "qualified_identifier") && qualified_means(s, type) == VALUE);
}

bool declare_is_vexing(const splitter *s, TSNode function) {
    return takes_values(s, node_field(function, "parameters"));
}
