/* declare_lambda.c: what lambdas capture. A cell reads like the body of a function, whose variables
 * a lambda captures; here they stand at file scope, where C++ knows no captures. "[n]" becomes
 * "[n = ::n]", which keeps the value of now, "[&n]" becomes "[&n = ::n]", "[&]" is not needed, and
 * "[=]" is what the body uses. Inside functions all is as the user wrote it. Lambdas for the device
 * see nothing of the host's file scope: "[=]" in a statement becomes "[=, n = ::n]" for them, and
 * since nvcc wants them inside a function, "int n = f(lambda);" becomes a call of one. */
#include <stdlib.h>
#include <string.h>

#include "runtime/compile/split_parts.h"

/* How far a mark and the blanks behind it reach; 0: there is none. */
static size_t mark_length(const char *code, size_t len) {
    static const char *const marks[] = {"__device__", "__host__"};
    for (size_t i = 0; i < WB_COUNT(marks); i++) {
        size_t n = strlen(marks[i]);
        if (len > n && memcmp(code, marks[i], n) == 0) {
            while (n < len && strchr(" \t\n", code[n]))
                n++;
            return n;
        }
    }
    return 0;
}

void declare_blank_marks(char *code, size_t len) {
    for (size_t i = 0; i < len; i++) {
        size_t start = i + 1, end, n;
        if (code[i] != ']')
            continue;
        while (start < len && strchr(" \t\n", code[start]))
            start++;
        for (end = start; (n = mark_length(code + end, len - end)) > 0;)
            end += n;
        if (end < len && strchr("({", code[end])) /* not [[nodiscard]] __device__ int f() */
            for (size_t k = start; k < end; k++)
                if (code[k] != '\n')
                    code[k] = ' ';
    }
}

typedef struct name {
    const char *text;
    size_t len;
} name;

static bool is_name(const splitter *s, TSNode node, name what) {
    size_t n;
    const char *text = node_text(s, node, &n);
    return n == what.len && memcmp(text, what.text, n) == 0;
}

/* Whether the declarator declares `what`, or a structured binding of it. */
static bool declarator_of(const splitter *s, TSNode node, name what) {
    while (!ts_node_is_null(node) && !node_is(node, "identifier")) {
        uint32_t n = ts_node_named_child_count(node);
        for (uint32_t i = 0; i < n && node_is(node, "structured_binding_declarator"); i++)
            if (is_name(s, ts_node_named_child(node, i), what))
                return true;
        TSNode inner = node_field(node, "declarator");
        node = ts_node_is_null(inner) ? ts_node_named_child(node, 0) : inner;
    }
    return is_name(s, node, what);
}

/* Whether something inside `node` declares a variable of that name: a parameter, a loop, a block.
 */
static bool declares(const splitter *s, TSNode node, name what) {
    uint32_t n = ts_node_is_null(node) ? 0 : ts_node_child_count(node);
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_child(node, i);
        const char *field = ts_node_field_name_for_child(node, i);
        bool declarator =
            field && strcmp(field, "declarator") == 0 && !node_is(node, "init_declarator");
        if ((declarator && declarator_of(s, child, what)) || declares(s, child, what))
            return true;
    }
    return node_is(node, "lambda_capture_initializer") &&
           is_name(s, node_field(node, "left"), what);
}

/* The same, of an item of the cell: what it declares itself is at file scope. */
static bool declares_inside(const splitter *s, TSNode item, name what) {
    if (!node_is(item, "declaration"))
        return declares(s, item, what);
    uint32_t n = ts_node_named_child_count(item);
    for (uint32_t i = 0; i < n; i++)
        if (declares(s, node_field(ts_node_named_child(item, i), "value"), what))
            return true;
    return false;
}

/* The compiler's words between captures and parameters: __device__, __host__. */
static bool lambda_is(const splitter *s, TSNode lambda, const char *word) {
    TSNode captures = node_field(lambda, "captures"), body = node_field(lambda, "body");
    if (ts_node_is_null(captures) || ts_node_is_null(body))
        return false;
    size_t start = ts_node_end_byte(captures), end = ts_node_start_byte(body);
    return start < end && memmem(s->code + start, end - start, word, strlen(word));
}

/* 'v' for a variable of the notebook at file scope, 'd' for one of the device, 'c' for a constant,
 * 0 for anything else. */
static int variable_kind(const splitter *s, name what) {
    for (size_t i = s->out->n_entities; i-- > 0;) {
        const wb_entity *e = &s->out->entities[i];
        if (strlen(e->name) == what.len && memcmp(e->name, what.text, what.len) == 0)
            return e->kind == WB_ENTITY_VARIABLE && !*e->scope   ? 'v'
                   : e->kind == WB_ENTITY_CONSTANT && !*e->scope ? 'c'
                                                                 : 0;
    }
    int kind = s->ask ? s->ask(s->ctx, what.text, what.len) : 0;
    return kind == 'v' || kind == 'd' ? kind : kind == 'k' ? 'c' : 0;
}

static void add_capture(wb_buf *b, const char *text, size_t len) {
    wb_buf_puts(b, b->len > 1 ? ", " : "");
    wb_buf_append(b, text, len);
}

