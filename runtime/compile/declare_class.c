/* declare_class.c: how later cells write a class. Its text is repeated, but what a class keeps must
 * be there once: "static inline int made = 0;" and the static variables of member functions. They
 * are made to stand in the library of their own cell, and later cells declare them only. */
#include <stdlib.h>
#include <string.h>

#include "runtime/compile/split_parts.h"

/* An edit of the text that later cells repeat, kept apart from those of the cell itself. */
static void edit_later(splitter *s, wb_split *later, size_t at, size_t len, const char *with) {
    wb_split *own = s->out;
    s->out = later;
    split_edit(s, at, len, with);
    s->out = own;
}

static bool has_static_variable(const splitter *s, TSNode node) {
    if (node_is(node, "lambda_expression") || node_is(node, "struct_specifier") ||
        node_is(node, "class_specifier"))
        return false;
    if (node_is(node, "declaration")) {
        words w = declare_words(s, node);
        return w.is_static && !w.is_const && !w.is_constexpr;
    }
    uint32_t n = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (has_static_variable(s, ts_node_named_child(node, i)))
            return true;
    return false;
}

/* Whether one of the node's own words is `what`. */
static bool has_word(const splitter *s, TSNode node, const char *what) {
    uint32_t n = ts_node_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (declare_word_is(s, ts_node_child(node, i), what))
            return true;
    return false;
}

/* A virtual function stays: where its table stands may hang on it. */
static void member_function(splitter *s, TSNode node, wb_split *later) {
    words w = declare_words(s, node);
    TSNode body = node_field(node, "body");
    if (w.device || w.is_constexpr || has_word(s, node, "virtual") ||
        has_word(s, node, "constexpr") ||
        node_is(node_field(node, "type"), "placeholder_type_specifier") ||
        !node_is(body, "compound_statement") || !has_static_variable(s, body))
        return;
    uint32_t start = ts_node_start_byte(body), n = ts_node_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (node_is(ts_node_child(node, i), "field_initializer_list"))
            start = ts_node_start_byte(ts_node_child(node, i));
    split_edit(s, ts_node_start_byte(node), 0, "__attribute__((__used__)) ");
    edit_later(s, later, start, ts_node_end_byte(body) - start, ";");
}

static void member_variable(splitter *s, TSNode node, wb_split *later) {
    words w = declare_words(s, node);
    if (!w.is_static || !w.is_inline || w.is_const || w.is_constexpr ||
        node_is(node_field(node, "type"), "placeholder_type_specifier"))
        return;
    uint32_t at = ts_node_start_byte(w.storage_inline), n = ts_node_child_count(node);
    size_t len;
    node_text(s, w.storage_inline, &len);
    split_edit(s, at, len, "inline __attribute__((__used__))");
    edit_later(s, later, at, len, "");
    for (uint32_t i = 1; i < n; i++) {
        const char *field = ts_node_field_name_for_child(node, i);
        if (!field || strcmp(field, "default_value") != 0)
            continue;
        bool sign = node_is(ts_node_child(node, i - 1), "=");
        uint32_t start = ts_node_start_byte(ts_node_child(node, sign ? i - 1 : i));
        edit_later(s, later, start, ts_node_end_byte(ts_node_child(node, i)) - start, "");
    }
}

static void members(splitter *s, TSNode class, wb_split *later) {
    TSNode body = node_field(class, "body");
    uint32_t n = node_is(body, "field_declaration_list") ? ts_node_named_child_count(body) : 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode member = ts_node_named_child(body, i);
        if (node_is(member, "function_definition"))
            member_function(s, member, later);
        else if (node_is(member, "field_declaration"))
            member_variable(s, member, later);
        if (!ts_node_is_null(node_field(member, "type")))
            members(s, node_field(member, "type"), later);
    }
}

char *declare_class_text(splitter *s, TSNode class, TSNode outer) {
    wb_split later = {.items = NULL}, *own = s->out;
    wb_buf b = {0};
    members(s, class, &later);
    s->out = &later;
    split_edited(s, &b, ts_node_start_byte(outer), ts_node_end_byte(outer));
    s->out = own;
    wb_split_free(&later);
    return wb_buf_steal(&b);
}
