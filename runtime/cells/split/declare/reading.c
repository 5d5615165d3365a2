/* reading.c: decides if a piece of a cell is a statement or a declaration when that depends
 * on a name. An unknown name gets the reading that the compiler would refuse if it were wrong,
 * because a wrong other reading would compile silently. It is recorded as a guess. */
#include "runtime/cells/split/parts.h"

static bool is_name(TSNode node) {
    return node_is_one(node, "identifier type_identifier primitive_type template_type "
                             "template_function qualified_identifier");
}

/* Returns the name that decides if the grammar's declaration is one: n in "n * d;", "n(d), e;", "n
 * & d = 3;". Returns a null node if it can only be a declaration. */
static TSNode leading_name(TSNode node) {
    TSNode type = node_field(node, "type"), d = node_field(node, "declarator");
    d = node_is(d, "init_declarator") ? node_field(d, "declarator") : d;
    bool operand = node_is(d, "pointer_declarator") || node_is(d, "reference_declarator") ||
                   node_is(d, "parenthesized_declarator");
    bool first = node_is(node, "declaration") && is_name(type) &&
                 ts_node_start_byte(type) == ts_node_start_byte(node);
    return operand && first ? type : (TSNode){.id = NULL};
}

bool declare_is_statement(const splitter *s, TSNode node) {
    TSNode name = leading_name(node), type = node_field(node, "type");
    if (node_is(node, "declaration") && is_name(type)) {
        TSNode behind = ts_node_next_sibling(type);
        wb_span text = node_text(s, behind);
        if (ts_node_is_error(behind) && text.len && *text.at == ',') /* "a, b = 3;" */
            return true;
    }
    return !ts_node_is_null(name) && declare_means(s, name) == VALUE;
}

bool declare_is_expression(const splitter *s, TSNode node) {
    TSNode name = leading_name(node);
    return declare_is_statement(s, node) ||
           (!ts_node_is_null(name) && declare_means(s, name) == UNKNOWN);
}

/* Returns the call in "T(x);", "T(*x) = 3;", "T(x)[2];" that would declare x if T were a type. */
static TSNode declaring_call(const splitter *s, TSNode node, bool *given) {
    const TSNode none = {.id = NULL};
    wb_span text = node_text(s, node);
    if (!node_is(node, "expression_statement") || text.len == 0 || text.at[text.len - 1] != ';')
        return none;
    TSNode at = ts_node_named_child(node, 0), callee = none;
    *given = node_is(at, "assignment_expression") && node_is(node_field(at, "operator"), "=");
    at = *given ? node_field(at, "left") : at;
    for (;;) {
        bool subscript = node_is(at, "subscript_expression");
        callee = node_field(at, subscript ? "argument" : "function");
        if (!subscript && !node_is(at, "call_expression"))
            return none;
        if (!subscript && is_name(callee))
            break;
        at = callee;
    }
    TSNode list = node_field(at, "arguments"), argument = ts_node_named_child(list, 0);
    while (node_is(argument, "pointer_expression"))
        argument = node_field(argument, "argument");
    text = node_text(s, callee);
    bool one = ts_node_named_child_count(list) == 1 && node_is(argument, "identifier");
    return one && !memmem(text.at, text.len, "_cast<", 6) ? at : none;
}

static void note(splitter *s, TSNode name, TSNode node, bool type, bool plain) {
    s->failed |= !WB_ADD(s->out->guesses, s->out->n_guesses,
                         (wb_guess){declare_plain_name(s, name), type, plain,
                                    ts_node_start_byte(node), ts_node_end_byte(node)});
}

bool declare_as_variable(splitter *s, TSNode node) {
    bool given = false;
    TSNode call = declaring_call(s, node, &given), list = node_field(call, "arguments");
    if (ts_node_is_null(call))
        return false;
    TSNode name = node_field(call, "function"), argument = ts_node_named_child(list, 0);
    name_kind means = declare_means(s, name);
    while (node_is(argument, "pointer_expression"))
        argument = node_field(argument, "argument");
    bool fresh = declare_means(s, argument) == UNKNOWN;
    if (means == UNKNOWN && (given || fresh))
        note(s, name, node, given, !given);
    if (s->view[ts_node_end_byte(list) - 1] != ')')
        return false;
    if (means == TYPE || (means == UNKNOWN && given)) {
        s->view[ts_node_start_byte(list)] = s->view[ts_node_end_byte(list) - 1] = ' ';
        return true;
    }
    if (means == UNKNOWN && fresh) { /* parentheses exclude a declaration */
        split_edit_first(s, ts_node_start_byte(node), "(");
        split_edit(s, ts_node_end_byte(node) - 1, 0, ")");
    }
    return false;
}

void declare_note_guess(splitter *s, TSNode node) {
    TSNode name = leading_name(node);
    if (!ts_node_is_null(name) && declare_means(s, name) == UNKNOWN)
        note(s, name, node, true, true);
}
