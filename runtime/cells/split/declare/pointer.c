/* pointer.c: declarations that the parser takes for a call or an assignment: "int (*p)() =
 * f;", "Row (*m)[3] = a;", "int (S::*get)() = &S::get;". The parser sees a plain pointer, "int  *p
 * = f;". Its type comes from the compiler. */
#include <ctype.h>

#include "runtime/cells/split/expand.h"
#include "runtime/cells/split/parts.h"

static size_t word_length(const char *p) {
    return isdigit((unsigned char)*p) ? 0 : wb_word_length(p);
}

/* Returns the end of the '>' that belongs to the '<' at p, or NULL. */
static char *behind_arguments(char *p) {
    int depth = 0;
    for (; *p && *p != ';' && *p != '{'; p++) {
        depth += (*p == '<') - (*p == '>');
        if (depth == 0)
            return p + 1;
    }
    return NULL;
}

/* Returns true if the cell declares the type before p: "struct T", "using T", "... T;". */
static bool declared_before(const char *view, const char *p, const char *word, size_t len) {
    for (const char *at = view; (at = memmem(at, (size_t)(p - at), word, len)); at++) {
        if (wb_word_part(at[len]) || (at > view && wb_word_part(at[-1])))
            continue;
        size_t end = wb_trimmed(view, (size_t)(at - view), " "), begin = wb_word_begin(view, end);
        if (wb_word_among(view + begin, end - begin, "struct class enum union using typename"))
            return true;
        const char *line = at;
        while (line > view && line[-1] != ';' && line[-1] != '\n')
            line--;
        line += strspn(line, " ");
        if (strncmp(line, "typedef ", 8) == 0)
            return true;
    }
    return false;
}

/* Returns the end of the type, with blanks and stars, that begins a declaration at p; NULL: there
 * is none. *sure: no expression begins so. */
static char *behind_type(const splitter *s, const char *view, char *p, bool *sure) {
    bool named = false;
    *sure = false;
    for (size_t n; (n = word_length(p));) {
        char *end = p + n;
        if (wb_word_among(p, n, "if while for switch else do return throw delete sizeof new"))
            return NULL;
        if (wb_word_among(
                p, n,
                "unsigned signed long short int float double char bool size_t void uint8_t")) {
            *sure = named = true;
        } else if (wb_word_among(p, n,
                                 "const static extern inline struct auto thread_local constexpr")) {
            *sure = true;
            named |= memcmp(p, "auto", 4) == 0;
        } else if (named) {
            return NULL;
        } else {
            named = true;
            while (end[0] == ':' && end[1] == ':') {
                p = end + 2;
                if (!(n = word_length(p)))
                    return NULL; /* "S::~S", "S::*" */
                end = p + n;
            }
            *sure |= declare_ask(s, p, n) == 't' || declared_before(view, p, p, n);
            char *behind = *end == '<' ? behind_arguments(end) : end;
            if (!behind)
                return NULL;
            end = behind;
        }
        p = end + strspn(end, " ");
    }
    p += strspn(p, " *&");
    return named ? p : NULL;
}

/* Returns the end of what follows the ')': "[2][3]", "(int)", nothing; NULL for anything else. */
static char *behind_suffix(char *p) {
    char *begin = p;
    p += strspn(p, " ");
    if (*p == '=' || *p == ';')
        return begin;
    if (*p == '(') {
        const char *close = wb_code_closing(p);
        return close ? p + (close - p) + 1 : NULL;
    }
    if (*p != '[')
        return NULL;
    for (size_t blanks; p[blanks = strspn(p, " ")] == '[';) {
        size_t inside = blanks + 1 + strcspn(p + blanks + 1, "];\n");
        if (p[inside] != ']')
            return NULL;
        p += inside + 1;
    }
    return p;
}

/* Rewrites a declaration or statement: "int (*p)(int) = f;" becomes "int  *p       = f;". */
static void rewrite(const splitter *s, const char *view, char *p) {
    bool sure;
    char *open = behind_type(s, view, p, &sure);
    if (!open || *open != '(')
        return;
    char *q = open + 1 + strspn(open + 1, " ");
    if (*q != '*' && *q != '&')
        return;
    q += strspn(q, "*& ");
    size_t n = word_length(q);
    if (n == 5 && memcmp(q, "const", 5) == 0)
        q += n + strspn(q + n, " ");
    q += word_length(q);
    q += strspn(q, " ");
    if (*q == '[') /* an array of them */
        q += strcspn(q, "];\n") + 1;
    char *close = q + strspn(q, " "), *end = *close == ')' ? behind_suffix(close + 1) : NULL;
    const char *after = end ? end + strspn(end, " ") : "";
    bool call = end && close[1 + strspn(close + 1, " ")] == '(';
    if (!sure && (!call || open[-1] != ' ')) /* "f(*p)[3] = 4;" */
        return;
    if (!*after || !strchr(sure ? "=;{," : "={", *after))
        return;
    declare_view_blank(open, open + 1);
    declare_view_blank(close, end);
}

/* Blanks "S::*" before a name: "std::pair<int, int>::*first". Nothing else is written so. */
static void blank_class(char *view, char *star) {
    char *p = star;
    while (p - view >= 2 && p[-1] == ':' && p[-2] == ':') {
        p -= 2;
        int depth = 0;
        do {
            if (p == view)
                return;
            p--;
            depth += (*p == '>') - (*p == '<');
        } while (depth > 0 || *p == ' ');
        p = view + wb_word_begin(view, (size_t)(p - view));
    }
    declare_view_blank(p, star);
}

void declare_pointers(const splitter *s, char *view) {
    for (char *p = view; *p;) {
        size_t skip = wb_code_skip(p);
        if (!skip && *p == '*' && p - view > 2 && p[-1] == ':' && p[-2] == ':')
            blank_class(view, p);
        p += skip ? skip : 1;
    }
    int depth = 0;
    bool begins = true;
    for (char *p = view; *p;) {
        size_t skip = wb_code_skip(p);
        if (!skip && begins && depth == 0 && word_length(p))
            rewrite(s, view, p);
        depth += skip ? 0 : (strchr("({[", *p) != NULL) - (strchr(")}]", *p) != NULL);
        if (skip ? *p == '#' : *p == ';' || *p == '}')
            begins = true;
        else if (!skip && !isspace((unsigned char)*p))
            begins = false;
        p += skip ? skip : 1;
    }
}
