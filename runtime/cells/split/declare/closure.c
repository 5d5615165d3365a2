/* closure.c: lambdas held by a top-level variable, "auto add = [k](int x) { return x + k;
 * };", so that later cells have their type. A host lambda stays a lambda, inside a function that
 * later cells repeat:
 *
 *   inline auto __wb_lambda_add_0123abcd() { return [k = ::k](int x) { return x + k; }; }
 *   auto add = __wb_lambda_add_0123abcd();
 *
 * By the rules of C++ that is one type in all cells, with one set of static variables. The
 * compiler's types of the captures at run time ("k = __wb_held<int>()") fix what it captures. nvcc
 * does not support this for a device lambda, which is written as the class that it stands for. */
#include "runtime/cells/split/closure.h"
#include "runtime/cells/split/parts.h"

/* ---- which -------------------------------------------------------------------------------- */

static bool plain_word(const splitter *s, TSNode node) {
    wb_span text = node_text(s, node);
    return node_is(node, "comment") ||
           wb_word_among(text.at, text.len, "auto const static inline thread_local");
}

/* Returns true if a lambda's head has something that a class can't have, or that needs C++20. */
static bool odd_head(TSNode lambda) {
    return !ts_node_is_null(node_field(lambda, "template_parameters")) ||
           !ts_node_is_null(node_field(lambda, "constraint"));
}

static node_answer is_lambda(const splitter *s, TSNode node) {
    (void)s;
    return node_is(node, "lambda_expression") ? NODE_YES : NODE_INSIDE;
}

static node_answer returns_value(const splitter *s, TSNode node) {
    (void)s;
    return node_is(node, "lambda_expression")                                         ? NODE_NO
           : node_is(node, "return_statement") && ts_node_named_child_count(node) > 0 ? NODE_YES
                                                                                      : NODE_INSIDE;
}

static bool has_trailing_type(TSNode lambda) {
    return node_has(node_field(lambda, "declarator"), "trailing_return_type");
}

/* Returns true if the lambda states its result type, or returns nothing. */
static bool returns_plainly(TSNode lambda) {
    return has_trailing_type(lambda) || !node_any(NULL, node_field(lambda, "body"), returns_value);
}

void declare_closure_begin(splitter *s, TSNode item) {
    TSNode declarator = node_field(item, "declarator"), value = node_field(declarator, "value");
    split_closure *c = &s->closure;
    for (size_t i = 0; i < c->n; i++)
        free(c->captures[i]);
    c->n = 0;
    c->lambda = (TSNode){.id = NULL};
    if (!node_is(item, "declaration") || !node_is(declarator, "init_declarator") ||
        !node_is(node_field(declarator, "declarator"), "identifier") ||
        !node_is(value, "lambda_expression") || split_has_error(item) ||
        s->code[ts_node_end_byte(item) - 1] != ';' || odd_head(value))
        return;
    bool is_auto = false;
    for (uint32_t i = 0; i < node_count(item); i++) {
        TSNode child = ts_node_child(item, i);
        if (!ts_node_eq(child, declarator) && !node_is(child, ";") && !plain_word(s, child))
            return; /* ", g = f" */
        is_auto |= declare_word_is(s, child, "auto");
    }
    c->device = declare_lambda_is(s, value, "__device__");
    /* nvcc refuses it in a function with a deduced type, but not in a class's function with a
     * stated type */
    bool inside = node_any_below(s, value, declare_is_device_lambda);
    c->as_class = c->device || inside;
    if (!is_auto || (inside && !c->device && !returns_plainly(value)) ||
        node_any(s, node_field(value, "captures"), is_lambda))
        return;
    c->lambda = value;
    c->good = true;
    c->by_reference = false;
}

/* Returns true if the capture reads "name = value" or "&name = value". */
static bool is_plain_capture(const char *text) {
    const char *name = text + strspn(text, " \t\n&"), *p = name;
    p += wb_word_length(p);
    bool named = p > name;
    p += strspn(p, " \t\n");
    return named && p[0] == '=' && p[1] != '=';
}

/* Adds a capture as compiled, "k = ::k" or "&n = ::n". Other cells can't repeat any other form. */
void declare_closure_capture(splitter *s, const char *text, size_t len) {
    split_closure *c = &s->closure;
    char *copy = wb_format("%.*s", (int)len, text);
    if (!copy || !WB_ADD(c->captures, c->n, copy)) {
        free(copy);
        s->failed = true;
        return;
    }
    c->by_reference |= *copy == '&';
    c->good &=
        is_plain_capture(copy) && !(c->device && c->by_reference) && c->n < WB_CLOSURE_CAPTURES;
}

/* ---- the text ----------------------------------------------------------------------------- */

typedef struct capture {
    const char *name, *value;
    int name_len;
    bool is_reference;
} capture;

