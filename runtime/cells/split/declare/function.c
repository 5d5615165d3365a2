/* function.c: what a function makes known to later cells: its name with its parameter
 * types, and its prototype, or its whole text if the compiler needs that. */
#include <ctype.h>

#include "runtime/cells/split/parts.h"

/* Returns the parameter types as text, without names and defaults, for overloads. */
static char *parameter_types(const splitter *s, TSNode list) {
    wb_buf b = {0};
    uint32_t n = ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i), name = node_field(p, "declarator");
        if (node_is(p, "comment"))
            continue;
        uint32_t start = ts_node_start_byte(p), end = ts_node_end_byte(p);
        TSNode value = node_field(p, "default_value");
        if (!ts_node_is_null(value)) {
            end = ts_node_start_byte(value);
            while (end > start && s->code[end - 1] != '=')
                end--;
            end -= end > start;
        }
        while (!ts_node_is_null(name) && !node_is(name, "identifier"))
            name = declare_inner(name);
        if (b.len)
            wb_buf_puts(&b, ",");
        uint32_t cut = ts_node_is_null(name) ? end : ts_node_start_byte(name);
        uint32_t cont = ts_node_is_null(name) ? end : ts_node_end_byte(name);
        wb_buf_append(&b, s->code + start, cut - start);
        if (cont < end)
            wb_buf_append(&b, s->code + cont, end - cont);
    }
    char *text = declare_squeeze_types(wb_buf_steal(&b));
    if (text && strcmp(text, "void") == 0)
        *text = '\0';
    return text;
}

/* Returns "C::operator int" of "C::operator int() const". After a mark, as in "inline C::operator
 * int()", the grammar takes "C::operator" for a type and "int" for a function. */
static TSNode conversion(const splitter *s, TSNode node, TSNode function) {
    TSNode type = node_field(node, "type");
    wb_span text = node_text(s, type);
    if (node_is(function, "abstract_function_declarator"))
        return node_field(node, "declarator");
    return node_is(type, "qualified_identifier") && text.len > 8 &&
                   memcmp(text.at + text.len - 8, "operator", 8) == 0
               ? type
               : (TSNode){.id = NULL};
}

/* Returns the text from `node` to `until` without static and inline, and with a semicolon. */
static char *prototype(const splitter *s, TSNode node, uint32_t until, const words *w) {
    wb_buf b = {0};
    for (uint32_t i = ts_node_start_byte(node); i < until; i++) {
        if (w->is_static && i == ts_node_start_byte(w->storage_static))
            i = ts_node_end_byte(w->storage_static);
        if (w->is_inline && i == ts_node_start_byte(w->storage_inline))
            i = ts_node_end_byte(w->storage_inline);
        if (i < until && (b.len || !isspace((unsigned char)s->code[i])))
            wb_buf_putc(&b, s->code[i]);
    }
    while (b.len && isspace((unsigned char)b.data[b.len - 1]))
        b.data[--b.len] = '\0';
    wb_buf_putc(&b, ';');
    return wb_buf_steal(&b);
}

static bool has_auto(TSNode node, TSNode function) {
    return node_is(node_field(node, "type"), "placeholder_type_specifier") &&
           !node_has(function, "trailing_return_type");
}

/* Cuts "<class T = int, int N>" to "<class T, int N>", in place: defaults do not overload. */
static char *without_defaults(char *head) {
    int depth = 0;
    bool value = false;
    char *to = head;
    for (const char *p = head; p && *p; p++) {
        depth += strchr("<([{", *p) ? 1 : strchr(">)]}", *p) ? -1 : 0;
        bool ends = depth == 0 || (depth == 1 && *p == ',');
        value = (value && !ends) || (depth == 1 && *p == '=');
        if (!value && *p != ' ')
            *to++ = *p;
        else if (!value && p[1 + strspn(p + 1, " ")] != '=')
            *to++ = ' ';
    }
    if (to)
        *to = '\0';
    return head;
}

/* Returns true for a deduction guide, "Pair(T, T) -> Pair<T>". */
static bool is_guide(TSNode node, TSNode function) {
    return ts_node_is_null(node_field(node, "type")) && node_has(function, "trailing_return_type");
}

/* Returns the text that later cells repeat. Without inline each cell would have its own copy of a
 * static variable in it: "auto next() { static int n; return ++n; }". */
