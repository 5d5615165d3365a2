/* declare_view.c: the cell as the parser sees it: of the same length and lines, with what the
 * grammar does not know written another way. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compile/split_parts.h"

/* The length of the comment, literal or directive at p, or 0. */
static size_t skipped(const char *p) {
    if (*p == '#') {
        size_t n = strcspn(p, "\n");
        while (p[n] && p[n - 1] == '\\')
            n += 1 + strcspn(p + n + 1, "\n");
        return n;
    }
    if (p[0] == '/' && p[1] == '/')
        return strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? (size_t)(end - p) + 2 : strlen(p);
    }
    if (*p != '"' && *p != '\'')
        return 0;
    size_t n = 1;
    while (p[n] && p[n] != *p && p[n] != '\n')
        n += p[n] == '\\' && p[n + 1] ? 2 : 1;
    return n + (p[n] == *p);
}

/* Whether `name` is a macro that is a statement, of this cell or of an earlier one. */
static bool statement_macro(const splitter *s, const char *view, const char *name, size_t len) {
    char *define = wb_format("define %.*s(", (int)len, name);
    const char *own = define ? strstr(view, define) : NULL;
    free(define);
    return own ? wb_split_macro_is_statement(own) : s->ask && s->ask(s->ctx, name, len) == 'm';
}

/* The ')' that belongs to the '(' at p, or NULL. */
static char *closing(char *p) {
    int depth = 0;
    while (*p) {
        size_t skip = skipped(p);
        depth += skip ? 0 : (*p == '(') - (*p == ')');
        if (!skip && depth == 0)
            return p;
        p += skip ? skip : 1;
    }
    return NULL;
}

/* "SWAP(a, b, int);" is no call, for int is no argument: to the parser it is "SWAP(0        );". */
static void plain_arguments(const splitter *s, char *view) {
    for (char *p = view; *p;) {
        size_t skip = skipped(p), n = 0;
        while (!skip && (isalnum((unsigned char)p[n]) || p[n] == '_'))
            n++;
        char *end = n && !isdigit((unsigned char)*p) && p[n] == '(' ? closing(p + n) : NULL;
        if (end && (p == view || p[-1] == '\n' || strchr(" \t;{}", p[-1])) && end > p + n + 1 &&
            statement_macro(s, view, p, n)) {
            char *first = p + n + 1 + strspn(p + n + 1, "\r\n");
            for (char *q = first; q < end; q++)
                *q = *q == '\n' ? '\n' : ' ';
            *first = first < end ? '0' : *first;
        }
        p += skip ? skip : n ? n : 1;
    }
}

char *declare_view(const splitter *s) {
    static const char from[] = "__align__", to[] = "alignas  ";
    char *view = malloc(s->len + 1), *at = view;
    if (!view)
        return NULL;
    memcpy(view, s->code, s->len);
    view[s->len] = '\0';
    while ((at = memmem(at, s->len - (size_t)(at - view), from, sizeof from - 1)))
        memcpy(at, to, sizeof to - 1);
    declare_blank_marks(view, s->len);
    if (!memchr(view, '\0', s->len) && !strstr(view, "R\"")) /* which may hold anything */
        plain_arguments(s, view);
    return view;
}
