/* split.c: see split.h. Walks the top level of the parser's tree; declare.c reads declarations. */
#include "runtime/cells/split/parts.h"
#include "runtime/base/words.h"

const TSLanguage *tree_sitter_cuda(void);

static node_answer holds_statement(const splitter *s, TSNode node) {
    (void)s;
    return split_is_statement(node)                          ? NODE_YES
           : strncmp(ts_node_type(node), "preproc_", 8) == 0 ? NODE_INSIDE
                                                             : NODE_NO;
}

static bool add_item(splitter *s, wb_item_kind kind, size_t start, size_t end, TSPoint at) {
    wb_split *o = s->out;
    wb_item *last = o->n_items ? &o->items[o->n_items - 1] : NULL;
    if (last && kind == WB_ITEM_STATEMENT && last->kind == WB_ITEM_STATEMENT) {
        last->end = end; /* consecutive statements run as one piece */
        return true;
    }
    return WB_ADD(o->items, o->n_items,
                  (wb_item){kind, start, end, (int)at.row + 1, (int)at.column, NULL});
}

bool wb_split_macro_is_statement(const char *define) {
    const char *body = strchr(define, ')');
    body = body ? body + 1 : "";
    body += strspn(body, " \t\\\r\n");
    return *body == '{' || strncmp(body, "do", 2) == 0 || strncmp(body, "if", 2) == 0 ||
           strncmp(body, "for", 3) == 0 || strncmp(body, "while", 5) == 0;
}

/* Returns true for a call of a macro that is a statement, so that it can't be shown. */
static bool statement_macro(const splitter *s, TSNode statement) {
    TSNode call = ts_node_named_child(statement, 0);
    if (!node_is(call, "call_expression"))
        return false;
    wb_span name = node_text(s, node_field(call, "function"));
    for (WB_ENTITIES(e, s->out)) /* no earlier cell knows those of this cell */
        if (e->kind == WB_ENTITY_MACRO && wb_word_is(name.at, name.len, e->name) &&
            wb_split_macro_is_statement(e->text))
            return true;
    return declare_ask(s, name.at, name.len) == 'm';
}

/* The kind of code if parsed as a function body. There the grammar knows every expression. At file
 * scope it lacks those that begin like declarations. */
typedef enum body_kind { BODY_BROKEN, BODY_STATEMENTS, BODY_EXPRESSION } body_kind;

/* The bytes of the cell of each statement in a body. */
typedef struct part {
    size_t start, end;
} part;

typedef struct parts {
    part *v;
    size_t n;
} parts;

/* Parses code as a function body. Unless `into` is NULL, also records its parts. */
static body_kind parse_parts(splitter *s, size_t start, size_t end, parts *into) {
    static const char head[] = "void f() {\n";
    WB_SCOPED_BUF wb_buf b = {0};
    wb_buf_puts(&b, head);
    wb_buf_append(&b, s->view + start, end - start);
    wb_buf_puts(&b, "\n;\n}\n"); /* the piece may end with a comment */
    TSTree *tree =
        b.failed ? NULL : ts_parser_parse_string(s->parser, NULL, b.data, (uint32_t)b.len);
    body_kind kind = BODY_BROKEN;
    if (tree) {
        TSNode function = ts_node_child(ts_tree_root_node(tree), 0), only = {0};
        TSNode body = node_field(function, "body");
        uint32_t n = ts_node_is_null(body) ? 0 : ts_node_named_child_count(body), k = 0;
        for (uint32_t i = 0; i < n; i++) {
            TSNode child = ts_node_named_child(body, i);
            bool empty = node_is(child, "expression_statement") &&
                         node_text(&(splitter){.code = b.data}, child).len <= 1;
            if (!node_is(child, "comment") && !empty) {
                only = child;
                k++;
                size_t from = start + ts_node_start_byte(child) - strlen(head);
                size_t to = start + ts_node_end_byte(child) - strlen(head);
                if (into)
                    s->failed |= !WB_ADD(into->v, into->n, (part){from, to < end ? to : end});
            }
        }
        bool whole = ts_node_child_count(ts_tree_root_node(tree)) == 1 &&
                     !split_has_error(ts_tree_root_node(tree)) &&
                     node_is(body, "compound_statement");
        splitter inner = *s;
        inner.code = b.data;
        if (whole && k == 1 &&
            (node_is(only, "expression_statement") || declare_is_expression(&inner, only)) &&
            !statement_macro(&inner, only))
            kind = BODY_EXPRESSION;
        else if (whole)
            kind = BODY_STATEMENTS;
        ts_tree_delete(tree);
    }
    s->failed |= b.failed;
    return kind;
}

