/* closure.c: see closure.h. */
#include "runtime/cells/split/closure.h"

enum { HEAD = sizeof WB_CLOSURE - 1, TAIL = 9 }; /* "_" and eight digits */

bool wb_closure_is(const wb_entity *e) {
    return strncmp(e->name, WB_CLOSURE, HEAD) == 0;
}

bool wb_unnamed_is(const wb_entity *e) {
    return strncmp(e->name, WB_UNNAMED, strlen(WB_UNNAMED)) == 0;
}

char *wb_closure_marker(const wb_entity *e, size_t number) {
    /* The parentheses make the expression of a __managed__ variable a reference. */
    return wb_format("__attribute__((__used__)) static const char *const __wb_type_%zu = "
                     "__wb_type<%zu, %s::%s%s%s%s>();",
                     number, number, e->host_side ? "__wb_bare<decltype((" : "decltype(", e->scope,
                     e->is_binding ? WB_BINDING : "", e->name, e->host_side ? "))>::type" : ")");
}

/* Returns the length of "<lambda(int)>" at p; 0: there is none, or it encloses another. */
static size_t lambda_length(const char *p) {
    if (strncmp(p, "<lambda", 7) != 0)
        return 0;
    int depth = 0;
    for (size_t i = 0; p[i]; i++) {
        depth += strchr("<(", p[i]) ? 1 : strchr(">)", p[i]) ? -1 : 0;
        if (depth == 0)
            return strncmp(p + i + 1, "::", 2) == 0 ? 0 : i + 1;
    }
    return 0;
}

char *wb_closure_type(const char *type) {
    wb_buf out = {0};
    for (const char *p = type; *p;) {
        size_t word = strncmp(p, WB_CLOSURE, HEAD) == 0 ? wb_word_length(p) : 0;
        size_t n = word && strncmp(p + word, "()::", 4) == 0 ? lambda_length(p + word + 4) : 0;
        if (n)
            wb_buf_printf(&out, "decltype(%.*s())", (int)word, p);
        else
            wb_buf_append(&out, p, word ? word : 1);
        p += n ? word + 4 + n : word ? word : 1;
    }
    return wb_buf_steal(&out);
}

/* Writes each name with the prefix, its head, and eight digits for people, in `before` and `after`.
 * Takes over `text`. */
static char *plain(char *text, const char *prefix, const char *before, const char *after) {
    size_t head = strlen(prefix);
    wb_buf out = {0};
    if (!text || !strstr(text, prefix))
        return text;
    for (const char *p = text; *p;) {
        size_t word = strncmp(p, prefix, head) == 0 ? wb_word_length(p) : 0;
        bool is = word > head + TAIL;
        if (is)
            wb_buf_printf(&out, "%s%.*s%s", before, (int)(word - head - TAIL), p + head, after);
        else
            wb_buf_append(&out, p, word ? word : 1);
        p += word ? word : 1;
        p += is && !*after && strncmp(p, "()", 2) == 0 ? 2 : 0;
    }
    char *plain = wb_buf_steal(&out);
    if (plain)
        free(text);
    return plain ? plain : text;
}

char *wb_closure_plain(char *text) {
    return plain(plain(text, WB_UNNAMED, "decltype(", ")"), WB_CLOSURE, "", "");
}

char *wb_closure_fill(char *text, char *const *types, size_t n) {
    wb_buf out = {0};
    for (const char *p = text; p && *p; p++) {
        size_t k = *p == WB_CLOSURE_HOLE ? (size_t)(p[1] - '0') * 16 + (size_t)(p[2] - '0') : n;
        if (k < n)
            wb_buf_puts(&out, types[k]);
        else
            wb_buf_putc(&out, *p);
        p += k < n ? 2 : 0;
    }
    free(text);
    return wb_buf_steal(&out);
}
