/* declare.c: what a declaration makes known to later cells, and how they declare it. Host functions
 * and variables are linked. What device code or constant expressions need is repeated as text. */
#include "runtime/cells/split/closure.h"
#include "runtime/cells/split/parts.h"

/* ---- variables ---------------------------------------------------------------------------- */

/* Returns the declarator's identifier; null for structured bindings and qualified names. */
static TSNode declared_name(TSNode node) {
    while (!ts_node_is_null(node) && !node_is(node, "identifier")) {
        if (node_is(node, "structured_binding_declarator") || node_is(node, "qualified_identifier"))
            return (TSNode){.id = NULL};
        node = declare_inner(node);
    }
    return node;
}

/* Returns true if the object itself is const, not what it points to. */
static bool object_is_const(const splitter *s, const words *w, TSNode declarator) {
    TSNode d = declarator;
    while (node_is(d, "init_declarator") || node_is(d, "array_declarator"))
        d = node_field(d, "declarator");
    if (node_is(d, "function_declarator")) /* "const T v(n);", not "const T (*f)(int);" */
        return w->is_const && !node_is(node_field(d, "declarator"), "parenthesized_declarator");
    if (node_is(d, "reference_declarator"))
        return false;
    if (!node_is(d, "pointer_declarator"))
        return w->is_const;
    while (node_is(node_field(d, "declarator"), "pointer_declarator"))
        d = node_field(d, "declarator");
    for (uint32_t i = 0; i < node_count(d); i++)
        if (declare_word_is(s, ts_node_child(d, i), "const"))
            return true;
    return false;
}

/* Finds what may be another value in another cell: not a literal, an operator or a constant. */
static node_answer is_changing(const splitter *s, TSNode node) {
    if (node_is_one(node, "call_expression new_expression lambda_expression assignment_expression "
                          "update_expression compound_literal_expression subscript_expression"))
        return NODE_YES;
    if (!node_is(node, "identifier"))
        return NODE_INSIDE;
    wb_span name = node_text(s, node);
    const wb_entity *e = declare_known(s, name.at, name.len);
    int known = e ? 0 : declare_ask(s, name.at, name.len);
    bool variable = e ? e->kind == WB_ENTITY_VARIABLE : wb_split_is_variable(known) || known == 'd';
    return variable ? NODE_YES : NODE_NO;
}

/* Returns true for an array. Elements of a const array are no constant expressions, so all cells
 * can share one array. */
static bool is_array(TSNode declarator) {
    while (node_is(declarator, "init_declarator"))
        declarator = node_field(declarator, "declarator");
    return node_is(declarator, "array_declarator");
}

static bool plain_type(const splitter *s, TSNode type) {
    if (node_is(type, "primitive_type") || node_is(type, "sized_type_specifier"))
        return true;
    wb_span text = node_text(s, type);
    return node_is(type, "type_identifier") && text.len > 2 &&
           memcmp(text.at + text.len - 2, "_t", 2) == 0;
}

/* Returns true for a lambda without captures and static variables, so that a copy is as good. */
static bool is_plain_lambda(const splitter *s, TSNode declarator) {
    TSNode value = node_field(declarator, "value"), list = node_field(value, "captures");
    WB_SCOPED_BUF wb_buf b = {0};
    if (!node_is(value, "lambda_expression"))
        return false;
    split_edited(s, &b, ts_node_start_byte(list), ts_node_end_byte(list));
    wb_span text = node_text(s, value);
    return b.len == 2 && !memmem(text.at, text.len, "static", 6);
}

/* Returns one declarator alone, as text: the declaration's head and this declarator. */
static char *alone(const splitter *s, TSNode node, TSNode declarator) {
    TSNode first = node_field(node, "declarator"), type = node_field(node, "type");
    wb_buf b = {0};
    size_t start = ts_node_start_byte(node);
    if (!ts_node_is_null(node_field(type, "body"))) { /* the type is declared by itself */
        split_edited(s, &b, start, declare_type_head(type));
        for (size_t i = 0; i < s->out->n_edits; i++)
            if (s->out->edits[i].at == declare_type_head(type))
                wb_buf_puts(&b, s->out->edits[i].with);
        start = ts_node_end_byte(type);
    }
    split_edited(s, &b, start, ts_node_start_byte(first));
    split_edited(s, &b, ts_node_start_byte(declarator), ts_node_end_byte(declarator));
    wb_buf_putc(&b, ';');
    return wb_buf_steal(&b);
}

