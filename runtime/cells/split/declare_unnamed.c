/* declare_unnamed.c: "struct { int a; } s;" gets a name for its type, __wb_of_s_0123abcd: by that
 * later cells have the variable. Another definition is another type, as in C++. */
#include <stdlib.h>
#include <string.h>

#include "runtime/cells/split/closure.h"
#include "runtime/cells/split/parts.h"

static bool is_unnamed(TSNode type) {
    TSNode name = node_field(type, "name");
    return !ts_node_is_null(node_field(type, "body")) &&
           (ts_node_is_null(name) || ts_node_is_missing(name));
}

size_t declare_type_head(TSNode type) {
    uint32_t n = ts_node_child_count(type);
    size_t end = ts_node_start_byte(type);
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_child(type, i);
        if (node_is(child, "base_class_clause") || node_is(child, ":") ||
            ts_node_eq(child, node_field(type, "body")))
            return end;
        end = ts_node_end_byte(child);
    }
    return end;
}

char *declare_unnamed(splitter *s, TSNode type, TSNode variable) {
    if (!is_unnamed(type) || ts_node_is_null(variable))
        return NULL;
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = ts_node_start_byte(type); i < ts_node_end_byte(type); i++)
        h = (h ^ (unsigned char)s->code[i]) * 16777619u;
    size_t n;
    const char *called = node_text(s, variable, &n);
    char *name = wb_format(WB_UNNAMED "%.*s_%08x", (int)n, called, h);
    char *edit = wb_format(" %s ", name ? name : "");
    split_edit(s, declare_type_head(type), 0, edit ? edit : "");
    free(edit);
    return name;
}
