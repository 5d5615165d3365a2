/* types.c: see types.h. */
#include "runtime/cells/live/types.h"

#include "runtime/cells/split/closure.h"
#include "runtime/cells/live/live.h"

/* Returns true for a type that only its own cell can name. */
static bool nameless(const char *type) {
    static const char *const marks[] = {"<lambda", "<unnamed", "{anonymous}", "{unnamed", "()::"};
    for (size_t i = 0; i < WB_COUNT(marks); i++)
        if (strstr(type, marks[i]))
            return true;
    return false;
}

/* Reads gcc's __PRETTY_FUNCTION__: "... __wb_type() [with int WbN = 3; WbT = float*]". */
static char *read_type(const wb_buf *library, size_t i) {
    WB_SCOPED char *mark = wb_format("__wb_type() [with int WbN = %zu; WbT = ", i);
    const char *at = mark ? memmem(library->data, library->len, mark, strlen(mark)) : NULL;
    if (!at)
        return NULL;
    at += strlen(mark);
    size_t n = strnlen(at, (size_t)(library->data + library->len - at));
    return n > 0 && at[n - 1] == ']' ? wb_format("%.*s", (int)(n - 1), at) : NULL;
}

char *wb_types_symbol(const wb_entity *e, const char *tag) {
    wb_buf b = {0};
    size_t prefix = e->is_binding ? strlen(WB_BINDING) : 0;
    wb_buf_puts(&b, *e->scope ? "_ZN" : "_Z");
    for (const char *p = e->scope, *end; (end = strstr(p, "::")) != NULL; p = end + 2)
        wb_buf_printf(&b, "%zu%.*s", (size_t)(end - p), (int)(end - p), p);
    wb_buf_printf(&b, "%zu%s%s%s%s", prefix + strlen(e->name), prefix ? WB_BINDING : "", e->name,
                  tag, *e->scope ? "E" : "");
    return wb_buf_steal(&b);
}

/* Returns true if the library has the variable's symbol with an ABI tag. */
static bool is_tagged(const wb_buf *library, const wb_entity *e) {
    WB_SCOPED char *symbol = wb_types_symbol(e, WB_TYPES_TAG);
    return symbol && memmem(library->data, library->len, symbol, strlen(symbol));
}

/* Returns gcc's text, with lambda types named as other cells know them. */
static char *usable_type(const wb_buf *library, size_t i) {
    WB_SCOPED char *words = read_type(library, i);
    return words ? wb_closure_type(words) : NULL;
}

/* Fills the types of the captures into a lambda's text. They become its type in live.c, so that the
 * variable changes with them. */
static void complete_closure(wb_entity *e, size_t i, const wb_buf *library) {
    char *types[WB_CLOSURE_CAPTURES];
    wb_buf all = {0};
    size_t n = 0;
    bool good = true;
    wb_buf_puts(&all, "");
    for (; n < WB_CLOSURE_CAPTURES && (types[n] = usable_type(library, WB_CLOSURE_MARKER(i, n)));
         n++) {
        good &= !nameless(types[n]);
        wb_buf_printf(&all, "%s%s", n ? ", " : "", types[n]);
    }
    e->text = wb_closure_fill(e->text, types, n);
    e->type = wb_buf_steal(&all);
    for (size_t k = 0; k < n; k++)
        free(types[k]);
    if (!good || !e->text || strchr(e->text, WB_CLOSURE_HOLE))
        wb_entity_hide(
            e, wb_format(_("it captures something of a type that has no name, so only its own cell "
                           "can use it; give that type a name")));
}

typedef struct lookup {
    const wb_split *split;
    const wb_entity *found; /* a lambda that only its own cell can use */
} lookup;

static void look_at(void *ctx, const char *word, size_t len) {
    lookup *l = ctx;
    for (WB_ENTITIES(e, l->split))
        if (e->kind == WB_ENTITY_HIDDEN && wb_closure_is(e) && wb_word_is(word, len, e->name))
            l->found = e;
}

static void complete_variable(const wb_split *split, wb_entity *e) {
    lookup l = {split, NULL};
    if (e->type)
        wb_words(e->type, strlen(e->type), look_at, &l);
    if (l.found) {
        wb_entity_hide(e, wb_format("%s", l.found->text));
    } else if (e->type && strstr(e->type, "<lambda") && !e->stateless) {
        wb_entity_hide(
            e, wb_format(_("its type is a lambda's, which only its own cell can name; keep it in a "
                           "std::function, or give the lambda itself a variable (auto f = [...] "
                           "...;)")));
    } else if (e->type && strstr(e->type, WB_CLOSURE) && (*e->scope || *e->open)) {
        wb_entity_hide(
            e, wb_format(_("it is of a lambda's type, which inside a namespace only its own cell "
                           "can use; move it out of the namespace, or keep the lambda in a "
                           "std::function")));
    } else if (!e->type || (nameless(e->type) && !e->stateless)) {
        wb_entity_hide(
            e, wb_format(_("its type has no name, so only its own cell can use it; give the type "
                           "a name, or keep it in a std::function")));
    } else if (!nameless(e->type)) {
        e->stateless = false;
    }
}

void wb_types_find(wb_split *split, const char *library) {
    WB_SCOPED_BUF wb_buf bytes = {0};
    bool read = wb_file_read(library, 0, &bytes, NULL) && bytes.data;
    for (size_t i = 0; i < split->n_entities; i++) {
        wb_entity *e = &split->entities[i];
        if (wb_closure_is(e) && e->kind != WB_ENTITY_HIDDEN)
            complete_closure(e, i, &bytes);
        if (e->kind != WB_ENTITY_VARIABLE && e->kind != WB_ENTITY_DEVICE_VARIABLE)
            continue;
        e->type = read ? usable_type(&bytes, e->branch ? WB_BRANCH_MARKER(e) : i) : NULL;
        e->tagged = read && is_tagged(&bytes, e);
        if (e->branch && !e->type)
            e->kind = WB_ENTITY_UNDEF; /* no compiled branch has it */
        else
            complete_variable(split, e);
    }
}

/* Returns true if `all` has a line with the variable's symbol with an ABI tag. */
static bool has_tagged(const char *all, const wb_entity *e) {
    WB_SCOPED char *symbol = wb_types_symbol(e, WB_TYPES_TAG), *line = wb_format("\n%s\n", symbol);
    return line && strstr(all, line);
}

void wb_types_hide_vexing(wb_split *split, const char *symbols) {
    WB_SCOPED char *lines = wb_format("\n%s", symbols);
    for (size_t i = 0; i < split->n_entities && lines; i++) {
        wb_entity *e = &split->entities[i];
        e->tagged = e->tagged && has_tagged(lines, e); /* a linker script names it, too */
        if (e->kind != WB_ENTITY_FUNCTION || *e->scope || *e->open)
            continue;
        WB_SCOPED char *plain = wb_format("\n%s\n", e->name);
        WB_SCOPED char *tagged = wb_format("\n_Z%zu%sB", strlen(e->name), e->name);
        if (plain && tagged && (strstr(lines, plain) || strstr(lines, tagged))) {
            wb_entity_hide(
                e, wb_format(_("its definition reads like a function's declaration, so only its "
                               "own cell can use it; write \"%s = ...\" there"),
                             e->name));
        }
    }
}
