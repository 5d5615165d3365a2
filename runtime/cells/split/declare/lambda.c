/* lambda.c: what lambdas capture. A cell reads like a function body, whose variables a
 * lambda captures. But its variables are at file scope, where C++ has no captures. "[n]" becomes
 * "[n = ::n]", which keeps the present value, and "[&n]" becomes "[&n = ::n]". "[&]" is dropped.
 * "[=]" lists what the body uses, and keeps the "=" if it may mean locals, too. An array is copied
 * in a struct. Inside functions nothing changes. */
#include "runtime/cells/split/parts.h"

static bool is_name(const splitter *s, TSNode node, wb_span what) {
    wb_span text = node_text(s, node);
    return text.len == what.len && memcmp(text.at, what.at, text.len) == 0;
}

/* Returns true if the declarator declares `what`, or a structured binding of it. */
static bool declarator_of(const splitter *s, TSNode node, wb_span what) {
    while (!ts_node_is_null(node) && !node_is(node, "identifier")) {
        uint32_t n = ts_node_named_child_count(node);
        for (uint32_t i = 0; i < n && node_is(node, "structured_binding_declarator"); i++)
            if (is_name(s, ts_node_named_child(node, i), what))
                return true;
        node = declare_inner(node);
    }
    return is_name(s, node, what);
}

/* Returns true if a parameter, a loop or a block inside `node` declares that name. */
static bool declares(const splitter *s, TSNode node, wb_span what) {
    for (uint32_t i = 0; i < node_count(node); i++) {
        TSNode child = ts_node_child(node, i);
        bool declarator = declare_is_declarator(node, i) && !node_is(node, "init_declarator");
        if ((declarator && declarator_of(s, child, what)) || declares(s, child, what))
            return true;
    }
    return node_is(node, "lambda_capture_initializer") &&
           is_name(s, node_field(node, "left"), what);
}

/* Does the same for an item of the cell, whose own declarations are at file scope. */
static bool declares_inside(const splitter *s, TSNode item, wb_span what) {
    if (!node_is(item, "declaration"))
        return declares(s, item, what);
    uint32_t n = ts_node_named_child_count(item);
    for (uint32_t i = 0; i < n; i++)
        if (declares(s, node_field(ts_node_named_child(item, i), "value"), what))
            return true;
    return false;
}

/* Returns true if this cell's variable may still be an array: "using V = int[3]; V v;". */
static bool may_be_array(const splitter *s, const wb_entity *e) {
    size_t n = strcspn(e->signature ? e->signature : "", " *&<:");
    for (WB_ENTITIES(type, s->out))
        if (type->kind == WB_ENTITY_TYPE && wb_word_is(e->signature, n, type->name))
            return type->text && strchr(type->text, '[');
    return n > 0 && declare_ask(s, e->signature, n) == 't';
}

/* Returns the kind of a file-scope notebook variable (wb_split_ask), 'c' for a constant, or 0. */
static int variable_kind(const splitter *s, wb_span what) {
    const wb_entity *e = declare_known(s, what.at, what.len);
    if (!e) {
        int kind = declare_ask(s, what.at, what.len);
        return wb_split_is_variable(kind) || kind == 'd' ? kind : kind == 'k' ? 'c' : 0;
    }
    int aside = strcmp(e->scope, WB_ASIDE "::") == 0 ? WB_SPLIT_ASIDE : 0;
    if ((*e->scope && !aside) || (e->kind != WB_ENTITY_VARIABLE && e->kind != WB_ENTITY_CONSTANT))
        return 0;
    int shape = e->kind == WB_ENTITY_VARIABLE ? wb_entity_shape(e) : 'c';
    shape = shape == 'v' && may_be_array(s, e) ? 'a' : shape;
    return shape == 'c' ? shape : shape | aside;
}