/* Returns true if a #pragma precedes a statement: "#pragma unroll" and its loop. */
static bool leads_statement(TSNode node) {
    while (node_is(node, "preproc_call") || node_is(node, "comment"))
        node = ts_node_next_sibling(node);
    return !ts_node_is_null(node) && split_is_statement(node);
}

static bool is_pragma(const splitter *s, TSNode node) {
    wb_span text = node_text(s, node_field(node, "directive"));
    return node_is(node, "preproc_call") && text.len > 6 &&
           memcmp(text.at + text.len - 6, "pragma", 6) == 0;
}

/* Rewrites "return;" as "return 0;", so that the statements' function says if it returned early
 * (warpbook_cell.h). */
static void find_returns(splitter *s, TSNode node) {
    if (node_is(node, "lambda_expression") || node_is(node, "function_definition") ||
        node_is(node, "class_specifier") || node_is(node, "struct_specifier"))
        return;
    if (node_is(node, "return_statement")) {
        if (ts_node_named_child_count(node) == 0)
            split_edit(s, ts_node_start_byte(node), strlen("return"), "return 0");
        return;
    }
    for (uint32_t i = 0; i < node_count(node); i++)
        find_returns(s, ts_node_child(node, i));
}

static void walk_part(splitter *s, size_t start, size_t end);

static void take(splitter *s, TSNode node) {
    size_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    TSPoint at = ts_node_start_point(node);
    if (declare_as_variable(s, node)) {
        walk_part(s, start, end);
        return;
    }
    bool statement = split_is_statement(node) || declare_is_statement(s, node) ||
                     (is_pragma(s, node) && leads_statement(node)) ||
                     node_any(s, node, holds_statement);
    s->failed |= !add_item(s, statement ? WB_ITEM_STATEMENT : WB_ITEM_DECLARATION, start, end, at);
    if (statement)
        find_returns(s, node);
    declare_lambdas(s, node);
    if (!statement) {
        declare_note_guess(s, node);
        declare(s, node, (place){"", "", ""});
    }
}

/* `limit` is the end of the code: an error node may include comments after it. */
static bool ends_before(const splitter *s, TSNode node, size_t limit) {
    size_t end = ts_node_end_byte(node) < limit ? ts_node_end_byte(node) : limit;
    return node_is(node, ";") || strncmp(ts_node_type(node), "preproc_", 8) == 0 ||
           (end > 0 && (s->code[end - 1] == ';' || s->code[end - 1] == '}'));
}

/* Returns the index of the root's child where the expression at the cell's end begins, or n. The
 * parser may have split it. */
static uint32_t find_expression(splitter *s, TSNode root, uint32_t n, size_t end) {
    uint32_t found = n, i = n;
    if (end == 0 || s->code[end - 1] == ';')
        return n;
    for (int tries = 0; i > 0 && tries < 16; tries++) {
        TSNode child = ts_node_child(root, --i);
        if (node_is(child, "comment") || ts_node_start_byte(child) >= end)
            continue;
        if (declare_macro_at(s, ts_node_start_byte(child)))
            break;
        if (found < n && ends_before(s, child, end))
            break;
        if (parse_parts(s, ts_node_start_byte(child), end, NULL) == BODY_EXPRESSION)
            found = i;
    }
    return found;
}

/* Takes code that the grammar refuses at file scope as a statement up to its semicolon. Returns the
 * index of the last child taken, or `i` if it is none. */
static uint32_t take_error(splitter *s, TSNode root, uint32_t i, uint32_t n, size_t limit) {
    size_t start = ts_node_start_byte(ts_node_child(root, i));
    for (uint32_t k = i; k < n && k < i + 16; k++) {
        TSNode child = ts_node_child(root, k);
        if (!node_is(child, ";") && !ends_before(s, child, limit))
            continue;
        size_t end = ts_node_end_byte(child);
        if (parse_parts(s, start, end, NULL) == BODY_BROKEN)
            return i;
        s->failed |= !add_item(s, WB_ITEM_STATEMENT, start, end,
                               ts_node_start_point(ts_node_child(root, i)));
        for (uint32_t part = i; part <= k; part++) {
            find_returns(s, ts_node_child(root, part));
            declare_lambdas(s, ts_node_child(root, part));
        }
        return k;
    }
    return i;
}

