/* view.c: the cell as the parser sees it: with the same length and lines, but with
 * constructs that the grammar does not know rewritten. */
#include <ctype.h>

#include "runtime/cells/split/expand.h"
#include "runtime/cells/split/parts.h"

/* Returns true if `name` is a macro that is a statement, of this cell or an earlier one. */
static bool statement_macro(const splitter *s, const char *view, const char *name, size_t len) {
    WB_SCOPED char *define = wb_format("define %.*s(", (int)len, name);
    const char *own = define ? strstr(view, define) : NULL;
    return own ? wb_split_macro_is_statement(own) : declare_ask(s, name, len) == 'm';
}

/* Rewrites "SWAP(a, b, int);" as "SWAP(0        );", because a call can't have the argument int. */
static void plain_arguments(const splitter *s, char *view) {
    for (char *p = view; *p;) {
        size_t skip = wb_code_skip(p), n = skip ? 0 : wb_word_length(p);
        const char *end =
            n && !isdigit((unsigned char)*p) && p[n] == '(' ? wb_code_closing(p + n) : NULL;
        if (end && (p == view || p[-1] == '\n' || strchr(" \t;{}", p[-1])) && end > p + n + 1 &&
            statement_macro(s, view, p, n)) {
            char *first = p + n + 1 + strspn(p + n + 1, "\r\n");
            declare_view_blank(first, end);
            *first = first < end ? '0' : *first;
        }
        p += skip ? skip : n ? n : 1;
    }
}

void declare_view_blank(char *from, const char *to) {
    for (; from < to; from++)
        *from = *from == '\n' ? '\n' : ' ';
}

/* Blanks attributes, as in "void __cluster_dims__(2, 1, 1) k(int *p)". Of those with arguments the
 * grammar knows only __launch_bounds__. */
static void blank_attributes(char *view) {
    static const char *const names[] = {"__cluster_dims__", "__maxnreg__", "__block_size__"};
    for (size_t i = 0; i < WB_COUNT(names); i++)
        for (char *p = view; (p = strstr(p, names[i])); p++) {
            char *open = p + strlen(names[i]);
            open += strspn(open, " ");
            const char *close = *open == '(' ? wb_code_closing(open) : NULL;
            if (close)
                declare_view_blank(p, close + 1);
        }
}

/* Returns the bracket that belongs to the closing one before `p`, or NULL if `from` comes first. */
static char *opening(const char *from, char *p) {
    char close = p[-1], open = close == '>' ? '<' : close == ']' ? '[' : '(';
    int depth = 0, inner = 0; /* a '>' in parentheses is a comparison */
    while (p-- > from) {
        if (close == '>' && (*p == ')' || *p == '('))
            inner += *p == ')' ? 1 : -1;
        if (inner == 0)
            depth += (*p == close) - (*p == open);
        if (depth == 0 && inner == 0)
            return p;
    }
    return NULL;
}

/* Returns the start of the kernel's name that ends there: "a::k<float>", "s.table[i]", "M(k)". */
static char *callee(char *from, char *end) {
    char *p = from + wb_trimmed(from, (size_t)(end - from), WB_BLANK);
    for (char *last = NULL; p != last;) {
        last = p;
        char *open = p > from && strchr(">])", p[-1]) ? opening(from, p) : NULL;
        p = open ? open : p;
        p = from + wb_word_begin(from, (size_t)(p - from));
        if (p > from + 1 && (strncmp(p - 2, "::", 2) == 0 || strncmp(p - 2, "->", 2) == 0))
            p -= 2;
        else if (p > from && p[-1] == '.')
            p--;
    }
    return p;
}

/* At file scope the grammar takes "k<<<1, 1>>>(&m)" for a declaration of m. No declaration begins
 * with a digit, so the parser reads "0<<<1, 1>>>(&m)". */
static void number_callees(char *view) {
    char *from = view; /* after the last directive, comment or literal */
    for (char *p = view; *p;) {
        size_t skip = wb_code_skip(p);
        if (!skip && strncmp(p, "<<<", 3) == 0) {
            for (char *name = callee(from, p); name < p; name++)
                *name = *name == '\n' ? '\n' : '0';
            skip = 3;
        } else if (skip) {
            from = p + skip;
        }
        p += skip ? skip : 1;
    }
}

/* Replaces casts: for the grammar "unsigned(x) + 1" declares x, but "float(x) + 1" does not. */
static void plain_casts(char *view) {
    static const char *const words[][2] = {
        {"unsigned", "uint64_t"}, {"signed", "size_t"}, {"long", "char"}, {"short", "float"}};
    for (size_t i = 0; i < WB_COUNT(words); i++)
        for (char *p = view; (p = strstr(p, words[i][0])); p++) {
            size_t n = strlen(words[i][0]);
            if ((p == view || !wb_word_part(p[-1])) && p[n + strspn(p + n, " ")] == '(')
                memcpy(p, words[i][1], n);
        }
}

char *declare_view(splitter *s) {
    static const char from[] = "__align__", to[] = "alignas  ";
    char *view = malloc(s->len + 1), *at = view;
    if (!view)
        return NULL;
    memcpy(view, s->code, s->len);
    view[s->len] = '\0';
    while ((at = memmem(at, s->len - (size_t)(at - view), from, sizeof from - 1)))
        memcpy(at, to, sizeof to - 1);
    declare_blank_marks(view, s->len);
    number_callees(view);
    /* raw strings may contain anything */
    if (!memchr(view, '\0', s->len) && !strstr(view, "R\"")) {
        blank_attributes(view);
        declare_find_macros(s, view);
        plain_arguments(s, view);
        plain_casts(view);
        declare_pointers(s, view);
    }
    return view;
}
