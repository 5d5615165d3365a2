/* use.c: see use.h. */
#include "runtime/cells/split/use.h"
#include "runtime/cells/split/parts.h"

typedef struct finder {
    const char *code, *callee;
    uint32_t row;
    bool anywhere; /* the text is a macro's expansion, so all its rows count */
    bool loose;    /* all rows of the statement count, not only the call's */
    wb_macro_find find;
    void *ctx;
    bool whole; /* the macro expands to nothing but the call */
    wb_use use;
    char *function; /* the one that returns the value, or NULL */
} finder;

static wb_span text_of(const finder *f, TSNode node) {
    return node_text(&(splitter){.code = f->code}, node);
}

static bool text_is(const finder *f, TSNode node, const char *wanted) {
    return declare_word_is(&(splitter){.code = f->code}, node, wanted);
}

/* Returns the name at the end of "a::b::f<int>" or "o.f". */
static TSNode leaf(TSNode function) {
    static const char *const fields[] = {"name", "field"};
    for (size_t i = 0; i < WB_COUNT(fields);) {
        TSNode inner = node_field(function, fields[i]);
        i = ts_node_is_null(inner) ? i + 1 : 0;
        function = ts_node_is_null(inner) ? function : inner;
    }
    return function;
}

static void visit(finder *f, TSNode node);

static void parse(finder *f, const char *code, size_t len) {
    TSTree *tree = node_parse(code, len);
    f->code = code;
    if (tree)
        visit(f, ts_tree_root_node(tree));
    ts_tree_delete(tree);
}

/* Parses the text as the body of a function. */
static void parse_body(finder *f, const char *text, size_t len, const char *end) {
    WB_SCOPED_BUF wb_buf body = {0};
    wb_buf_puts(&body, "void f() {");
    wb_buf_append(&body, text, len);
    wb_buf_puts(&body, "\n");
    wb_buf_puts(&body, end);
    if (wb_buf_puts(&body, "}"))
        parse(f, body.data, body.len);
}

/* Searches the expansion of the macro call `node`. */
static finder in_macro(const finder *f, TSNode node) {
    wb_span text = text_of(f, node);
    finder inner = {.callee = f->callee, .anywhere = true};
    WB_SCOPED char *expansion = wb_macro_expand(text.at, text.len, f->find, f->ctx);
    size_t n = expansion ? wb_trimmed(expansion, strlen(expansion), " \t\n") : 0;
    if (n > 0)
        parse_body(&inner, expansion, n, ";");
    inner.whole =
        inner.use >= WB_USE_VOID && n > 0 && !memchr(expansion, ';', n) && expansion[n - 1] != '}';
    free(inner.function);
    return inner;
}

static bool is_macro(const finder *f, TSNode function) {
    wb_span name = text_of(f, function);
    return f->find && node_is(function, "identifier") && f->find(f->ctx, name.at, name.len);
}

/* Returns what the program does with the value of the expression `node`. */
static wb_use climb(const finder *f, TSNode node) {
    for (TSNode up = ts_node_parent(node); !ts_node_is_null(up);
         node = up, up = ts_node_parent(up)) {
        if (node_is(up, "parenthesized_expression"))
            continue;
        if (ts_node_is_error(up))
            return WB_USE_UNKNOWN;
        if (node_is(up, "cast_expression")) {
            if (text_is(f, node_field(up, "type"), "void"))
                return WB_USE_VOID;
        } else if (node_is(up, "comma_expression")) {
            if (ts_node_eq(node_field(up, "left"), node))
                return WB_USE_DROPPED;
        } else if (node_is(up, "conditional_expression")) {
            if (ts_node_eq(node_field(up, "condition"), node))
                return WB_USE_TAKEN;
        } else if (node_is(up, "expression_statement")) {
            TSNode last = ts_node_child(up, ts_node_child_count(up) - 1);
            bool shown = !node_is(last, ";") || ts_node_is_missing(last);
            return shown ? WB_USE_TAKEN : WB_USE_DROPPED;
        } else if (node_is(up, "for_statement")) {
            return ts_node_eq(node_field(up, "condition"), node) ? WB_USE_TAKEN : WB_USE_DROPPED;
        } else if (node_is(up, "argument_list") &&
                   is_macro(f, node_field(ts_node_parent(up), "function"))) {
            up = ts_node_parent(up);
            finder inner = in_macro(f, up);
            if (!inner.whole)
                return inner.use ? inner.use : WB_USE_TAKEN;
        } else {
            return node_is(up, "return_statement") ? WB_USE_RETURNED : WB_USE_TAKEN;
        }
    }
    return WB_USE_TAKEN;
}

/* Returns true if the node has the row, or with `loose` the statement around it. */
static bool covers(const finder *f, TSNode node) {
    while (f->loose && !ts_node_is_null(ts_node_parent(node)) &&
           !strstr(ts_node_type(node), "statement") && !node_is(node, "declaration") &&
           !node_is(node, "function_definition"))
        node = ts_node_parent(node);
    return f->anywhere ||
           (ts_node_start_point(node).row <= f->row && ts_node_end_point(node).row >= f->row);
}

/* Returns the name of the function around the node. The caller frees it. */
static char *function_around(const finder *f, TSNode node) {
    while (!ts_node_is_null(node) && !node_is(node, "function_definition"))
        node = node_is(node, "lambda_expression") ? (TSNode){0} : ts_node_parent(node);
    if (ts_node_is_null(node))
        return strdup("");
    for (TSNode in = node; !ts_node_is_null(in); in = node_field(in, "declarator"))
        node = in;
    wb_span name = text_of(f, leaf(node));
    return strndup(name.at, name.len);
}

static void visit(finder *f, TSNode node) {
    bool call = node_is(node, "call_expression");
    if ((call || node_is(node, "identifier")) && covers(f, node)) {
        TSNode function = call ? node_field(node, "function") : node;
        wb_use use = WB_USE_UNKNOWN;
        if (call && (!*f->callee || text_is(f, leaf(function), f->callee))) {
            use = climb(f, node);
        } else if (is_macro(f, function)) {
            finder inner = in_macro(f, node);
            use = inner.whole ? climb(f, node) : inner.use;
        }
        if (use == WB_USE_RETURNED && !f->function)
            f->function = function_around(f, node);
        f->use = use > f->use ? use : f->use;
    }
    for (uint32_t i = 0; i < node_count(node); i++)
        visit(f, ts_node_child(node, i));
}

/* Blanks the notebook's commands (%time, !ls), which the parser does not know. */
static char *without_commands(const char *code) {
    char *copy = strdup(code);
    for (char *line = copy; line && *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n");
        if (*line == '%' || *line == '!')
            memset(line, ' ', n);
        line += n;
    }
    return copy;
}

wb_use wb_use_of_call(const char *code, int line, const char *callee, wb_macro_find find, void *ctx,
                      char **function) {
    finder f = {.callee = callee, .row = (uint32_t)(line - 1), .find = find, .ctx = ctx};
    WB_SCOPED char *text = without_commands(code);
    for (int tries = 0; text && tries < 4 && f.use == WB_USE_UNKNOWN; tries++) {
        f.loose = tries >= 2;
        if (tries % 2 == 0)
            parse(&f, text, strlen(text));
        else
            parse_body(&f, text, strlen(text),
                       ""); /* the grammar can't parse statements at file scope */
    }
    if (f.use == WB_USE_RETURNED)
        *function = f.function;
    else
        free(f.function);
    return f.use;
}
