/* declare_device.c: what can't be one over cells, and so is refused in later ones, which would have
 * their own: the static variables of __device__ functions and variable templates, since device code
 * of different cells is not linked together, and those of functions inside #if. */
#include <stdlib.h>
#include <string.h>

#include "runtime/cells/split/parts.h"

/* "static int n;", not "static __shared__ float tile[32];", which lives as long as its block. */
static bool has_static_variable(const splitter *s, TSNode node) {
    if (node_is(node, "declaration")) {
        words w = declare_words(s, node);
        return w.is_static && !w.shared && !w.is_const && !w.is_constexpr;
    }
    uint32_t n = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (has_static_variable(s, ts_node_named_child(node, i)))
            return true;
    return false;
}

/* Whether a function for the device in `node`, perhaps a class, has such a variable. */
static bool keeps(const splitter *s, TSNode node) {
    if (node_is(node, "function_definition")) {
        words w = declare_words(s, node);
        return (w.device || w.global) && has_static_variable(s, node_field(node, "body"));
    }
    if (node_is(node, "declaration")) {
        words w = declare_words(s, node);
        return (w.device || w.constant || w.managed) && !w.is_const && !w.is_constexpr &&
               ts_node_is_null(declare_find_function(node_field(node, "declarator")));
    }
    uint32_t n = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (keeps(s, ts_node_named_child(node, i)))
            return true;
    return false;
}

bool declare_keeps_inside_if(const splitter *s, TSNode node) {
    if (node_is(node, "template_declaration") || node_is(node, "struct_specifier") ||
        node_is(node, "class_specifier"))
        return false;
    if (node_is(node, "function_definition")) {
        words w = declare_words(s, node);
        return !w.is_inline && has_static_variable(s, node_field(node, "body"));
    }
    uint32_t n = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (declare_keeps_inside_if(s, ts_node_named_child(node, i)))
            return true;
    return false;
}

static void hide(wb_entity *e) {
    free(e->text);
    e->kind = WB_ENTITY_HIDDEN;
    e->text = wb_format("it keeps a variable on the device, of which every cell would have its "
                        "own; make that a __device__ variable at the top of a cell, or use it in "
                        "its own cell alone");
}

void declare_hide_device_state(const splitter *s, wb_entity *e, TSNode node) {
    if (keeps(s, node))
        hide(e);
}

void declare_hide_device_statics(const splitter *s, wb_entity *e, TSNode body) {
    if (has_static_variable(s, body))
        hide(e);
}