/* A lambda whose captures are being rewritten, and those around it. */
typedef struct scope {
    TSNode item, lambda;
    bool global; /* outside functions, where "[=]" and "[&]" are not allowed */
    bool held;   /* a notebook variable holds it: see closure.c */
    const struct scope *outer;
    wb_buf list, start; /* the new captures, and the new start of its body */
} scope;

/* Returns true for a lambda for host and device. nvcc does not take "n = n" for an array or a
 * lambda there. */
static bool both_sides(const splitter *s, TSNode lambda) {
    bool held = !ts_node_is_null(s->closure.lambda) && ts_node_eq(s->closure.lambda, lambda);
    return !held && declare_lambda_is(s, lambda, "__device__") &&
           declare_lambda_is(s, lambda, "__host__");
}

/* Returns true if the capture list names the variable, as "n" or "&n". */
static bool lists(const splitter *s, TSNode lambda, wb_span what) {
    TSNode captures = node_field(lambda, "captures");
    for (uint32_t i = 0; i < node_count(captures); i++)
        if (node_is(ts_node_child(captures, i), "identifier") &&
            is_name(s, ts_node_child(captures, i), what))
            return true;
    return false;
}

static bool takes_all(const splitter *s, TSNode lambda) {
    TSNode first = ts_node_named_child(node_field(lambda, "captures"), 0);
    wb_span text = node_text(s, first);
    return node_is(first, "lambda_default_capture") && text.len == 1 && *text.at == '=' &&
           !both_sides(s, lambda);
}

/* Returns true if the name is at file scope for the lambda: no local, no outer lambda's copy. */
static bool is_free(const splitter *s, const scope *l, wb_span what) {
    for (const scope *o = l->outer; o; o = o->outer)
        if (takes_all(s, o->lambda) || lists(s, o->lambda, what))
            return false;
    return !declares_inside(s, l->item, what);
}

static void add_capture(splitter *s, scope *l, const char *text, size_t len) {
    wb_buf_puts(&l->list, l->list.len > 1 ? ", " : "");
    wb_buf_append(&l->list, text, len);
    if (l->held)
        declare_closure_capture(s, text, len);
}

static const char *scope_of(int kind) {
    return kind & WB_SPLIT_ASIDE ? "::" WB_ASIDE "::" : "::";
}

/* Adds a copy of the present value: "n = ::n". An array's copy is in a struct, and the body begins
 * with a reference to it. */
static void add_copy(splitter *s, scope *l, wb_span what, int kind) {
    int n = (int)what.len;
    bool array = (kind & ~WB_SPLIT_ASIDE) == 'a';
    const char *scope = scope_of(kind);
    WB_SCOPED char *capture =
        array ? wb_format("__wb_of_%.*s = ::__wb_copy(%s%.*s)", n, what.at, scope, n, what.at)
              : wb_format("%.*s = %s%.*s", n, what.at, scope, n, what.at);
    WB_SCOPED char *whole = wb_format(" auto &%.*s = __wb_of_%.*s.value;", n, what.at, n, what.at);
    if (capture && whole && !memmem(l->list.data, l->list.len, capture, strlen(capture))) {
        add_capture(s, l, capture, strlen(capture));
        wb_buf_puts(&l->start, array ? whole : "");
    }
    l->list.failed |= !capture || !whole;
}

/* Adds the variables that the body of "[=]" uses, each once. Static ones are never copied. */
static void add_used(splitter *s, scope *l, TSNode node) {
    if (node_is(node, "identifier")) {
        wb_span what = node_text(s, node);
        int kind = variable_kind(s, what);
        int shape = kind & ~WB_SPLIT_ASIDE;
        if ((shape == 'v' || shape == 'a') && !lists(s, l->lambda, what) && is_free(s, l, what))
            add_copy(s, l, what, kind);
    }
    for (uint32_t i = 0; i < node_count(node); i++)
        add_used(s, l, ts_node_child(node, i));
}