/* Returns true if the code begins with a word that only begins statements. */
static bool begins_statement(const char *code, size_t len) {
    size_t n = wb_word_within(code, len);
    return n < len && strchr(" \t\n({", code[n]) &&
           wb_word_among(code, n, "for while if do switch try");
}

static void walk(splitter *s, TSNode root, const char *code);

/* Parses [start, end) of the cell with the rest blanked, so that places stay the cell's. */
static void walk_part(splitter *s, size_t start, size_t end) {
    WB_SCOPED char *part = malloc(s->len + 1);
    for (size_t i = 0; part && i < s->len; i++)
        part[i] = (i >= start && i < end) || s->code[i] == '\n' ? s->view[i] : ' ';
    TSTree *tree = part ? ts_parser_parse_string(s->parser, NULL, part, (uint32_t)s->len) : NULL;
    s->failed |= !tree;
    if (tree)
        walk(s, ts_tree_root_node(tree), part);
    ts_tree_delete(tree);
}

/* Takes apart the rest of a cell that the grammar can't parse at file scope, as the statements and
 * declarations of a function body. Returns false if it is none. */
static bool take_apart(splitter *s, size_t start, size_t end) {
    parts p = {.n = 0};
    bool apart = parse_parts(s, start, end, &p) != BODY_BROKEN && p.n >= 2;
    for (size_t i = 0; apart && i < p.n && !s->failed; i++)
        walk_part(s, p.v[i].start, p.v[i].end);
    free(p.v);
    return apart;
}

/* Returns the end of the code, without final comments and blanks. */
static size_t code_end(TSNode root, const char *code, size_t len) {
    for (;;) {
        len = wb_trimmed(code, len, " \t\r\n");
        uint32_t last = len ? (uint32_t)len - 1 : 0;
        TSNode node = ts_node_descendant_for_byte_range(root, last, last);
        if (len == 0 || !node_is(node, "comment"))
            return len;
        len = ts_node_start_byte(node); /* it may be inside the last expression's node */
    }
}

/* Takes as a statement what the parser can't parse at the end of a cell: "CHECK(cudaFree(p))",
 * which needs no semicolon, or a wrong statement, for which the compiler's error is best. */
static bool take_as_statement(splitter *s, TSNode node, size_t end) {
    size_t start = ts_node_start_byte(node), node_end = ts_node_end_byte(node);
    bool error = ts_node_is_error(node);
    if (error && node_end >= end && statement_macro(s, node))
        end = node_end;
    else if ((!error && ts_node_is_named(node)) || start >= end ||
             !begins_statement(s->code + start, end - start))
        return false;
    s->failed |= !add_item(s, WB_ITEM_STATEMENT, start, end, ts_node_start_point(node));
    declare_lambdas(s, node);
    return true;
}

/* `code` is the parsed text: the cell or a part of it. */
static void walk(splitter *s, TSNode root, const char *code) {
    uint32_t n = ts_node_child_count(root);
    size_t end = code_end(root, code, s->len);
    uint32_t expression = find_expression(s, root, n, end);
    for (uint32_t i = 0; i < n && !s->failed; i++) {
        TSNode child = ts_node_child(root, i);
        /* Tested again with the cell's own declarations: "a * b" may declare b, and a macro may be
         * a statement. */
        if (i >= expression &&
            parse_parts(s, ts_node_start_byte(child), end, NULL) == BODY_EXPRESSION) {
            s->failed |= !add_item(s, WB_ITEM_EXPRESSION, ts_node_start_byte(child), end,
                                   ts_node_start_point(child));
            for (; i < n; i++)
                declare_lambdas(s, ts_node_child(root, i));
            return;
        }
        if (node_is(child, "comment") || ts_node_end_byte(child) <= ts_node_start_byte(child))
            continue;
        const split_macro *m = declare_macro_at(s, ts_node_start_byte(child));
        if (m) {
            TSPoint at = ts_node_start_point(child);
            s->failed |= !add_item(s, WB_ITEM_DECLARATION, m->start, m->start + m->len, at);
            declare_macro(s, m, (int)at.row + 1);
            continue;
        }
        if (node_is(child, ";")) {
            wb_item *before = s->out->n_items ? &s->out->items[s->out->n_items - 1] : NULL;
            if (before)
                before->end = ts_node_end_byte(child);
            continue;
        }
        uint32_t last = ts_node_is_error(child) ? take_error(s, root, i, n, end) : i;
        if (ts_node_is_error(child) && last == i && take_apart(s, ts_node_start_byte(child), end))
            return;
        if (last == i && take_as_statement(s, child, end))
            return;
        if (last == i && !(ts_node_is_error(child) && s->out->n_items &&
                           s->out->items[s->out->n_items - 1].end == ts_node_end_byte(child)))
            take(s, child);
        else
            i = last;
    }
}

