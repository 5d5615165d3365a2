/* macros.c: see macros.h. */
#include "runtime/cells/live/macros.h"

#include <ctype.h>
#include <string.h>

static void aside(void *out, const char *name, size_t len) {
    wb_buf_printf(out, "#pragma push_macro(\"%.*s\")\n#undef %.*s\n", (int)len, name, (int)len,
                  name);
}

static void back(void *out, const char *name, size_t len) {
    wb_buf_printf(out, "#pragma pop_macro(\"%.*s\")\n", (int)len, name);
}

static void each(wb_buf *out, const wb_live *live, const wb_split *split,
                 void (*f)(void *, const char *, size_t)) {
    for (size_t i = 0; i < live->n + split->n_entities; i++) {
        const wb_entity *e = i < live->n ? &live->v[i].e : &split->entities[i - live->n];
        if (e->kind == WB_ENTITY_MACRO)
            f(out, e->name, strlen(e->name));
        else if (e->kind == WB_ENTITY_TEMPLATE && e->also) /* those inside #if */
            wb_words(e->also, strlen(e->also), f, out);
    }
}

void wb_macros_aside(wb_buf *out, const wb_live *live, const wb_split *split) {
    each(out, live, split, aside);
}

void wb_macros_back(wb_buf *out, const wb_live *live, const wb_split *split) {
    each(out, live, split, back);
}

/* ---- earlier text and later macros -------------------------------------------------------- */

static bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_one_of(const char *word, size_t len, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
            return true;
    return false;
}

/* Whether a name behind `word` is one that is declared there: "int n", "class T", but not "const
 * T", "return n". */
static bool declares(const char *word, size_t len) {
    static const char *const never[] = {
        "const",      "volatile",   "static",   "inline",         "extern",       "constexpr",
        "__device__", "__global__", "__host__", "__shared__",     "__constant__", "__restrict__",
        "return",     "else",       "case",     "sizeof",         "do",           "throw",
        "goto",       "new",        "delete",   "__forceinline__"};
    return len > 0 && !isdigit((unsigned char)*word) &&
           !is_one_of(word, len, never, WB_COUNT(never));
}

/* The word that ends before `p`, "*" and "&" left out where they stand behind a type of the
 * language's own ("float *M" declares M, "a * M" uses it). */
static const char *word_before(const char *text, const char *p, size_t *len) {
    static const char *const types[] = {"int",   "float", "double", "char",     "bool",
                                        "short", "long",  "void",   "unsigned", "__restrict__"};
    bool sign = false;
    while (p > text && (isspace((unsigned char)p[-1]) || p[-1] == '*' || p[-1] == '&'))
        sign |= !isspace((unsigned char)*--p);
    const char *end = p;
    while (p > text && word_char(p[-1]))
        p--;
    *len = (size_t)(end - p);
    if (sign && !is_one_of(p, *len, types, WB_COUNT(types))) {
        *len = 0;
    } else if (sign || is_one_of(p, *len, types + WB_COUNT(types) - 1, 1)) {
        p = "int"; /* "float *__restrict__ M" */
        *len = strlen(p);
    }
    return p;
}

/* Whether the text gives something of its own this name. */
static bool text_declares(const char *text, const char *name) {
    size_t n = strlen(name), len;
    for (const char *p = text; (p = strstr(p, name)); p += n) {
        if ((p > text && word_char(p[-1])) || word_char(p[n]))
            continue;
        const char *before = word_before(text, p, &len);
        const char after = p[n + strspn(p + n, " \t\n")];
        if (declares(before, len) && after && strchr(",);=[{>:", after))
            return true;
    }
    return false;
}

static void each_later(wb_buf *out, const wb_live *live, size_t i,
                       void (*f)(void *, const char *, size_t)) {
    const wb_entity *e = &live->v[i].e;
    for (size_t k = i + 1; k < live->n; k++)
        if (live->v[k].e.kind == WB_ENTITY_MACRO && text_declares(e->text, live->v[k].e.name))
            f(out, live->v[k].e.name, strlen(live->v[k].e.name));
}

void wb_macros_aside_later(wb_buf *out, const wb_live *live, size_t i) {
    each_later(out, live, i, aside);
}

void wb_macros_back_later(wb_buf *out, const wb_live *live, size_t i) {
    each_later(out, live, i, back);
}