/* The variables that the body of "[=]" uses, each once. */
static void add_used(const splitter *s, TSNode item, TSNode lambda, TSNode node, wb_buf *b) {
    uint32_t n = ts_node_child_count(node);
    if (node_is(node, "identifier")) {
        name what;
        what.text = node_text(s, node, &what.len);
        char *capture =
            wb_format("%.*s = ::%.*s", (int)what.len, what.text, (int)what.len, what.text);
        int kind = variable_kind(s, what);
        bool taken = kind == 'v' || (kind == 'd' && !lambda_is(s, lambda, "__device__"));
        if (capture && taken && !declares_inside(s, item, what) &&
            !memmem(b->data, b->len, capture, strlen(capture)))
            add_capture(b, capture, strlen(capture));
        free(capture);
    }
    for (uint32_t i = 0; i < n; i++)
        add_used(s, item, lambda, ts_node_child(node, i), b);
}

/* One capture, code [start, end), which ends with the identifier `last` if it is "x" or "&x". */
static void add_one(const splitter *s, TSNode item, TSNode lambda, TSNode last, size_t start,
                    size_t end, bool global, wb_buf *b) {
    const char *text = s->code + start;
    size_t len = end - start;
    /* nvcc knows no "n = n" in a lambda for both sides. */
    bool device = lambda_is(s, lambda, "__device__") && !lambda_is(s, lambda, "__host__");
    if (node_is(last, "lambda_default_capture") && (global || (device && *text == '='))) {
        if (!global)
            add_capture(b, text, len);
        if (*text == '=')
            add_used(s, item, lambda, node_field(lambda, "body"), b);
        return;
    }
    name what;
    what.text = node_text(s, last, &what.len);
    bool plain = node_is(last, "identifier") && (what.text == text || *text == '&');
    int kind = plain && !declares_inside(s, item, what) ? variable_kind(s, what) : 0;
    if (kind == 'c')
        return;
    add_capture(b, text, len);
    if (kind == 'v' || kind == 'd')
        wb_buf_printf(b, " = ::%.*s", (int)what.len, what.text);
}

static void edit_captures(splitter *s, TSNode item, TSNode lambda, bool global) {
    TSNode list = node_field(lambda, "captures"), last = {0};
    wb_buf b = {0};
    size_t start = 0;
    uint32_t n = ts_node_child_count(list);
    wb_buf_putc(&b, '[');
    for (uint32_t i = 1; i < n && !ts_node_has_error(list); i++) {
        TSNode child = ts_node_child(list, i);
        bool ends = node_is(child, ",") || node_is(child, "]");
        if (ends && start)
            add_one(s, item, lambda, last, start, ts_node_end_byte(last), global, &b);
        start = ends ? 0 : start ? start : ts_node_start_byte(child);
        last = child;
    }
    wb_buf_putc(&b, ']');
    size_t len;
    const char *old = node_text(s, list, &len);
    if (!ts_node_has_error(list) && b.data && (b.len != len || memcmp(b.data, old, len) != 0))
        split_edit(s, ts_node_start_byte(list), len, b.data);
    s->failed |= b.failed;
    wb_buf_free(&b);
}

static void find_lambdas(splitter *s, TSNode item, TSNode node, bool global) {
    if (node_is(node, "function_definition") || node_is(node, "template_declaration"))
        return;
    bool lambda = node_is(node, "lambda_expression");
    if (lambda)
        edit_captures(s, item, node, global);
    uint32_t n = ts_node_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        find_lambdas(s, item, ts_node_child(node, i), global && !lambda);
}

static bool holds_device_lambda(const splitter *s, TSNode node) {
    if (node_is(node, "lambda_expression") && lambda_is(s, node, "__device__"))
        return true;
    uint32_t n = ts_node_is_null(node) ? 0 : ts_node_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (holds_device_lambda(s, ts_node_child(node, i)))
            return true;
    return false;
}

/* "int n = f(lambda);" as "static int start() { return f(lambda); } int n = start();". */
static void give_function(splitter *s, TSNode item) {
    TSNode first = node_field(item, "declarator"), value = node_field(first, "value");
    TSNode declarator = node_field(first, "declarator"), type = node_field(item, "type");
    if (!holds_device_lambda(s, value))
        return;
    size_t start = ts_node_start_byte(item), name = ts_node_start_byte(declarator);
    size_t end = ts_node_end_byte(item);
    bool plain = ts_node_start_byte(type) == start &&
                 !node_is(type, "placeholder_type_specifier") &&
                 node_is(declarator, "identifier") && ts_node_named_child_count(item) == 2 &&
                 ts_node_start_byte(first) == name && s->code[end - 1] == ';';
    char *head = wb_format("__wb_start_%zu() { return ", start);
    char *tail = wb_format("; } %.*s = __wb_start_%zu();",
                           (int)(ts_node_end_byte(declarator) - start), s->code + start, start);
    if (!plain) {
        split_edit(s, start, 0,
                   "static_assert(sizeof(int) == 0, \"a __device__ lambda at the top of a cell can "
                   "start a variable only of the form 'TYPE name = call(lambda);', with the type "
                   "spelt out and one name; else put the statements that use it in { }\"); ");
    } else if (head && tail) {
        split_edit(s, start, 0, "static ");
        split_edit(s, name, ts_node_start_byte(value) - name, head);
        split_edit(s, end - 1, 1, tail);
    } else {
        s->failed = true;
    }
    free(head);
    free(tail);
}

void declare_lambdas(splitter *s, TSNode item) {
    if (node_is(item, "declaration"))
        give_function(s, item);
    if (!node_is(item, "namespace_definition") && !node_is(item, "linkage_specification"))
        find_lambdas(s, item, item, node_is(item, "declaration"));
}