/* Handles "auto [a, b] = f();". Other cells can't declare such names, so each gets a reference,
 * which they know by the binding's name. */
static void declare_bindings(splitter *s, TSNode node, TSNode bindings, place where) {
    uint32_t n = ts_node_named_child_count(bindings), end = ts_node_end_byte(node);
    /* in a namespace whose parts are all in the mangled name */
    bool shared = !strstr(where.open, "inline ") && !strstr(where.open, "extern ") && end > 0 &&
                  s->code[end - 1] == ';';
    WB_SCOPED_BUF wb_buf references = {0};
    for (uint32_t i = 0; i < n; i++) {
        char *name = node_copy(s, ts_node_named_child(bindings, i));
        wb_entity e = {.kind = shared ? WB_ENTITY_VARIABLE : WB_ENTITY_HIDDEN, .name = name};
        e.key = wb_format("v:%s%s", where.scope, name);
        e.is_binding = shared;
        if (shared)
            e.signature = declare_squeeze(node_copy(s, node));
        else
            e.text =
                wb_format(_("it is a structured binding, which only its own cell can use; give "
                            "it a variable of its own"));
        wb_buf_printf(&references, "; auto &" WB_BINDING "%s = __wb_bound(%s)", name, name);
        declare_entity(s, e, node, where);
    }
    if (shared && references.data)
        split_edit(s, end - 1, 0, references.data);
}

/* Returns "S::count" for "int S::count = 0". */
static TSNode member_name(TSNode declarator) {
    while (!ts_node_is_null(declarator) && !node_is(declarator, "qualified_identifier"))
        declarator = node_field(declarator, "declarator");
    return declarator;
}

/* Handles "int S::count = 0;". Its class declares it, and the linker finds it like a method. */
static void declare_member(splitter *s, TSNode node, TSNode declarator, place where) {
    TSNode name = member_name(declarator);
    if (ts_node_is_null(name))
        return;
    wb_entity e = {.kind = WB_ENTITY_FUNCTION, .text = wb_format(" ")};
    e.name = declare_squeeze_types(node_copy(s, name));
    e.key = wb_format("v:%s%s", where.scope, e.name ? e.name : "");
    e.attach = node_copy(s, node_field(name, "scope"));
    e.signature = declare_squeeze(alone(s, node, declarator));
    declare_entity(s, e, node, where);
}

/* Gives a constant one address for all cells, although each repeats its text. Its symbol is one
 * that the worker shares between cells (live/statics.c), like variables of templates. */
static void share_constant(splitter *s, TSNode node, TSNode declarator, words *w, place where) {
    TSNode inner = node_field(declarator, "declarator"), value = node_field(declarator, "value");
    TSNode name = declared_name(declarator);
    wb_span text = node_text(s, name);
    TSNode d = inner;
    while (node_is(d, "pointer_declarator") || node_is(d, "array_declarator"))
        d = node_field(d, "declarator");
    /* not the ")(int)" of a function pointer */
    const char *after = s->code + ts_node_end_byte(inner);
    after += strspn(after, " \t\n");
    if (ts_node_is_null(value) || node_is(value, "lambda_expression") || !strchr("={", *after) ||
        !ts_node_eq(d, name))
        return;
    WB_SCOPED char *label =
        wb_format(" __asm__(\"_Z%zu%.*sB5__wbc\") ", text.len, (int)text.len, text.at);
    if (!*where.scope && label)
        split_edit(s, ts_node_end_byte(inner), 0, label);
    if (w->external)
        return;
    w->external = true;
    declare_blank(s, w->storage_inline);
    if (w->is_static)
        split_edit(s, ts_node_start_byte(w->storage_static), 6, "extern");
    else if (!w->is_extern)
        split_edit_first(s, ts_node_start_byte(node), "extern ");
}