/* Adds a capture, code [start, end), which ends with the identifier `last` for "x" or "&x". */
static void add_one(splitter *s, scope *l, TSNode last, size_t start, size_t end) {
    const char *text = s->code + start;
    size_t len = end - start;
    if (node_is(last, "lambda_default_capture")) {
        if (!l->global)
            add_capture(s, l, text, len);
        if (*text == '=' && !both_sides(s, l->lambda))
            add_used(s, l, node_field(l->lambda, "body"));
        return;
    }
    wb_span what = node_text(s, last);
    bool plain = node_is(last, "identifier") && (what.at == text || *text == '&');
    int kind = plain && is_free(s, l, what) ? variable_kind(s, what) : 0;
    if (kind == 'c' || (kind == 'd' && l->held && s->closure.device))
        return;
    if (kind && *text != '&') {
        add_copy(s, l, what, kind);
        return;
    }
    WB_SCOPED char *reference =
        kind ? wb_format("%.*s = %s%.*s", (int)len, text, scope_of(kind), (int)what.len, what.at)
             : wb_format("%.*s", (int)len, text);
    s->failed |= !reference;
    if (reference)
        add_capture(s, l, reference, strlen(reference));
}

/* Puts a lambda inside another one's body. At file scope nvcc crashes on a captured copy of a class
 * with a destructor. */
static void give_scope(splitter *s, const scope *l) {
    if (!l->global || (l->held && s->closure.good) || l->list.len <= 2 ||
        declare_lambda_is(s, l->lambda, "__device__"))
        return;
    split_edit(s, ts_node_start_byte(l->lambda), 0, "([] { return ");
    split_edit(s, ts_node_end_byte(l->lambda), 0, "; }())");
}

static void edit_captures(splitter *s, scope *l) {
    TSNode list = node_field(l->lambda, "captures"), last = {0};
    size_t start = 0;
    uint32_t n = ts_node_child_count(list);
    wb_buf_putc(&l->list, '[');
    for (uint32_t i = 1; i < n && !ts_node_has_error(list); i++) {
        TSNode child = ts_node_child(list, i);
        bool ends = node_is(child, ",") || node_is(child, "]");
        if (ends && start)
            add_one(s, l, last, start, ts_node_end_byte(last));
        start = ends ? 0 : start ? start : ts_node_start_byte(child);
        last = child;
    }
    wb_buf_putc(&l->list, ']');
    wb_span old = node_text(s, list);
    bool good = !ts_node_has_error(list) && l->list.data;
    if (l->held)
        s->closure.good &= good;
    if (good)
        give_scope(s, l);
    if (good && (l->list.len != old.len || memcmp(l->list.data, old.at, old.len) != 0))
        split_edit(s, ts_node_start_byte(list), old.len, l->list.data);
    if (l->start.len)
        split_edit(s, ts_node_start_byte(node_field(l->lambda, "body")) + 1, 0, l->start.data);
    s->failed |= l->list.failed || l->start.failed;
    WB_BUF_FREE(&l->list, &l->start);
}

static void find_lambdas(splitter *s, TSNode item, TSNode node, bool global, const scope *outer) {
    if (node_is(node, "function_definition") || node_is(node, "template_declaration"))
        return;
    scope own = {.item = item, .lambda = node, .global = global, .outer = outer};
    bool lambda = node_is(node, "lambda_expression");
    own.held = lambda && !ts_node_is_null(s->closure.lambda) && ts_node_eq(node, s->closure.lambda);
    if (lambda)
        edit_captures(s, &own);
    for (uint32_t i = 0; i < node_count(node); i++)
        find_lambdas(s, item, ts_node_child(node, i), global && !lambda, lambda ? &own : outer);
}

void declare_lambdas(splitter *s, TSNode item) {
    declare_closure_begin(s, item);
    if (!node_is(item, "namespace_definition") && !node_is(item, "linkage_specification"))
        find_lambdas(s, item, item, node_is(item, "declaration"), NULL);
    if (node_is(item, "declaration"))
        declare_give_function(s, item);
}
