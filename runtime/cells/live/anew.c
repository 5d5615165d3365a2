/* anew.c: see anew.h. */
#include "runtime/cells/live/anew.h"

const char *wb_anew_name(const char *declaration, const char *name) {
    size_t n = strlen(name);
    for (const char *p = declaration ? declaration : ""; n && (p = strstr(p, name)); p += n)
        if ((p == declaration || !wb_word_part(p[-1]) || !wb_word_part(*name)) &&
            !wb_word_part(p[n]))
            return p;
    return NULL;
}

/* Splits the function's text: default values with the commas between them, and all the rest. */
static void take_apart(const char *text, const char *name, wb_buf *defaults, wb_buf *rest) {
    const char *p = wb_anew_name(text, name);
    int depth = 0;
    bool value = false, inside = true;
    wb_buf_append(rest, text, p ? (size_t)(p - text) + strlen(name) : strlen(text));
    for (p = p ? p + strlen(name) : ""; *p; p++) {
        depth += strchr("({[", *p) ? 1 : strchr(")}]", *p) ? -1 : 0;
        inside &= depth > 0 || *p != ')';
        value = (value || *p == '=') && inside && depth > 0 && !(depth == 1 && *p == ',');
        if (value || (inside && depth == 1 && *p == ','))
            wb_buf_putc(defaults, *p);
        if (!value)
            wb_buf_putc(rest, *p);
    }
}

char *wb_anew_without_defaults(const char *text, const char *name) {
    WB_SCOPED_BUF wb_buf defaults = {0}, rest = {0};
    take_apart(text, name, &defaults, &rest);
    return wb_buf_steal(&rest);
}

static void put_defaults(wb_buf *out, const wb_entity *function) {
    WB_SCOPED_BUF wb_buf rest = {0};
    take_apart(function->signature ? function->signature : "", function->name, out, &rest);
}

char *wb_anew_head(const wb_split *own, const wb_entity *function) {
    WB_SCOPED char *result =
        function->kind == WB_ENTITY_KERNEL ? wb_format("void") : wb_anew_result(function);
    WB_SCOPED_BUF wb_buf b = {0};
    put_defaults(&b, function);
    for (size_t i = 0; own && i < own->n_entities && !(b.data && strchr(b.data, '=')); i++)
        if (strcmp(own->entities[i].key, function->key) == 0) {
            b.len = 0;
            put_defaults(&b, &own->entities[i]);
        }
    return result ? wb_format("%s(%s)", result, b.len ? b.data : "") : NULL;
}

char *wb_anew_result(const wb_entity *function) {
    const char *head = function->signature ? function->signature : "";
    const char *name = wb_anew_name(head, function->name), *end = strrchr(head, ')');
    wb_buf b = {0};
    for (const char *p = head; p < (name ? name : head);) {
        size_t n = *p == ' ' ? 1 : strcspn(p, " *&<,");
        n = n ? n : 1;
        if (*p != ' ' && !wb_word_among(p, n, "static inline extern __host__ __forceinline__"))
            wb_buf_printf(&b, "%.*s ", (int)n, p);
        p += n;
    }
    wb_buf_puts(&b, end ? end : "");
    return wb_buf_steal(&b);
}

static bool same_function(const wb_entity *old, const wb_entity *e) {
    WB_SCOPED char *before = wb_anew_result(old), *now = wb_anew_result(e);
    const char *head = old->kind == WB_ENTITY_SOURCE_FUNCTION ? old->signature : old->text;
    return before && now && strcmp(before, now) == 0 && head && !strpbrk(head, "=") &&
           !strstr(head, "__launch_bounds__");
}

/* Returns true for a function that is repeated whole, and whose head alone may precede it. */
static bool has_head(const wb_entity *e) {
    return e->signature && e->text && strchr(e->text, '{') && !strstr(e->signature, "auto") &&
           !strstr(e->name, "::");
}

/* Returns true if both declare the same type, as "int x". A constant can't be declared twice. */
static bool same_variable(const wb_entity *old, const wb_entity *e) {
    const char *before = old->signature ? old->signature : "",
               *now = e->signature ? e->signature : "";
    size_t n = wb_trimmed(before, strcspn(before, "={;"), " ");
    bool plain = !old->is_thread && !e->is_thread && !old->is_binding && !e->is_binding &&
                 !old->stateless && !e->stateless && !strstr(before, "auto") && old->type;
    return plain && n > 0 && !memchr(before, '(', n) && strncmp(before, now, n) == 0 &&
           strchr(" ={;", now[n]) && !strchr(old->type, '[');
}

bool wb_anew_is_forward(const wb_entity *e) {
    size_t n = strlen(e->key);
    return n > 0 && e->key[n - 1] == ';';
}

bool wb_anew_is_prototype(const wb_entity *e) {
    if (wb_entity_is_linked(e))
        return !e->definition && !strstr(e->name, "::"); /* "int S::count = 0;" has a definition */
    return (e->kind == WB_ENTITY_SOURCE_FUNCTION || e->kind == WB_ENTITY_TEMPLATE) &&
           wb_anew_is_forward(e);
}

bool wb_anew_declares_again(const wb_split *split, const wb_entity *e, const wb_entity *old) {
    for (WB_ENTITIES(other, split))
        if (strcmp(other->key, e->key) == 0 && !wb_anew_is_prototype(other))
            return false;
    return wb_anew_is_prototype(e) && strcmp(e->key, old->key) == 0 &&
           (old->definition || old->kind == WB_ENTITY_VARIABLE);
}

char *wb_anew_plain_head(const wb_split *split, const wb_entity *old) {
    for (WB_ENTITIES(e, split))
        if (wb_anew_declares_again(split, e, old) && old->announced && strchr(e->text, '='))
            return wb_format("%.*s;", (int)strcspn(old->definition, "{"), old->definition);
    return NULL;
}

bool wb_anew_may_announce(const wb_entity *old, const wb_split *split) {
    for (WB_ENTITIES(e, split)) {
        if (e->kind != old->kind || strcmp(e->key, old->key) != 0 ||
            strcmp(e->open, old->open) != 0)
            continue;
        if (wb_entity_is_linked(e)) {
            if (!e->definition && old->definition)
                continue; /* a prototype of the old one, or of the new one */
            return same_function(old, e);
        }
        if (e->kind == WB_ENTITY_SOURCE_FUNCTION)
            return has_head(old) && same_function(old, e);
        return e->kind == WB_ENTITY_VARIABLE && same_variable(old, e);
    }
    return false;
}