static void declare_variable(splitter *s, TSNode node, TSNode declarator, words *w, place where) {
    TSNode name = declared_name(declarator);
    if (ts_node_is_null(name)) {
        TSNode inner = node_field(declarator, "declarator");
        if (node_is(inner, "reference_declarator")) /* "auto &[a, b] = pair;" */
            inner = ts_node_named_child(inner, 0);
        if (node_is(inner, "structured_binding_declarator"))
            declare_bindings(s, node, inner, where);
        else if (!w->is_thread)
            declare_member(s, node, declarator, where);
        return;
    }
    char *called = node_copy(s, name);
    wb_entity e = {.kind = WB_ENTITY_VARIABLE, .name = called, .is_thread = w->is_thread};
    e.key = wb_format("v:%s%s", where.scope, called);
    e.constant = !w->is_constexpr && object_is_const(s, w, declarator);
    TSNode value = node_field(declarator, "value");
    if (w->shared) { /* every kernel has its own, so the declaration is enough */
        e.kind = WB_ENTITY_CONSTANT;
        e.text = alone(s, node, declarator);
    } else if (w->device || w->constant || w->managed) {
        e.kind = WB_ENTITY_DEVICE_VARIABLE;
        e.host_side = w->managed;
        if (w->is_constexpr || (e.constant && w->device)) {
            e.kind = WB_ENTITY_CONSTANT;
            e.text = alone(s, node, declarator);
        }
    } else if (w->is_extern && ts_node_is_null(value)) {
        e.kind = WB_ENTITY_FUNCTION; /* a declaration of something defined elsewhere */
        e.text = alone(s, node, declarator);
    } else if (w->is_constexpr ||
               (e.constant && !is_array(declarator) && !ts_node_is_null(value) &&
                plain_type(s, node_field(node, "type")) && !node_any(s, value, is_changing))) {
        e.kind = WB_ENTITY_CONSTANT;
        e.signature = declare_squeeze(alone(s, node, declarator));
        share_constant(s, node, declarator, w, where);
        e.text = alone(s, node, declarator);
    } else if (node_is(node_field(node, "type"), "placeholder_type_specifier") &&
               is_plain_lambda(s, declarator)) {
        e.stateless = true;
        e.text = alone(s, node, declarator);
    }
    if (!e.signature)
        e.signature = declare_squeeze(alone(s, node, declarator));
    if (e.kind == WB_ENTITY_VARIABLE && !*where.open &&
        declare_closure(s, node, declarator, w, where)) {
        e.stateless = false;
        WB_FREE(e.text, e.signature);
        e.text = NULL;
        e.signature = declare_squeeze(node_copy(s, node));
    }
    declare_entity(s, e, node, where);
}

/* Declares "template <class T> int counter = 0;", or "template <class T> int C<T>::made = 0;",
 * which belongs to C. */
static void declare_variable_template(splitter *s, TSNode declarator, TSNode outer, place where) {
    TSNode name = declared_name(declarator), member = member_name(declarator);
    bool own = !ts_node_is_null(name);
    WB_SCOPED char *called = declare_squeeze_types(node_copy(s, own ? name : member));
    wb_entity e = {.kind = WB_ENTITY_TEMPLATE, .name = wb_format("%s", own ? called : "(member)")};
    e.text = node_copy(s, outer);
    e.key = wb_format("v:%s%s", where.scope, called ? called : "");
    if (!own && called) {
        char *last = called; /* "C<T>::made" belongs to C */
        for (char *p = called; (p = strstr(p, "::")); p += 2)
            last = p;
        e.attach = wb_format("%.*s", (int)(last - called), called);
    }
    declare_hide_device_state(s, &e, outer);
    declare_entity(s, e, outer, where);
}

/* Declares a type. `called` (malloc'd, taken over) is its name if it has none in the cell. */
static void declare_type(splitter *s, TSNode node, TSNode outer, const char *end, char *called,
                         place where);

/* Returns the first declarator's name, which names an unnamed type. */
static TSNode first_name(TSNode node) {
    TSNode d = node_field(node, "declarator");
    return ts_node_is_null(d) ? d : declared_name(d);
}

