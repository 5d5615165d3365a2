/* declare_view.c: the cell as the parser sees it: of the same length and lines, with what the
 * grammar does not know written another way. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cells/split/expand.h"
#include "runtime/cells/split/parts.h"

/* Whether `name` is a macro that is a statement, of this cell or of an earlier one. */
static bool statement_macro(const splitter *s, const char *view, const char *name, size_t len) {
    char *define = wb_format("define %.*s(", (int)len, name);
    const char *own = define ? strstr(view, define) : NULL;
    free(define);
    return own ? wb_split_macro_is_statement(own) : s->ask && s->ask(s->ctx, name, len) == 'm';
}

/* "SWAP(a, b, int);" is no call, for int is no argument: to the parser it is "SWAP(0        );". */
static void plain_arguments(const splitter *s, char *view) {
    for (char *p = view; *p;) {
        size_t skip = wb_code_skip(p), n = 0;
        while (!skip && (isalnum((unsigned char)p[n]) || p[n] == '_'))
            n++;
        const char *end =
            n && !isdigit((unsigned char)*p) && p[n] == '(' ? wb_code_closing(p + n) : NULL;
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

void declare_view_blank(char *from, const char *to) {
    for (; from < to; from++)
        *from = *from == '\n' ? '\n' : ' ';
}

/* "void __cluster_dims__(2, 1, 1) k(int *p)": of the words with arguments the grammar has only
 * __launch_bounds__. */
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
    if (!memchr(view, '\0', s->len) && !strstr(view, "R\"")) { /* which may hold anything */
        blank_attributes(view);
        declare_find_macros(s, view);
        plain_arguments(s, view);
        declare_pointers(s, view);
    }
    return view;
}
