/* alone.c: see alone.h. */
#include "runtime/model/alone.h"

typedef struct scanner {
    const char *at, *end;
    const char *word; /* the last token: a word or one character */
    size_t len;
} scanner;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static const char *find(const char *from, const char *end, const char *what) {
    const char *found = memmem(from, (size_t)(end - from), what, strlen(what));
    return found ? found + strlen(what) : end;
}

/* Skips a string, which ends at its quote or at the end of the line. */
static const char *after_string(const char *p, const char *end) {
    for (p++; p < end && *p != '"' && *p != '\n'; p++)
        p += *p == '\\' && p + 1 < end;
    return p < end ? p + 1 : end;
}

/* Reads the next token. Skips comments and strings. Returns false at the end. */
static bool next(scanner *s) {
    const char *p = s->at, *end = s->end;
    for (;;) {
        if (p >= end)
            return false;
        if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
            p++;
        else if (*p == '/' && p + 1 < end && p[1] == '/')
            p = find(p, end, "\n");
        else if (*p == '/' && p + 1 < end && p[1] == '*')
            p = find(p + 2, end, "*/");
        else if (*p == '"')
            p = after_string(p, end);
        else
            break;
    }
    s->word = p++;
    if (is_word(*s->word))
        while (p < end && is_word(*p))
            p++;
    s->len = (size_t)(p - s->word);
    s->at = p;
    return true;
}

static bool is(const scanner *s, const char *text) {
    return s->len == strlen(text) && memcmp(s->word, text, s->len) == 0;
}

/* Moves behind the brace that closes the one just read. */
static bool pass_braces(scanner *s) {
    for (int depth = 1; depth > 0;) {
        if (!next(s))
            return false;
        depth += is(s, "{") - is(s, "}");
    }
    return true;
}

/* Moves behind the kernel whose name was just read: its parameters, its directives, and its body or
 * the semicolon of a declaration. */
static bool pass_kernel(scanner *s) {
    while (next(s)) {
        if (is(s, "{"))
            return pass_braces(s);
        if (is(s, ";"))
            return true;
        if (is(s, ".pragma")) /* the only directive that ends with a semicolon */
            while (next(s) && !is(s, ";"))
                ;
    }
    return false;
}

bool model_alone(const char *ptx, size_t len, const char *kernel, wb_buf *out) {
    scanner s = {.at = ptx, .end = ptx + len};
    const char *kept = ptx;   /* everything before it is copied or left out */
    const char *start = NULL; /* the first of .visible, .weak, ... just read */
    bool found = false;
    while (next(&s)) {
        if (is(&s, ".visible") || is(&s, ".weak") || is(&s, ".extern") || is(&s, ".common")) {
            start = start ? start : s.word;
        } else if (is(&s, ".entry")) {
            const char *from = start ? start : s.word;
            start = NULL;
            if (!next(&s))
                return false;
            bool wanted = is(&s, kernel);
            if (!pass_kernel(&s))
                return false;
            found = found || wanted;
            if (!wanted) {
                wb_buf_append(out, kept, (size_t)(from - kept));
                kept = s.at;
            }
        } else {
            start = NULL;
            if (is(&s, "{") && !pass_braces(&s))
                return false;
        }
    }
    wb_buf_append(out, kept, (size_t)(ptx + len - kept));
    return found && !out->failed;
}