static node_answer may_be_object(const splitter *s, TSNode node) {
    (void)s;
    return node_is_one(node, "call_expression identifier") ? NODE_YES : NODE_INSIDE;
}

/* Splits "auto a = f(1), b = f(2);" in two, because nvcc miscompiles it if f returns a lambda. */
static void separate_autos(splitter *s, TSNode node, const words *w) {
    WB_SCOPED_BUF wb_buf same = {0};
    wb_buf_puts(&same, ";");
    uint32_t n = ts_node_child_count(node), all = 0, plain = 0;
    bool may = false;
    for (uint32_t i = 0; i < n; i++) {
        TSNode d = ts_node_child(node, i), name = node_field(d, "declarator");
        if (!declare_is_declarator(node, i))
            continue;
        all++;
        plain += node_is(d, "init_declarator") && node_is(name, "identifier");
        may |= node_any(s, node_field(d, "value"), may_be_object);
        wb_span text = node_text(s, name);
        if (all > 1)
            wb_buf_printf(&same, "decltype(%.*s)), \"inconsistent deduction for auto\");",
                          (int)text.len, text.at);
        wb_buf_printf(&same, " static_assert(__is_same(decltype(%.*s), ", (int)text.len, text.at);
    }
    char *last = same.data ? strrchr(same.data, ';') : NULL;
    const char *head = w->is_const    ? "; extern const auto"
                       : w->is_thread ? "; thread_local auto"
                                      : "; auto";
    if (last && may && plain == all && all > 1 && !w->is_constexpr) {
        *last = '\0';
        for (uint32_t i = 0; i < n; i++)
            if (node_is(ts_node_child(node, i), ","))
                split_edit(s, ts_node_start_byte(ts_node_child(node, i)), 1, head);
        split_edit(s, ts_node_end_byte(node) - 1, 0, same.data); /* before the semicolon */
    }
}

/* Declares all of a `declaration`: its types, prototypes and variables. */
static void declare_all(splitter *s, TSNode node, TSNode outer, place where) {
    words w = declare_words(s, node);
    TSNode type = node_field(node, "type");
    bool template = !ts_node_eq(node, outer), variables = false, constant = false;
    if (!ts_node_is_null(node_field(type, "body"))) {
        char *called = template ? NULL : declare_unnamed(s, type, first_name(node));
        declare_type(s, type, type, ";", called, where);
    }
    if (node_is(type, "placeholder_type_specifier") && !template)
        separate_autos(s, node, &w);
    size_t first = s->out->n_entities;
    for (uint32_t i = 0; i < node_count(node); i++) {
        if (!declare_is_declarator(node, i))
            continue;
        TSNode declarator = ts_node_child(node, i), function = declare_find_function(declarator);
        TSNode inner = node_field(function, "declarator");
        bool pointer = ts_node_is_null(function) || node_is(inner, "parenthesized_declarator");
        if (!pointer && !declare_is_vexing(s, function)) {
            declare_function(s, node, outer, function, where);
        } else if (template) {
            declare_variable_template(s, declarator, outer, where);
        } else {
            declare_variable(s, node, declarator, &w, where);
            variables = true;
        }
    }
    if (!variables)
        return;
    bool linked = false;
    for (size_t i = first; i < s->out->n_entities; i++) {
        linked |= s->out->entities[i].kind == WB_ENTITY_VARIABLE;
        constant |= s->out->entities[i].kind == WB_ENTITY_VARIABLE && s->out->entities[i].constant;
    }
    if (!linked || w.external)
        return;
    /* Later cells must see the definition: no static, no const without extern. */
    if (constant && w.is_static)
        split_edit(s, ts_node_start_byte(w.storage_static), 6, "extern");
    else if (constant && !w.is_extern)
        split_edit(s, ts_node_start_byte(node), 0, "extern ");
    else
        declare_blank(s, w.storage_static);
    declare_blank(s, w.storage_inline);
}

/* ---- types and namespaces ------------------------------------------------------------------ */

static void add_name(const splitter *s, TSNode node, wb_buf *names) {
    wb_span name = node_text(s, node);
    wb_buf_printf(names, " %.*s", (int)name.len, name.at);
}

