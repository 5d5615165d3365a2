/* directive.c: #include, #define, #undef and #pragma pack of a cell. */
#include "runtime/cells/split/parts.h"

void declare_always(splitter *s, TSNode node, place where) {
    WB_SCOPED char *words = declare_squeeze(node_copy(s, node));
    wb_entity e = {.kind = WB_ENTITY_INCLUDE, .required = true, .name = wb_format("(always)")};
    e.key = words ? wb_format("a:%s%s", where.scope, words) : NULL;
    e.text = node_copy(s, node);
    declare_entity(s, e, node, where);
}

/* Macros before an #include may configure the header. */
static void include(splitter *s, TSNode node, place where) {
    for (WB_ENTITIES(e, s->out))
        if (e->kind == WB_ENTITY_MACRO)
            e->required = true;
    declare_always(s, node, where);
}

static void macro(splitter *s, TSNode node, place where) {
    char *called = node_copy(s, node_field(node, "name"));
    wb_entity e = {.kind = WB_ENTITY_MACRO, .name = called, .text = node_copy(s, node)};
    e.key = wb_format("m:%s", called);
    e.signature = declare_squeeze(node_copy(s, node));
    declare_entity(s, e, node, where);
}

/* Handles "pack(push, 1)", "pack(1)", "pack(pop)", "pack()". */
static void pack(splitter *s, const char *argument) {
    int *now = &s->pack[s->n_pack], number = 0;
    const char *digits = argument + strcspn(argument, "0123456789");
    bool given = sscanf(digits, "%d", &number) == 1;
    if (strstr(argument, "pop")) {
        s->n_pack -= s->n_pack > 0;
        now = &s->pack[s->n_pack];
    } else if (strstr(argument, "push") && s->n_pack + 1 < WB_COUNT(s->pack)) {
        s->n_pack++;
        now[1] = now[0];
        now++;
    } else if (!given) {
        *now = 0;
    }
    if (given)
        *now = number;
}

static void pragma(splitter *s, TSNode node) {
    WB_SCOPED char *argument = node_copy(s, node_field(node, "argument"));
    const char *text = argument ? argument + strspn(argument, " \t") : "";
    if (strncmp(text, "pack", 4) == 0)
        pack(s, text + 4);
}

static void undefine(splitter *s, TSNode node, place where) {
    WB_SCOPED char *directive = node_copy(s, node_field(node, "directive"));
    size_t len = directive ? strlen(directive) : 0;
    if (len > 6 && strcmp(directive + len - 6, "pragma") == 0)
        pragma(s, node);
    if (directive && strcmp(directive, "#undef") == 0) {
        char *called = declare_squeeze(node_copy(s, node_field(node, "argument")));
        wb_entity e = {.kind = WB_ENTITY_UNDEF, .name = called};
        e.key = wb_format("m:%s", called);
        for (WB_ENTITIES(other, s->out)) /* of this cell */
            if (other->kind == WB_ENTITY_MACRO && called && strcmp(other->name, called) == 0)
                other->kind = WB_ENTITY_UNDEF;
        declare_entity(s, e, node, where);
    }
}

bool declare_directive(splitter *s, TSNode node, place where) {
    if (node_is(node, "preproc_include"))
        include(s, node, where);
    else if (node_is(node, "preproc_def") || node_is(node, "preproc_function_def"))
        macro(s, node, where);
    else if (node_is(node, "preproc_call"))
        undefine(s, node, where);
    else
        return false;
    return true;
}
