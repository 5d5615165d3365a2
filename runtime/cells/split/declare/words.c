/* words.c: shared by all kinds of declarations: the words before a declarator, canonical
 * text for keys and signatures, the list of entities, and names for unnamed types. */
#include <ctype.h>

#include "runtime/cells/split/closure.h"
#include "runtime/cells/split/parts.h"

bool declare_word_is(const splitter *s, TSNode node, const char *word) {
    wb_span text = node_text(s, node);
    return text.len == strlen(word) && memcmp(text.at, word, text.len) == 0;
}

TSNode declare_inner(TSNode d) {
    TSNode inner = node_field(d, "declarator");
    return ts_node_is_null(inner) ? ts_node_named_child(d, 0) : inner;
}

TSNode declare_find_function(TSNode node) {
    while (!ts_node_is_null(node) && !node_is(node, "function_declarator") &&
           !node_is(node, "abstract_function_declarator")) {
        bool conversion = node_is(node_field(node, "name"), "operator_cast");
        if (node_is(node, "pointer_declarator") || node_is(node, "operator_cast") ||
            node_is(node, "abstract_pointer_declarator"))
            node = node_field(node, "declarator");
        else if (conversion || node_is(node_field(node, "name"), "qualified_identifier"))
            node = node_field(node, "name");
        else if (node_is(node, "reference_declarator"))
            node = ts_node_named_child(node, 0);
        else
            return (TSNode){.id = NULL};
    }
    return node;
}

bool declare_is_declarator(TSNode declaration, uint32_t child) {
    const char *field = ts_node_field_name_for_child(declaration, child);
    return field && strcmp(field, "declarator") == 0;
}

const wb_entity *declare_known(const splitter *s, const char *name, size_t len) {
    for (size_t i = s->out->n_entities; i-- > 0;)
        if (wb_word_is(name, len, s->out->entities[i].name))
            return &s->out->entities[i];
    return NULL;
}

int declare_ask(const splitter *s, const char *name, size_t len) {
    return s->how.ask ? s->how.ask(s->how.ctx, name, len) : 0;
}

words declare_words(const splitter *s, TSNode node) {
    words w = {0};
    for (uint32_t i = 0; i < node_count(node); i++) {
        TSNode child = ts_node_child(node, i);
        if (declare_word_is(s, child, "static")) {
            w.is_static = true;
            w.storage_static = child;
        } else if (declare_word_is(s, child, "inline") || declare_word_is(s, child, "__inline__")) {
            w.is_inline = true;
            w.storage_inline = child;
        }
        w.is_thread |=
            declare_word_is(s, child, "thread_local") || declare_word_is(s, child, "__thread");
        w.is_extern |= declare_word_is(s, child, "extern");
        w.is_const |= declare_word_is(s, child, "const");
        w.is_constexpr |= declare_word_is(s, child, "constexpr");
        w.device |= declare_word_is(s, child, "__device__");
        w.global |= declare_word_is(s, child, "__global__");
        w.host |= declare_word_is(s, child, "__host__");
        w.constant |= declare_word_is(s, child, "__constant__");
        w.managed |= declare_word_is(s, child, "__managed__");
        w.shared |= declare_word_is(s, child, "__shared__");
    }
    return w;
}

void declare_blank(splitter *s, TSNode node) {
    if (ts_node_is_null(node))
        return;
    size_t n = node_text(s, node).len;
    char spaces[32];
    memset(spaces, ' ', sizeof spaces);
    spaces[n < sizeof spaces ? n : sizeof spaces - 1] = '\0';
    split_edit(s, ts_node_start_byte(node), n, spaces);
}

char *declare_squeeze(char *text) {
    if (!text)
        return NULL;
    char *w = text;
    for (const char *p = text; *p; p++) {
        if (isspace((unsigned char)*p)) {
            if (w > text && w[-1] != ' ')
                *w++ = ' ';
        } else {
            *w++ = *p;
        }
    }
    text[wb_trimmed(text, (size_t)(w - text), " ")] = '\0';
    return text;
}

char *declare_squeeze_types(char *text) {
    if (!declare_squeeze(text))
        return NULL;
    char *w = text;
    for (const char *p = text; *p; p++)
        if (*p != ' ' || (w > text && wb_word_part(w[-1]) && wb_word_part(p[1])))
            *w++ = *p;
    *w = '\0';
    return text;
}

wb_entity *declare_add(splitter *s, wb_entity e) {
    wb_split *o = s->out;
    bool whole = e.name && e.key && e.open && e.close && e.scope;
    if (whole && WB_ADD(o->entities, o->n_entities, e))
        return &o->entities[o->n_entities - 1];
    wb_entity_free(&e);
    s->failed = true;
    return NULL;
}

/* Returns the comments in the lines above the declaration, malloc'd, or NULL. */
static char *remark(const splitter *s, TSNode node) {
    size_t start = ts_node_start_byte(node), from = start;
    for (TSNode p = ts_node_prev_sibling(node), q; node_is(p, "comment"); p = q) {
        q = ts_node_prev_sibling(p);
        if (!ts_node_is_null(q) && ts_node_end_point(q).row == ts_node_start_point(p).row)
            break; /* it is about what is before it in its line */
        from = ts_node_start_byte(p);
    }
    return from < start ? wb_format("%.*s", (int)(start - from), s->code + from) : NULL;
}

wb_entity *declare_entity(splitter *s, wb_entity e, TSNode node, place where) {
    int pack = s->pack[s->n_pack];
    if (pack && e.text && (e.kind == WB_ENTITY_TYPE || e.kind == WB_ENTITY_TEMPLATE)) {
        char *packed =
            wb_format("_Pragma(\"pack(push, %d)\") %s _Pragma(\"pack(pop)\")", pack, e.text);
        free(e.text);
        e.text = packed;
    }
    e.open = wb_format("%s", where.open);
    e.close = wb_format("%s", where.close);
    e.scope = wb_format("%s", where.scope);
    e.remark = remark(s, node);
    e.line = (int)ts_node_start_point(node).row + 1;
    e.start = ts_node_start_byte(node);
    e.end = ts_node_end_byte(node);
    return declare_add(s, e);
}

/* ---- unnamed types ---- */

static bool is_unnamed(TSNode type) {
    TSNode name = node_field(type, "name");
    return !ts_node_is_null(node_field(type, "body")) &&
           (ts_node_is_null(name) || ts_node_is_missing(name));
}

size_t declare_type_head(TSNode type) {
    size_t end = ts_node_start_byte(type);
    for (uint32_t i = 0; i < node_count(type); i++) {
        TSNode child = ts_node_child(type, i);
        if (node_is(child, "base_class_clause") || node_is(child, ":") ||
            ts_node_eq(child, node_field(type, "body")))
            return end;
        end = ts_node_end_byte(child);
    }
    return end;
}

char *declare_hashed(const splitter *s, const char *prefix, const char *variable, TSNode node) {
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = ts_node_start_byte(node); i < ts_node_end_byte(node); i++)
        h = (h ^ (unsigned char)s->code[i]) * 16777619u;
    return wb_format("%s%s_%08x", prefix, variable, h);
}

char *declare_unnamed(splitter *s, TSNode type, TSNode variable) {
    if (!is_unnamed(type) || ts_node_is_null(variable))
        return NULL;
    WB_SCOPED char *called = node_copy(s, variable);
    char *name = declare_hashed(s, WB_UNNAMED, called ? called : "", type);
    WB_SCOPED char *edit = wb_format(" %s ", name ? name : "");
    split_edit(s, declare_type_head(type), 0, edit ? edit : "");
    return name;
}
