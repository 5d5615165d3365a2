/* complete.c: decides if a cell is complete, for consoles that ask after each line. It goes by open
 * brackets, literals, comments and conditionals, not by the parser, which repairs what it can. */
#include <ctype.h>

#include "runtime/cells/split/split.h"

typedef struct scan {
    const char *p, *end;
    char open[256];
    int depth, conditionals;
    char last; /* the last character outside blanks and comments */
    bool invalid, unfinished;
} scan;

static void open_bracket(scan *s, char closes) {
    if (s->depth < (int)sizeof s->open)
        s->open[s->depth] = closes;
    s->depth++;
}

static void close_bracket(scan *s, char c) {
    if (s->depth == 0 || (s->depth <= (int)sizeof s->open && s->open[s->depth - 1] != c))
        s->invalid = true;
    else
        s->depth--;
}

static bool skip_past(scan *s, const char *mark, size_t n) {
    const char *at = memmem(s->p, (size_t)(s->end - s->p), mark, n);
    s->p = at ? at + n : s->end;
    return at != NULL;
}

/* R"x( ... )x" */
static void raw_string(scan *s) {
    const char *name = s->p + 2, *paren = name;
    while (paren < s->end && *paren != '(' && paren - name < 16)
        paren++;
    if (paren >= s->end || *paren != '(') {
        s->unfinished = true;
        s->p = s->end;
        return;
    }
    char close[24] = ")";
    size_t n = (size_t)(paren - name);
    memcpy(close + 1, name, n);
    close[n + 1] = '"';
    s->p = paren + 1;
    s->unfinished |= !skip_past(s, close, n + 2);
}

static void literal(scan *s) {
    char quote = *s->p++;
    while (s->p < s->end && *s->p != quote && *s->p != '\n')
        s->p += *s->p == '\\' && s->p + 1 < s->end ? 2 : 1;
    if (s->p >= s->end)
        s->unfinished = true;
    else if (*s->p == '\n')
        s->invalid = true; /* it can't continue in the next line */
    else
        s->p++;
}

static void directive(scan *s) {
    const char *q = s->p + 1;
    while (q < s->end && (*q == ' ' || *q == '\t'))
        q++;
    size_t left = (size_t)(s->end - q);
    if (left >= 2 && memcmp(q, "if", 2) == 0)
        s->conditionals++;
    else if (left >= 5 && memcmp(q, "endif", 5) == 0 && --s->conditionals < 0)
        s->invalid = true;
    while (s->p < s->end && *s->p != '\n') {
        if (*s->p == '\\' && s->p + 1 < s->end && s->p[1] == '\n')
            s->p++;
        s->p++;
    }
    /* A macro definition may end with any character. */
    s->last = ';';
    if (s->p >= s->end && s->p[-1] == '\\')
        s->unfinished = true;
}

static bool line_start(const char *code, const char *p) {
    while (p > code && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    return p == code || p[-1] == '\n';
}

const char *wb_split_complete(const char *code, size_t len, int *depth) {
    scan s = {.p = code, .end = code + len, .last = ';'};
    while (s.p < s.end && !s.invalid) {
        char c = *s.p;
        size_t left = (size_t)(s.end - s.p);
        if (c == '/' && left > 1 && s.p[1] == '/') {
            skip_past(&s, "\n", 1);
            continue;
        }
        if (c == '/' && left > 1 && s.p[1] == '*') {
            s.p += 2;
            s.unfinished |= !skip_past(&s, "*/", 2);
            continue;
        }
        if (c == '#' && line_start(code, s.p)) {
            directive(&s);
            continue;
        }
        if (!isspace((unsigned char)c))
            s.last = c;
        bool word_before = s.p > code && (isalnum((unsigned char)s.p[-1]) || s.p[-1] == '_');
        if (c == 'R' && left > 1 && s.p[1] == '"' && !word_before) {
            raw_string(&s);
        } else if (c == '"' || (c == '\'' && !word_before)) { /* 1'000 is a number */
            literal(&s);
        } else {
            if (c == '(' || c == '[' || c == '{')
                open_bracket(&s, c == '(' ? ')' : c == '[' ? ']' : '}');
            else if (c == ')' || c == ']' || c == '}')
                close_bracket(&s, c);
            s.p++;
        }
    }
    *depth = s.depth;
    if (s.invalid)
        return "invalid";
    bool open = s.depth > 0 || s.conditionals > 0 || s.unfinished;
    return open || (s.last && strchr(",=+-*/%&|^<.?:\\", s.last)) ? "incomplete" : "complete";
}
