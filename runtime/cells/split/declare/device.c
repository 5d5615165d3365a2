/* device.c: device code that later cells can't simply repeat.
 *
 * Later cells can't share static variables of __device__ functions and of variable templates,
 * because device code of different cells is not linked together. Nor can they share those of
 * functions inside #if. They get a refusal instead of a copy of their own.
 *
 * The grammar lacks "[=] __device__ (int i) { ... }", and nvcc accepts it only inside functions. */
#include "runtime/cells/split/parts.h"

/* Returns true for "static int n;", but not for "static __shared__ float tile[32];", which lives as
 * long as its block. */
static node_answer is_static_variable(const splitter *s, TSNode node) {
    if (!node_is(node, "declaration"))
        return NODE_INSIDE;
    words w = declare_words(s, node);
    return w.is_static && !w.shared && !w.is_const && !w.is_constexpr ? NODE_YES : NODE_NO;
}

static bool has_static_variable(const splitter *s, TSNode node) {
    return node_any(s, node, is_static_variable);
}

/* Finds a device function, perhaps in a class, with such a variable. */
static node_answer keeps(const splitter *s, TSNode node) {
    bool function = node_is(node, "function_definition"), keeps;
    if (!function && !node_is(node, "declaration"))
        return NODE_INSIDE;
    words w = declare_words(s, node);
    if (function)
        keeps = (w.device || w.global) && has_static_variable(s, node_field(node, "body"));
    else
        keeps = (w.device || w.constant || w.managed) && !w.is_const && !w.is_constexpr &&
                ts_node_is_null(declare_find_function(node_field(node, "declarator")));
    return keeps ? NODE_YES : NODE_NO;
}

static node_answer keeps_inside_if(const splitter *s, TSNode node) {
    if (node_is_one(node, "template_declaration struct_specifier class_specifier"))
        return NODE_NO;
    if (!node_is(node, "function_definition"))
        return NODE_INSIDE;
    bool keeps =
        !declare_words(s, node).is_inline && has_static_variable(s, node_field(node, "body"));
    return keeps ? NODE_YES : NODE_NO;
}

bool declare_keeps_inside_if(const splitter *s, TSNode node) {
    return node_any(s, node, keeps_inside_if);
}

static void hide(wb_entity *e) {
    wb_entity_hide(e, wb_format(_("it keeps a variable on the device, of which every cell would "
                                  "have its own; make that a __device__ variable at the top of a "
                                  "cell, or use it in its own cell alone")));
}

void declare_hide_device_state(const splitter *s, wb_entity *e, TSNode node) {
    if (node_any(s, node, keeps))
        hide(e);
}

void declare_hide_device_statics(const splitter *s, wb_entity *e, TSNode body) {
    if (has_static_variable(s, body))
        hide(e);
}

/* ---- lambdas for the device ---- */

/* Returns the length of a mark and the blanks after it, or 0. */
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
            declare_view_blank(code + start, code + end);
    }
}

bool declare_lambda_is(const splitter *s, TSNode lambda, const char *word) {
    TSNode captures = node_field(lambda, "captures"), body = node_field(lambda, "body");
    if (ts_node_is_null(captures) || ts_node_is_null(body))
        return false;
    size_t start = ts_node_end_byte(captures), end = ts_node_start_byte(body);
    return start < end && memmem(s->code + start, end - start, word, strlen(word));
}

node_answer declare_is_device_lambda(const splitter *s, TSNode node) {
    bool is = node_is(node, "lambda_expression") && declare_lambda_is(s, node, "__device__");
    return is ? NODE_YES : NODE_INSIDE;
}

static void refuse(splitter *s, size_t at, TSNode value) {
    bool lambda = node_is(value, "lambda_expression");
    bool device = declare_lambda_is(s, value, "__device__");
    const char *why =
        lambda && device && s->closure.by_reference
            ? "a __device__ lambda can't capture by reference, for the device does not see the "
              "host's variables: write [n] or [=], and hand arrays over as pointers"
        : lambda && !device
            ? "a lambda that holds a __device__ lambda has to say what it returns, as in "
              "[=](int n) -> float { ... }"
            : "a __device__ lambda at the top of a cell can start a variable only of the form "
              "'auto name = lambda;', or 'TYPE name = call(lambda);' with the type spelt out and "
              "one name; else put the statements that use it in { }";
    WB_SCOPED char *text = wb_format("static_assert(sizeof(int) == 0, \"%s\"); ", why);
    s->failed |= !text;
    if (text)
        split_edit(s, at, 0, text);
}

/* Rewrites "int n = f(lambda);" as "static int start() { return f(lambda); } int n = start();". */
void declare_give_function(splitter *s, TSNode item) {
    TSNode first = node_field(item, "declarator"), value = node_field(first, "value");
    TSNode declarator = node_field(first, "declarator"), type = node_field(item, "type");
    bool held = !ts_node_is_null(value) && !ts_node_is_null(s->closure.lambda) &&
                ts_node_eq(value, s->closure.lambda);
    /* an unsupported capture, which nvcc reports */
    bool unknown = held && !s->closure.good && !s->closure.by_reference;
    if ((held && s->closure.good) || unknown || !node_any(s, value, declare_is_device_lambda))
        return;
    size_t start = ts_node_start_byte(item), name = ts_node_start_byte(declarator);
    size_t end = ts_node_end_byte(item);
    bool plain = ts_node_start_byte(type) == start &&
                 !node_is(type, "placeholder_type_specifier") &&
                 node_is(declarator, "identifier") && ts_node_named_child_count(item) == 2 &&
                 ts_node_start_byte(first) == name && s->code[end - 1] == ';';
    WB_SCOPED char *head = wb_format("__wb_start_%zu() { return ", start);
    WB_SCOPED char *tail =
        wb_format("; } %.*s = __wb_start_%zu();", (int)(ts_node_end_byte(declarator) - start),
                  s->code + start, start);
    if (!plain) {
        refuse(s, start, value);
    } else if (head && tail) {
        split_edit(s, start, 0, "static ");
        split_edit(s, name, ts_node_start_byte(value) - name, head);
        split_edit(s, end - 1, 1, tail);
    } else {
        s->failed = true;
    }
}
