/* live_names.c: see live_names.h. */
#include "runtime/compile/live_names.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/compile/closure.h"

static const char *kind_name(wb_entity_kind kind) {
    switch (kind) {
    case WB_ENTITY_VARIABLE:
    case WB_ENTITY_DEVICE_VARIABLE:
    case WB_ENTITY_CONSTANT:
        return "variable";
    case WB_ENTITY_FUNCTION:
    case WB_ENTITY_SOURCE_FUNCTION:
        return "function";
    case WB_ENTITY_KERNEL:
        return "kernel";
    case WB_ENTITY_TYPE:
        return "type";
    case WB_ENTITY_TEMPLATE:
        return "template";
    case WB_ENTITY_MACRO:
        return "macro";
    default:
        return NULL;
    }
}

static int by_name(const void *a, const void *b) {
    const wb_live_entity *x = *(const wb_live_entity *const *)a;
    const wb_live_entity *y = *(const wb_live_entity *const *)b;
    int order = strcmp(x->e.name, y->e.name);
    return order ? order : (x > y) - (x < y);
}

json_t *wb_live_names(const wb_live *live) {
    json_t *list = json_array();
    const wb_live_entity **sorted = calloc(live->n + 1, sizeof *sorted);
    size_t n = 0;
    for (size_t i = 0; sorted && i < live->n; i++)
        if (kind_name(live->v[i].e.kind) && live->v[i].e.name[0] != '(' &&
            !wb_closure_is(&live->v[i].e))
            sorted[n++] = &live->v[i];
    if (n)
        qsort(sorted, n, sizeof *sorted, by_name);
    for (size_t i = 0; i < n; i++) {
        const wb_entity *e = &sorted[i]->e;
        char *name = wb_format("%s%s", e->scope, e->name);
        char *type = wb_closure_plain(wb_format("%s", e->type ? e->type : ""));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:s}", "name",
                                              name ? name : e->name, "kind", kind_name(e->kind),
                                              "type", type ? type : "", "cell", sorted[i]->number,
                                              "signature", e->signature ? e->signature : ""));
        free(name);
        free(type);
    }
    free(sorted);
    return list;
}

int wb_live_ask(void *live, const char *name, size_t len) {
    const wb_live_entity *x = wb_live_find(live, name, len);
    if (!x)
        return 0;
    switch (x->e.kind) {
    case WB_ENTITY_VARIABLE:
        return wb_entity_shape(&x->e);
    case WB_ENTITY_DEVICE_VARIABLE:
        return 'd';
    case WB_ENTITY_CONSTANT:
        return 'k';
    case WB_ENTITY_FUNCTION:
    case WB_ENTITY_SOURCE_FUNCTION:
        return 'f';
    case WB_ENTITY_TYPE:
    case WB_ENTITY_TEMPLATE:
        return strlen(x->e.name) == len && memcmp(x->e.name, name, len) == 0 ? 't' : 'c';
    case WB_ENTITY_MACRO:
        return wb_split_macro_is_statement(x->e.text) ? 'm' : 'c';
    default:
        return 0;
    }
}

const char *wb_live_macro(void *live, const char *name, size_t len) {
    const wb_live_entity *x = wb_live_find(live, name, len);
    return x && x->e.kind == WB_ENTITY_MACRO ? x->e.text : NULL;
}