static void add_enumerators(const splitter *s, TSNode node, wb_buf *names) {
    TSNode body = node_field(node, "body");
    uint32_t n = ts_node_is_null(body) ? 0 : ts_node_named_child_count(body);
    for (uint32_t i = 0; i < n; i++) {
        TSNode name = node_field(ts_node_named_child(body, i), "name");
        if (!ts_node_is_null(name) && node_is(ts_node_named_child(body, i), "enumerator"))
            add_name(s, name, names);
    }
}

static void declare_type(splitter *s, TSNode node, TSNode outer, const char *end, char *called,
                         place where) {
    TSNode name = node_field(node, "name");
    bool in_cell = !ts_node_is_null(name) && !ts_node_is_missing(name);
    if (!called)
        called = in_cell ? node_copy(s, name) : wb_format("(unnamed)");
    WB_SCOPED_BUF wb_buf also = {0};
    bool unnamed = called && *called == '(';
    bool template = !node_is(outer, ts_node_type(node));
    bool body = !ts_node_is_null(node_field(node, "body")) || node_is(node, "alias_declaration");
    if (node_is(node, "enum_specifier"))
        add_enumerators(s, node, &also);
    bool edited = called && strncmp(called, WB_UNNAMED, strlen(WB_UNNAMED)) == 0;
    WB_SCOPED char *text = edited ? node_edited(s, outer) : node_copy(s, outer);
    wb_entity e = {.kind = template ? WB_ENTITY_TEMPLATE : WB_ENTITY_TYPE, .name = called};
    bool special = template && (node_is(name, "template_type") || (called && strchr(called, '<')));
    e.key = special   ? wb_format("t:%s%.*s%s", where.scope, (int)strcspn(text ? text : "", "{;"),
                                text ? text : "", body ? "" : ";")
            : unnamed ? wb_format("t:%s%s", where.scope, text ? text : "")
                      : wb_format("t:%s%s%s", where.scope, called, body ? "" : ";");
    e.text = text ? wb_format("%s%s", text, end) : NULL;
    e.signature = wb_format("%.*s", (int)strcspn(text ? text : "", "{;\n"), text ? text : "");
    if (special)
        e.attach = node_copy(s, outer);
    e.also = also.len ? wb_buf_steal(&also) : NULL;
    declare_hide_device_state(s, &e, outer);
    declare_entity(s, e, outer, where);
}

static void declare_typedef(splitter *s, TSNode node, place where) {
    wb_buf names = {0};
    TSNode type = node_field(node, "type"), first = {0};
    for (uint32_t i = 0; i < node_count(node); i++) {
        if (!declare_is_declarator(node, i))
            continue;
        TSNode d = ts_node_child(node, i);
        while (!ts_node_is_null(d) && !node_is(d, "type_identifier"))
            d = declare_inner(d);
        if (ts_node_is_null(d))
            continue;
        if (ts_node_is_null(first))
            first = d;
        add_name(s, d, &names);
    }
    if (ts_node_is_null(first))
        return;
    TSNode tag = node_field(type, "name");
    if (!ts_node_is_null(node_field(type, "body")) && !ts_node_is_null(tag))
        add_name(s, tag, &names);
    add_enumerators(s, type, &names);
    char *called = node_copy(s, first);
    wb_entity e = {.kind = WB_ENTITY_TYPE, .name = called};
    e.text = node_copy(s, node);
    e.key = wb_format("t:%s%s", where.scope, called);
    e.signature = declare_squeeze(node_copy(s, node));
    e.also = wb_buf_steal(&names);
    declare_entity(s, e, node, where);
}

static void declare_body(splitter *s, TSNode body, place where) {
    uint32_t n = ts_node_named_child_count(body);
    for (uint32_t i = 0; i < n && !s->failed; i++)
        declare(s, ts_node_named_child(body, i), where);
}

