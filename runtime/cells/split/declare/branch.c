/* branch.c: declarations inside #if ... #endif. Only the compiler knows which branch
 * counts. So later cells repeat the whole, with the directives but without the variables. The
 * variables of all branches are declared, and those without a type from the compiler are dropped
 * (live/types.c). */
#include "runtime/cells/split/closure.h"
#include "runtime/cells/split/parts.h"

static bool is_variable(const wb_entity *e) {
    return e->kind == WB_ENTITY_VARIABLE || e->kind == WB_ENTITY_DEVICE_VARIABLE;
}

/* Returns true if the declaration declares nothing else, such as a type. */
static bool is_alone(const wb_split *inner, const wb_entity *e) {
    bool alone = e->kind == WB_ENTITY_VARIABLE;
    for (WB_ENTITIES(other, inner)) {
        bool around = other->start < e->start || other->end > e->end; /* another #if */
        alone &= around || other->kind == WB_ENTITY_VARIABLE || other->end <= e->start ||
                 other->start >= e->end;
    }
    return alone;
}

/* Moves a variable from `inner` with its declaration's edits. A marker follows the declaration. */
static void take_variable(splitter *s, const wb_split *inner, wb_entity *e) {
    size_t n = 0; /* number of moved variables of the same declaration */
    for (WB_ENTITIES(other, s->out))
        n += other->branch && other->start == e->start;
    for (size_t i = 0; i < inner->n_edits && n == 0; i++)
        if (inner->edits[i].at >= e->start && inner->edits[i].at <= e->end)
            split_edit(s, inner->edits[i].at, inner->edits[i].len, inner->edits[i].with);
    if (!e->branch) {
        e->branch = e->start + n + 1;
        WB_SCOPED char *marker = wb_closure_marker(e, WB_BRANCH_MARKER(e));
        split_edit(s, e->end, 0, marker ? marker : "");
    }
    declare_add(s, *e);
    *e = (wb_entity){.name = NULL};
}

void declare_conditional(splitter *s, TSNode node, wb_split *inner, place where) {
    char *text = node_copy(s, node);
    wb_entity e = {.kind = WB_ENTITY_TEMPLATE, .name = wb_format("(conditional)")};
    e.key = wb_format("a:%s", text ? text : "");
    bool variables = !text, keeps = !variables && declare_keeps_inside_if(s, node);
    for (WB_ENTITIES(other, inner))
        variables |=
            other->kind == WB_ENTITY_HIDDEN || (is_variable(other) && !is_alone(inner, other));
    wb_buf names = {0};
    for (WB_ENTITIES(part, inner)) {
        if (is_variable(part) && !variables) {
            char *start = text + (part->start - ts_node_start_byte(node));
            declare_view_blank(start, start + (part->end - part->start));
            take_variable(s, inner, part);
            continue;
        }
        wb_buf_printf(&names, " %s %s", *part->name == '(' ? "" : part->name,
                      part->also ? part->also : "");
        e.required |= part->required;
    }
    wb_split_free(inner);
    e.text = text;
    e.also = wb_buf_steal(&names);
    if (variables || keeps)
        wb_entity_hide(&e, wb_format(_("it stands in an #if that holds a %s, so only its own cell "
                                       "can use it; define that outside the #if"),
                                     keeps ? "function with a static variable" : "variable"));
    declare_entity(s, e, node, where);
}