static capture capture_at(const splitter *s, size_t k) {
    const char *text = s->closure.captures[k], *sign = strchr(text, '=');
    capture c = {.name = text + strspn(text, " \t\n&"), .value = sign + 1};
    c.is_reference = text[strspn(text, " \t\n")] == '&';
    c.name_len = (int)strcspn(c.name, " \t\n=");
    return c;
}

/* Writes "\1ab", the placeholder for the capture's type until it is known. */
static void put_hole(wb_buf *b, size_t k) {
    wb_buf_printf(b, "%c%c%c", WB_CLOSURE_HOLE, (char)('0' + k / 16), (char)('0' + k % 16));
}

/* Writes the type of a capture; for the `own` cell by its initialiser. */
static void put_type(const splitter *s, wb_buf *b, size_t k, bool own) {
    capture c = capture_at(s, k);
    if (!own)
        put_hole(b, k);
    else
        wb_buf_printf(b, c.is_reference ? "decltype((%s))" : "decltype(__wb_kept(%s))", c.value);
}

/* Writes as many newlines as [start, end) of the cell has, to keep later line numbers. */
static void put_lines(const splitter *s, wb_buf *b, size_t start, size_t end) {
    for (size_t i = start; i < end; i++)
        if (s->code[i] == '\n')
            wb_buf_putc(b, '\n');
}

/* Writes the captures for later cells. */
static void put_held(const splitter *s, wb_buf *b) {
    wb_buf_putc(b, '[');
    for (size_t k = 0; k < s->closure.n; k++) {
        capture c = capture_at(s, k);
        wb_buf_printf(b, "%s%s%.*s = __wb_held<", k ? ", " : "", c.is_reference ? "&" : "",
                      c.name_len, c.name);
        put_hole(b, k);
        wb_buf_puts(b, ">()");
    }
    wb_buf_putc(b, ']');
}

/* Writes "template <class WbA0, class... WbA1> " for auto parameters and renames their types. */
static void put_parameters(splitter *s, wb_buf *b, TSNode list, bool edit) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    int count = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i), type = node_field(p, "type");
        if (!declare_word_is(s, type, "auto"))
            continue;
        bool pack = node_is(p, "variadic_parameter_declaration");
        wb_buf_printf(b, "%sclass%s WbA%d", count ? ", " : "template <", pack ? "..." : "", count);
        WB_SCOPED char *name = wb_format("WbA%d", count++);
        if (edit && name)
            split_edit(s, ts_node_start_byte(type), 4, name);
        s->failed |= !name;
    }
    wb_buf_puts(b, count ? "> " : "");
}

/* Returns where the lambda's parameters begin, or its body if it has none. */
static size_t rest_of(TSNode lambda) {
    TSNode list = node_field(node_field(lambda, "declarator"), "parameters");
    return ts_node_start_byte(ts_node_is_null(list) ? node_field(lambda, "body") : list);
}

/* Writes "struct NAME { int k; __device__ auto operator()": the class for a device lambda, up to
 * its parameters. */
static void put_class(splitter *s, wb_buf *b, const char *name, bool own) {
    TSNode lambda = s->closure.lambda;
    TSNode list = node_field(node_field(lambda, "declarator"), "parameters");
    for (size_t k = 0; own && k < s->closure.n; k++) {
        wb_buf_printf(b, "using %s_%zu = ", name, k);
        put_type(s, b, k, true);
        wb_buf_puts(b, "; ");
    }
    wb_buf_printf(b, "struct %s { ", name);
    for (size_t k = 0; k < s->closure.n; k++) {
        capture c = capture_at(s, k);
        if (own) {
            wb_buf_printf(b, "%s_%zu %.*s; ", name, k, c.name_len, c.name);
            continue;
        }
        wb_buf_puts(b, "__wb_id<");
        put_hole(b, k);
        wb_buf_printf(b, ">::type %.*s; ", c.name_len, c.name);
    }
    put_parameters(s, b, list, own);
    if (declare_lambda_is(s, lambda, "__host__"))
        wb_buf_puts(b, "__host__ ");
    wb_buf_puts(b, s->closure.device ? "__device__ " : "");
    wb_buf_printf(b, "%s operator()%s",
                  s->closure.device || has_trailing_type(lambda) ? "auto" : "void",
                  ts_node_is_null(list) ? "() const " : "");
}

/* Makes a device lambda inside copy the captured values, not the object that holds them. */
static void name_captures(splitter *s) {
    WB_SCOPED_BUF wb_buf b = {0};
    for (size_t k = 0; k < s->closure.n && !s->closure.device; k++) {
        capture c = capture_at(s, k);
        wb_buf_printf(&b, " auto &%.*s = this->%.*s;", c.name_len, c.name, c.name_len, c.name);
    }
    if (b.len) /* before the edits of lambda.c */
        split_edit_first(s, ts_node_start_byte(node_field(s->closure.lambda, "body")) + 1, b.data);
    s->failed |= b.failed;
}

