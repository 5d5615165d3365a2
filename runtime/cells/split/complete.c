/* complete.c: decides if a cell is complete, for consoles that ask after each line. It goes by open
 * brackets, literals, comments and conditionals, not by the parser, which repairs what it can. */
#include <ctype.h>

#include "runtime/cells/split/expand.h"
#include "runtime/cells/split/split.h"
#include "runtime/compile/direct/parts/tokens.h"

typedef struct scan {
    char open[256]; /* the brackets that close those that are open */
    int depth, conditionals;
    char last; /* the last character outside blanks and comments */
    bool invalid, unfinished;
} scan;

static void bracket(scan *s, char c) {
    static const char pairs[] = "()[]{}";
    const char *at = strchr(pairs, c);
    bool room = s->depth < (int)sizeof s->open, opens = at && (at - pairs) % 2 == 0;
    if (opens && room)
        s->open[s->depth] = at[1];
    else if (at && !opens &&
             (s->depth == 0 || (s->depth <= (int)sizeof s->open && s->open[s->depth - 1] != c)))
        s->invalid = true;
    s->depth += !at || s->invalid ? 0 : opens ? 1 : -1;
}

/* Returns the end of R"x( ... )x", whose R is at p. */
static const char *raw_string(scan *s, const char *p) {
    const char *all = p + strlen(p), *end = wb_token_raw(p + 1, all);
    s->unfinished |= !end;
    return end ? end : all;
}

static void directive(scan *s, const char *p, const char *end) {
    const char *name = p + 1 + strspn(p + 1, " \t");
    s->conditionals += strncmp(name, "if", 2) == 0;
    s->conditionals -= strncmp(name, "endif", 5) == 0;
    s->invalid |= s->conditionals < 0;
    s->last = ';'; /* a macro definition may end with any character */
    s->unfinished |= !*end && end[-1] == '\\';
}

static bool line_start(const char *code, const char *p) {
    size_t n = wb_trimmed(code, (size_t)(p - code), " \t");
    return n == 0 || code[n - 1] == '\n';
}

/* Takes the character or the whole that begins at p. Returns its end. */
static const char *take(scan *s, const char *code, const char *p) {
    bool word_before = p > code && (isalnum((unsigned char)p[-1]) || p[-1] == '_'), closed = true;
    bool comment = p[0] == '/' && (p[1] == '/' || p[1] == '*');
    const char *end = p + 1;
    if (*p == '#' && line_start(code, p)) {
        directive(s, p, end = p + wb_code_skip(p));
        return end;
    }
    if (comment)
        end = p + wb_code_skip(p);
    s->unfinished |= comment && p[1] == '*' && (end - p < 4 || memcmp(end - 2, "*/", 2) != 0);
    if (!comment && !isspace((unsigned char)*p))
        s->last = *p;
    if (*p == 'R' && p[1] == '"' && !word_before)
        end = raw_string(s, p);
    else if (*p == '"' || (*p == '\'' && !word_before)) /* 1'000 is a number */
        end = p + wb_code_literal(p, &closed);
    s->unfinished |= !closed && !*end;
    s->invalid |= !closed && *end; /* it can't continue in the next line */
    if (!comment && end == p + 1)
        bracket(s, *p);
    return end;
}

const char *wb_split_complete(const char *code, size_t len, int *depth) {
    scan s = {.last = ';'};
    WB_SCOPED char *text = wb_format("%.*s", (int)len, code);
    for (const char *p = text; p && *p && !s.invalid;)
        p = take(&s, text, p);
    *depth = s.depth;
    if (s.invalid)
        return "invalid";
    bool open = s.depth > 0 || s.conditionals > 0 || s.unfinished;
    return open || strchr(",=+-*/%&|^<.?:\\", s.last) ? "incomplete" : "complete";
}