static char *repeated(splitter *s, TSNode node, TSNode outer, const words *w, bool special) {
    bool template = !ts_node_eq(node, outer);
    TSNode type = node_field(node, "type");
    if (!ts_node_is_null(node_field(node, "body")) && !w->device && !w->global &&
        !w->is_constexpr && (special || !template)) {
        declare_blank(s, w->storage_static);
        if (!w->is_inline)
            split_edit(s, ts_node_start_byte(ts_node_is_null(type) ? node : type), 0, "inline ");
    }
    return node_edited(s, outer);
}

/* Returns the function's name. That of a conversion, "operator int", reaches to the parameters. */
static char *called_by(splitter *s, TSNode name, TSNode cast, TSNode parameters) {
    if (ts_node_is_null(cast))
        return node_copy(s, name);
    uint32_t from = ts_node_start_byte(cast);
    return declare_squeeze(
        wb_format("%.*s", (int)(ts_node_start_byte(parameters) - from), s->code + from));
}

/* Names a template's entity. Returns true if it belongs to another template: a specialisation, or
 * a deduction guide. */
static bool name_template(splitter *s, wb_entity *e, TSNode outer, bool guide, place where,
                          const char *called, const char *types, bool defined) {
    WB_SCOPED char *head =
        declare_squeeze(without_defaults(node_copy(s, node_field(outer, "parameters"))));
    bool special = guide || (head && strcmp(head, "<>") == 0);
    e->key = wb_format("f:%s%s%s(%s)%s", where.scope, called, head ? head : "", types,
                       defined ? "" : ";");
    if (special) {
        free(e->attach);
        e->attach = node_copy(s, outer);
    }
    if (guide) { /* it must follow the template */
        free(e->name);
        e->name = wb_format("(guide)");
    }
    return special;
}

void declare_function(splitter *s, TSNode node, TSNode outer, TSNode function, place where) {
    words w = declare_words(s, node);
    TSNode name = node_field(function, "declarator"), body = node_field(node, "body");
    TSNode parameters = node_field(function, "parameters");
    bool defined = !ts_node_is_null(body), template = !ts_node_eq(node, outer);
    TSNode cast = conversion(s, node, function);
    name = ts_node_is_null(cast) ? name : cast;
    bool member = node_is(name, "qualified_identifier");
    bool source = w.device || w.is_constexpr || template || (defined && has_auto(node, function));
    WB_SCOPED char *types = parameter_types(s, parameters),
                   *called = called_by(s, name, cast, parameters);
    size_t end_of_list = ts_node_end_byte(parameters);
    bool is_const =
        memmem(s->code + end_of_list, ts_node_end_byte(function) - end_of_list, "const", 5);
    wb_entity e = {.name = called ? wb_format("%s", called) : NULL,
                   .attach = node_copy(s, parameters)};
    uint32_t head_end = defined ? ts_node_start_byte(body) : ts_node_end_byte(function);
    e.signature = declare_squeeze(prototype(s, outer, head_end, &(words){0}));
    e.device = w.device || w.global;
    const char *suffix = called ? strrchr(called, '"') : NULL; /* operator""_k goes by _k */
    e.also = suffix ? wb_format("%s", suffix + 1) : NULL;
    e.kind = w.global && !template ? WB_ENTITY_KERNEL
             : template            ? WB_ENTITY_TEMPLATE
             : source              ? WB_ENTITY_SOURCE_FUNCTION
                                   : WB_ENTITY_FUNCTION;
    bool special = false;
    if (template)
        special =
            name_template(s, &e, outer, is_guide(node, function), where, called, types, defined);
    else /* repeated functions may call each other, so their prototypes are kept beside them */
        e.key = wb_format("f:%s%s(%s)%s%s", where.scope, called, types, is_const ? "const" : "",
                          source && !defined ? ";" : "");
    if (source) {
        e.text = repeated(s, node, outer, &w, special);
    } else {
        if (!member) {
            declare_blank(s, w.storage_static);
            if (!w.global)
                declare_blank(s, w.storage_inline);
        }
        e.text = prototype(s, node, head_end, &w);
    }
    if (defined && !source)
        e.definition = node_edited(s, outer);
    if (member) { /* its class declares it; only repeated members need a declaration */
        char *class = node_copy(s, node_field(name, "scope"));
        free(e.attach);
        e.attach = class;
        if (!source) {
            free(e.text);
            e.text = wb_format(" ");
        }
    }
    if (defined && called && strcmp(called, "main") == 0 && !*where.scope)
        s->out->has_main = true;
    if (source)
        declare_hide_device_state(s, &e, node);
    declare_entity(s, e, outer, where);
}