/* Makes the call operator const, unless the lambda is mutable. */
static void edit_specifiers(splitter *s) {
    TSNode declarator = node_field(s->closure.lambda, "declarator"), changes = {0};
    TSNode list = node_field(declarator, "parameters");
    for (uint32_t i = 0; i < node_count(declarator); i++)
        if (declare_word_is(s, ts_node_child(declarator, i), "mutable"))
            changes = ts_node_child(declarator, i);
    if (!ts_node_is_null(changes))
        declare_blank(s, changes);
    else if (!ts_node_is_null(list))
        split_edit(s, ts_node_end_byte(list), 0, " const");
}

/* Writes the markers for the captures' types (types.c). */
static void put_markers(const splitter *s, wb_buf *b, const char *name) {
    for (size_t k = 0; k < s->closure.n; k++) {
        size_t number = WB_CLOSURE_MARKER(s->out->n_entities, k);
        wb_buf_printf(b,
                      " __attribute__((__used__)) static const char *const %s_type_%zu = "
                      "__wb_type<%zu, ",
                      name, k, number);
        put_type(s, b, k, true);
        wb_buf_puts(b, ">();");
    }
}

/* Replaces everything before the lambda (for a device lambda, before its parameters) and the final
 * semicolon. */
static void edit_item(splitter *s, TSNode item, const char *name, const char *variable,
                      const words *w) {
    const split_closure *c = &s->closure;
    size_t start = ts_node_start_byte(item), end = ts_node_end_byte(item);
    size_t from = c->as_class ? rest_of(c->lambda) : ts_node_start_byte(c->lambda);
    WB_SCOPED_BUF wb_buf head = {0}, tail = {0};
    const char *before = w->is_const ? "extern const " : w->is_thread ? "thread_local " : "";
    put_lines(s, &head, start, from);
    wb_buf_puts(&tail, ";\n"); /* keeps the line unchanged, for carets */
    if (c->as_class) {
        name_captures(s);
        put_class(s, &head, name, true);
        edit_specifiers(s);
        wb_buf_printf(&tail, "}; %s%s %s{", before, name, variable);
        for (size_t k = 0; k < c->n; k++)
            wb_buf_printf(&tail, "%s%s", k ? ", " : "", capture_at(s, k).value);
        wb_buf_puts(&tail, "};");
    } else {
        wb_buf_printf(&head, "inline auto %s() { return ", name);
        wb_buf_printf(&tail, "} %sauto %s = %s();", before, variable, name);
    }
    put_markers(s, &tail, name);
    if (head.data && tail.data) {
        split_edit(s, start, from - start, head.data);
        split_edit(s, end - 1, 1, tail.data);
    }
    s->failed |= head.failed || tail.failed;
}

/* Returns the text from which later cells have the type. */
static char *repeated(splitter *s, TSNode item, const char *name) {
    TSNode lambda = s->closure.lambda, list = node_field(lambda, "captures");
    wb_buf b = {0};
    put_lines(s, &b, ts_node_start_byte(item),
              s->closure.as_class ? rest_of(lambda) : ts_node_end_byte(list));
    if (s->closure.as_class) {
        put_class(s, &b, name, false);
        split_edited(s, &b, rest_of(lambda), ts_node_end_byte(lambda));
        wb_buf_puts(&b, " };");
    } else {
        wb_buf_printf(&b, "inline auto %s() { return ", name);
        put_held(s, &b);
        split_edited(s, &b, ts_node_end_byte(list), ts_node_end_byte(lambda));
        wb_buf_puts(&b, "; }");
    }
    return wb_buf_steal(&b);
}

bool declare_closure(splitter *s, TSNode item, TSNode declarator, const words *w, place where) {
    split_closure *c = &s->closure;
    TSNode value = node_field(declarator, "value");
    if (!c->good || ts_node_is_null(c->lambda) || !ts_node_eq(value, c->lambda))
        return false;
    WB_SCOPED char *variable = node_copy(s, node_field(declarator, "declarator"));
    char *name = variable ? declare_hashed(s, WB_CLOSURE, variable, item) : NULL;
    if (name) {
        edit_item(s, item, name, variable, w);
        wb_entity e = {.kind = WB_ENTITY_TYPE, .name = name, .key = wb_format("t:%s", name)};
        e.text = repeated(s, item, name);
        e.device = c->device;
        wb_entity *made = declare_entity(s, e, item, where);
        if (made && c->device)
            declare_hide_device_statics(s, made, node_field(c->lambda, "body"));
    }
    s->failed |= !name;
    return true;
}
