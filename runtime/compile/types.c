/* types.c: see types.h. */
#include "runtime/compile/types.h"

#include <stdlib.h>
#include <string.h>

/* A type that only its own cell can name. */
static bool nameless(const char *type) {
    static const char *const marks[] = {"<lambda", "<unnamed", "{anonymous}", "{unnamed", "()::"};
    for (size_t i = 0; i < WB_COUNT(marks); i++)
        if (strstr(type, marks[i]))
            return true;
    return false;
}

/* gcc's __PRETTY_FUNCTION__: "... __wb_type() [with int WbN = 3; WbT = float*]". */
static char *read_type(const wb_buf *library, size_t i) {
    char *mark = wb_format("__wb_type() [with int WbN = %zu; WbT = ", i);
    const char *at = mark ? memmem(library->data, library->len, mark, strlen(mark)) : NULL;
    char *type = NULL;
    if (at) {
        at += strlen(mark);
        size_t n = strnlen(at, (size_t)(library->data + library->len - at));
        if (n > 0 && at[n - 1] == ']')
            type = wb_format("%.*s", (int)(n - 1), at);
    }
    free(mark);
    return type;
}

/* Whether the library has a symbol for `name` with an ABI tag: _Z4nameB5cxx11. */
static bool is_tagged(const wb_buf *library, const char *name) {
    char *symbol = wb_format("_Z%zu%sB", strlen(name), name);
    bool found = symbol && memmem(library->data, library->len, symbol, strlen(symbol));
    free(symbol);
    return found;
}

void wb_types_find(wb_split *split, const char *library) {
    wb_buf bytes = {0};
    bool read = wb_file_read(library, 0, &bytes, NULL) && bytes.data;
    for (size_t i = 0; i < split->n_entities; i++) {
        wb_entity *e = &split->entities[i];
        if (e->kind != WB_ENTITY_VARIABLE && e->kind != WB_ENTITY_DEVICE_VARIABLE)
            continue;
        e->type = read ? read_type(&bytes, i) : NULL;
        e->tagged = read && is_tagged(&bytes, e->name);
        if (e->type && (!nameless(e->type) || e->stateless)) {
            if (!nameless(e->type))
                e->stateless = false;
            continue;
        }
        free(e->text);
        e->kind = WB_ENTITY_HIDDEN;
        e->text = wb_format("its type has no name, so only its own cell can use it; give the type "
                            "a name, or keep it in a std::function");
    }
    wb_buf_free(&bytes);
}

void wb_types_hide_vexing(wb_split *split, const char *symbols) {
    for (size_t i = 0; i < split->n_entities; i++) {
        wb_entity *e = &split->entities[i];
        if (e->kind != WB_ENTITY_FUNCTION || *e->scope || *e->open)
            continue;
        char *plain = wb_format("\n%s\n", e->name);
        char *tagged = wb_format("\n_Z%zu%sB", strlen(e->name), e->name);
        char *all = wb_format("\n%s", symbols);
        if (plain && tagged && all && (strstr(all, plain) || strstr(all, tagged))) {
            free(e->text);
            e->kind = WB_ENTITY_HIDDEN;
            e->text = wb_format("its definition reads like a function's declaration, so only its "
                                "own cell can use it; write \"%s = ...\" there",
                                e->name);
        }
        free(plain);
        free(tagged);
        free(all);
    }
}