bool wb_split_cell(const char *code, size_t len, const wb_splitting *how, wb_split *split) {
    *split = (wb_split){.items = NULL};
    TSParser *parser = ts_parser_new();
    splitter s = {.code = code, .len = len, .parser = parser, .out = split};
    s.how = how ? *how : s.how;
    if (parser && ts_parser_set_language(parser, tree_sitter_cuda()))
        s.view = declare_view(&s);
    TSTree *tree = s.view ? ts_parser_parse_string(parser, NULL, s.view, (uint32_t)len) : NULL;
    s.failed |= !tree;
    if (tree)
        walk(&s, ts_tree_root_node(tree), code);
    for (size_t i = 0; i < s.n_macros; i++)
        free(s.macros[i].text);
    for (size_t i = 0; i < s.closure.n; i++)
        free(s.closure.captures[i]);
    WB_FREE(s.macros, s.closure.captures, s.view);
    ts_tree_delete(tree);
    ts_parser_delete(parser);
    return !s.failed;
}

/* Returns the class that misses its ';' at the end, or a null node. */
static TSNode unclosed_class(TSNode node) {
    uint32_t n = ts_node_child_count(node);
    TSNode last = n ? ts_node_child(node, n - 1) : (TSNode){.id = NULL};
    if (n && (node_is(last, "template_declaration") || ts_node_is_error(last)))
        return unclosed_class(last);
    if (n < 2 || !ts_node_is_missing(last) || !node_is(last, ";"))
        return (TSNode){.id = NULL};
    uint32_t i = n - 2;
    while (i > 0 && node_is(ts_node_child(node, i), "comment"))
        i--;
    TSNode before = ts_node_child(node, i);
    bool class = node_is_one(before, "class_specifier struct_specifier union_specifier "
                                     "enum_specifier") &&
                 !ts_node_is_null(node_field(before, "body"));
    return class ? before : (TSNode){.id = NULL};
}

size_t wb_split_unclosed(const char *code, size_t len) {
    TSTree *tree = node_parse(code, len);
    TSNode node = tree ? unclosed_class(ts_tree_root_node(tree)) : (TSNode){.id = NULL};
    size_t end = ts_node_is_null(node) ? 0 : ts_node_end_byte(node);
    ts_tree_delete(tree);
    return end;
}

bool wb_split_is_variable(int kind) {
    kind &= ~WB_SPLIT_ASIDE;
    return kind == 'v' || kind == 'a' || kind == 's';
}

/* Returns the shape of "static int n;", of a type "int [3]", or of "int n[3] = {1};" before the
 * type is known. */
int wb_entity_shape(const wb_entity *e) {
    const char *signature = e->signature ? e->signature : "";
    if (strncmp(signature, "static ", 7) == 0 || strstr(signature, " static "))
        return 's';
    if (e->type)
        return *e->type && e->type[strlen(e->type) - 1] == ']' && !strstr(e->type, "(*") ? 'a'
                                                                                         : 'v';
    const char *declarator = signature, *end = signature + strcspn(signature, "={;");
    for (const char *p; (p = strstr(declarator, e->name)) && p < end; declarator = p + 1) {
        const char *after = p + strlen(e->name) + strspn(p + strlen(e->name), " ");
        if (*after == '[')
            return 'a';
    }
    return 'v';
}

void wb_entity_free(wb_entity *e) {
    WB_FREE(e->name, e->key, e->open, e->close, e->scope, e->text, e->definition, e->attach,
            e->also, e->signature, e->type, e->symbol, e->file, e->remark);
    *e = (wb_entity){.name = NULL};
}

void wb_entity_hide(wb_entity *e, char *why) {
    free(e->text);
    e->kind = WB_ENTITY_HIDDEN;
    e->text = why;
}

void wb_split_free(wb_split *split) {
    for (WB_ENTITIES(e, split))
        wb_entity_free(e);
    for (size_t i = 0; i < split->n_edits; i++)
        free(split->edits[i].with);
    for (size_t i = 0; i < split->n_guesses; i++)
        free(split->guesses[i].name);
    WB_FREE(split->guesses, split->items, split->entities, split->edits);
    *split = (wb_split){.items = NULL};
}