/* Declares a namespace. "a::b" opens two. An unnamed one gets a name for other cells. */
static void declare_namespace(splitter *s, TSNode node, place where) {
    TSNode name = node_field(node, "name"), body = node_field(node, "body");
    wb_span head = node_text(s, node);
    bool is_inline = head.len > 6 && strncmp(head.at, "inline", 6) == 0;
    bool unnamed = ts_node_is_null(name);
    WB_SCOPED char *called =
        unnamed ? wb_format("__wb_unnamed") : declare_squeeze(node_copy(s, name));
    if (ts_node_is_null(body) || !called)
        return;
    if (unnamed)
        split_edit(s, ts_node_start_byte(node), ts_node_start_byte(body) - ts_node_start_byte(node),
                   "inline namespace __wb_unnamed ");
    WB_SCOPED char *open =
        wb_format("%s%snamespace %s {", where.open, unnamed || is_inline ? "inline " : "", called);
    WB_SCOPED char *close = wb_format("}%s", where.close),
                   *scope = wb_format("%s%s::", where.scope, called);
    if (open && close && scope)
        declare_body(s, body, (place){open, close, scope});
}

static void declare_linkage(splitter *s, TSNode node, place where) {
    TSNode body = node_field(node, "body");
    WB_SCOPED char *word = node_copy(s, node_field(node, "value"));
    WB_SCOPED char *open = word ? wb_format("%sextern %s {", where.open, word) : NULL;
    WB_SCOPED char *close = wb_format("}%s", where.close);
    if (open && close && node_is(body, "declaration_list"))
        declare_body(s, body, (place){open, close, where.scope});
    else if (open && close)
        declare(s, body, (place){open, close, where.scope});
}

static void declare_template(splitter *s, TSNode node, place where) {
    uint32_t n = ts_node_named_child_count(node);
    TSNode inner = n ? ts_node_named_child(node, n - 1) : node;
    if (node_is(inner, "function_definition")) {
        TSNode function = declare_find_function(node_field(inner, "declarator"));
        if (!ts_node_is_null(function))
            declare_function(s, inner, node, function, where);
    } else if (node_is(inner, "declaration")) {
        declare_all(s, inner, node, where);
    } else if (node_is(inner, "alias_declaration") || !ts_node_is_null(node_field(inner, "name"))) {
        declare_type(s, inner, node, ";", NULL, where);
    } else {
        declare_always(s, node, where);
    }
}

static void declare_branches(splitter *s, TSNode node, place where) {
    for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
        TSNode child = ts_node_named_child(node, i);
        if (strncmp(ts_node_type(child), "preproc_el", 10) == 0) /* #else, #elif */
            declare_branches(s, child, where);
        else
            declare(s, child, where);
    }
}

/* Declares what is inside an #if ... #endif apart, and then the whole. */
static void declare_if(splitter *s, TSNode node, place where) {
    wb_split inner = {.items = NULL}, *outer = s->out;
    s->out = &inner;
    declare_branches(s, node, where);
    s->out = outer;
    declare_conditional(s, node, &inner, where);
}

bool declare(splitter *s, TSNode node, place where) {
    if (node_is(node, "function_definition")) {
        TSNode function = declare_find_function(node_field(node, "declarator"));
        if (!ts_node_is_null(function))
            declare_function(s, node, node, function, where);
    } else if (node_is(node, "declaration")) {
        declare_all(s, node, node, where);
    } else if (node_is(node, "template_declaration")) {
        declare_template(s, node, where);
    } else if (node_is_one(node, "struct_specifier class_specifier union_specifier "
                                 "enum_specifier")) {
        declare_type(s, node, node, ";", NULL, where);
    } else if (node_is(node, "alias_declaration") || node_is(node, "namespace_alias_definition")) {
        declare_type(s, node, node, "", NULL, where);
    } else if (node_is(node, "type_definition")) {
        declare_typedef(s, node, where);
    } else if (node_is(node, "namespace_definition")) {
        declare_namespace(s, node, where);
    } else if (node_is(node, "linkage_specification")) {
        declare_linkage(s, node, where);
    } else if (node_is(node, "using_declaration")) {
        declare_always(s, node, where);
    } else if (strncmp(ts_node_type(node), "preproc_if", 10) == 0) {
        declare_if(s, node, where);
    } else if (declare_directive(s, node, where)) {
        return true;
    } else {
        s->out->lost |= ts_node_is_error(node);
        return false;
    }
    return true;
}
