/* vexing.c: "std::vector<float> a(n * n);" parses as a function with a parameter, a pointer
 * n of type n. The compiler, which knows n, sees a variable. */
#include "runtime/cells/split/parts.h"

/* Returns TYPE for "#define real float" and VALUE for "#define N 1024". */
static name_kind macro_means(const char *define, const char *name, size_t len) {
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

static name_kind entity_means(const wb_entity *e, const char *name, size_t len) {
    if (e->kind == WB_ENTITY_MACRO)
        return macro_means(e->text, name, len);
    return strncmp(e->key, "t:", 2) == 0 ? TYPE : VALUE;
}

/* Returns what a name at file scope means in this cell or an earlier one. */
static name_kind meaning(const splitter *s, const char *name, size_t len) {
    for (size_t k = s->out->n_entities; k-- > 0;) {
        const wb_entity *e = &s->out->entities[k];
        if (wb_word_is(name, len, e->name))
            return entity_means(e, name, len);
        if (e->also && wb_word_among(name, len, e->also))
            return strncmp(e->signature ? e->signature : "", "typedef", 7) == 0 ? TYPE : VALUE;
    }
    int known = declare_ask(s, name, len);
    if (known == 'c' || known == 'm') {
        const char *define = s->how.macro ? s->how.macro(s->how.ctx, name, len) : NULL;
        return define ? macro_means(define, name, len) : VALUE; /* or an enumerator */
    }
    return known == 't' ? TYPE : known ? VALUE : UNKNOWN;
}

char *declare_plain_name(const splitter *s, TSNode node) {
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
    if (name && strncmp(name, "::", 2) == 0)
        memmove(name, name + 2, strlen(name + 2) + 1);
    return name;
}

static name_kind qualified_means(const splitter *s, TSNode node) {
    WB_SCOPED char *name = declare_plain_name(s, node);
    int kind = 0;
    for (size_t i = s->out->n_entities; name && !kind && i-- > 0;)
        kind = wb_entity_means(&s->out->entities[i], name);
    if (!kind && name)
        kind = declare_ask(s, name, strlen(name));
    return kind == 't' ? TYPE : kind ? VALUE : UNKNOWN;
}

name_kind declare_means(const splitter *s, TSNode node) {
    if (node_is(node, "primitive_type") || node_is(node, "sized_type_specifier"))
        return TYPE;
    if (node_is(node, "qualified_identifier"))
        return qualified_means(s, node);
    TSNode name = node_field(node, "name"); /* the name in "V<int>" */
    wb_span text = node_text(s, ts_node_is_null(name) ? node : name);
    return meaning(s, text.at, text.len);
}

static bool takes_values(const splitter *s, TSNode list);

/* Returns true if the text after the type shows values, as in "sqrt(x)" and "max(a, b)". */
static bool declares_value(const splitter *s, TSNode d) {
    if (node_is(d, "identifier"))
        return declare_means(s, d) == VALUE;
    if (node_is(d, "function_declarator") || node_is(d, "abstract_function_declarator")) {
        TSNode list = node_field(d, "parameters");
        return ts_node_named_child_count(list) == 0 || takes_values(s, list); /* "rand()" */
    }
    if (node_is(d, "parenthesized_declarator"))
        return declares_value(s, ts_node_named_child(d, 0));
    return false;
}

/* Returns true for a parameter that the compiler takes for an expression. */
static bool is_value(const splitter *s, TSNode parameter) {
    TSNode type = node_field(parameter, "type"), d = node_field(parameter, "declarator");
    bool named = node_is(type, "type_identifier") || node_is(type, "qualified_identifier");
    if (!named || node_is(d, "identifier")) /* "T x" can only be a parameter */
        return false;
    name_kind means = declare_means(s, type);
    return means == VALUE || (means == UNKNOWN && declares_value(s, d));
}

static bool takes_values(const splitter *s, TSNode list) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++)
        if (is_value(s, ts_node_named_child(list, i)))
            return true;
    return false;
}

bool declare_is_vexing(const splitter *s, TSNode function) {
    return takes_values(s, node_field(function, "parameters"));
}
