/* nodes.c: the parser's nodes and their text, and the edits with which a cell is compiled. */
#include "runtime/cells/split/parts.h"

const TSLanguage *tree_sitter_cuda(void);

TSTree *node_parse(const char *code, size_t len) {
    TSParser *parser = ts_parser_new();
    TSTree *tree = parser && ts_parser_set_language(parser, tree_sitter_cuda())
                       ? ts_parser_parse_string(parser, NULL, code, (uint32_t)len)
                       : NULL;
    ts_parser_delete(parser);
    return tree;
}

bool node_is(TSNode node, const char *type) {
    return !ts_node_is_null(node) && strcmp(ts_node_type(node), type) == 0;
}

bool node_is_one(TSNode node, const char *types) {
    const char *type = ts_node_is_null(node) ? "" : ts_node_type(node);
    return wb_word_among(type, strlen(type), types);
}

wb_span node_text(const splitter *s, TSNode node) {
    if (ts_node_is_null(node))
        return (wb_span){"", 0};
    uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    return (wb_span){s->code + start, end > start ? end - start : 0};
}

char *node_copy(const splitter *s, TSNode node) {
    wb_span text = node_text(s, node);
    return wb_format("%.*s", (int)text.len, text.at);
}

uint32_t node_count(TSNode node) {
    return ts_node_is_null(node) ? 0 : ts_node_child_count(node);
}

TSNode node_field(TSNode node, const char *name) {
    if (ts_node_is_null(node))
        return node;
    return ts_node_child_by_field_name(node, name, (uint32_t)strlen(name));
}

static void add_edit(splitter *s, size_t at, size_t len, const char *with, bool first) {
    wb_split *o = s->out;
    char *copy = strdup(with);
    if (!copy || !WB_PUSH(o->edits, o->n_edits)) {
        free(copy);
        s->failed = true;
        return;
    }
    wb_edit *e = &o->edits[o->n_edits - 1];
    for (; e > o->edits && (e[-1].at > at || (first && e[-1].at == at)); e--) /* ascending */
        *e = e[-1];
    *e = (wb_edit){at, len, copy};
}

void split_edit(splitter *s, size_t at, size_t len, const char *with) {
    add_edit(s, at, len, with, false);
}

void split_edit_first(splitter *s, size_t at, const char *with) {
    add_edit(s, at, 0, with, true);
}

void split_edited(const splitter *s, wb_buf *out, size_t start, size_t end) {
    for (size_t i = 0; i < s->out->n_edits; i++) {
        const wb_edit *edit = &s->out->edits[i];
        if (edit->at < start || edit->at >= end)
            continue;
        wb_buf_append(out, s->code + start, edit->at - start);
        wb_buf_puts(out, edit->with);
        start = edit->at + edit->len;
    }
    if (start < end)
        wb_buf_append(out, s->code + start, end - start);
}

char *node_edited(const splitter *s, TSNode node) {
    wb_buf b = {0};
    split_edited(s, &b, ts_node_start_byte(node), ts_node_end_byte(node));
    return wb_buf_steal(&b);
}

bool split_is_statement(TSNode node) {
    return node_is_one(node,
                       "expression_statement for_statement for_range_loop while_statement "
                       "do_statement if_statement switch_statement compound_statement "
                       "try_statement return_statement throw_statement goto_statement "
                       "break_statement continue_statement labeled_statement co_return_statement");
}

/* ---- searching ---- */

bool node_any_below(const splitter *s, TSNode node, node_test *test) {
    for (uint32_t i = 0; i < node_count(node); i++)
        if (node_any(s, ts_node_child(node, i), test))
            return true;
    return false;
}

bool node_any(const splitter *s, TSNode node, node_test *test) {
    node_answer answer = ts_node_is_null(node) ? NODE_NO : test(s, node);
    return answer == NODE_INSIDE ? node_any_below(s, node, test) : answer == NODE_YES;
}

bool node_has(TSNode node, const char *type) {
    for (uint32_t i = 0; i < node_count(node); i++)
        if (node_is(ts_node_child(node, i), type))
            return true;
    return false;
}

static node_answer is_error(const splitter *s, TSNode node) {
    (void)s;
    if (!ts_node_has_error(node))
        return NODE_NO;
    bool missing = ts_node_is_missing(node) && !node_is(node, "...");
    return missing || ts_node_is_error(node) ? NODE_YES : NODE_INSIDE;
}

bool split_has_error(TSNode node) {
    return node_any(NULL, node, is_error);
}
