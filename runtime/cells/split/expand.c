/* expand.c: see expand.h. */
#include "runtime/cells/split/expand.h"
#include "runtime/base/words.h"

#include <ctype.h>

enum { MAX_ARGUMENTS = 32, MAX_DEPTH = 32, MAX_TEXT = 1 << 20 };

/* A macro being expanded. Its own name inside stays unchanged. */
typedef struct active {
    wb_span name;
    const struct active *outer;
    int depth;
} active;

typedef struct expansion {
    wb_macro_find find;
    void *ctx;
} expansion;

size_t wb_code_literal(const char *p, bool *closed) {
    size_t n = 1;
    while (p[n] && p[n] != *p && p[n] != '\n')
        n += p[n] == '\\' && p[n + 1] ? 2 : 1;
    *closed = p[n] == *p;
    return n + *closed;
}

size_t wb_code_skip(const char *p) {
    bool closed;
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
    return *p == '"' || *p == '\'' ? wb_code_literal(p, &closed) : 0;
}

const char *wb_code_closing(const char *p) {
    int depth = 0;
    while (*p) {
        size_t skip = wb_code_skip(p);
        depth += skip ? 0 : (*p == '(') - (*p == ')');
        if (!skip && depth == 0)
            return p;
        p += skip ? skip : 1;
    }
    return NULL;
}

static bool same(wb_span a, wb_span b) {
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static wb_span trimmed(const char *start, const char *end) {
    while (start < end && isspace((unsigned char)*start))
        start++;
    return (wb_span){start, wb_trimmed(start, (size_t)(end - start), WB_BLANK)};
}

/* Returns the directive after the macro's name: "(a, b) body" or " body". */
static const char *after_name(const char *define) {
    const char *p = strstr(define, "define");
    p = p ? p + strlen("define") : "";
    p += strspn(p, " \t");
    return p + wb_word_length(p);
}

bool wb_macro_takes_arguments(const char *define) {
    return *after_name(define) == '(';
}

bool wb_macro_pastes(const char *define) {
    const char *body = after_name(define), *end = define + wb_code_skip(define);
    return body < end && memmem(body, (size_t)(end - body), "##", 2);
}

/* Splits the list between the parentheses at p. Returns the number of parts, or -1. */
static int split_list(const char *p, const char *close, wb_span parts[MAX_ARGUMENTS]) {
    int n = 0, depth = 0;
    const char *start = p + 1;
    for (p = start; p < close;) {
        size_t skip = wb_code_skip(p);
        depth += skip ? 0 : (*p == '(') - (*p == ')');
        if (!skip && depth == 0 && *p == ',') {
            if (n + 1 >= MAX_ARGUMENTS)
                return -1;
            parts[n++] = trimmed(start, p);
            start = p + 1;
        }
        p += skip ? skip : 1;
    }
    parts[n++] = trimmed(start, close);
    return n == 1 && parts[0].len == 0 ? 0 : n;
}

static bool variadic(wb_span parameter) {
    return parameter.len == 3 && memcmp(parameter.at, "...", 3) == 0;
}

/* Returns the index of the parameter, or -1. */
static int parameter_of(wb_span word, const wb_span *parameters, int n) {
    static const wb_span rest = {"__VA_ARGS__", 11};
    for (int i = 0; i < n; i++)
        if (same(word, variadic(parameters[i]) ? rest : parameters[i]))
            return i;
    return -1;
}

static void expand(const expansion *x, wb_span text, const active *around, wb_buf *out);

static void put_string(wb_buf *out, wb_span text) {
    wb_buf_putc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '"' || text.at[i] == '\\')
            wb_buf_putc(out, '\\');
        wb_buf_putc(out, text.at[i]);
    }
    wb_buf_putc(out, '"');
}

static void drop_blanks(wb_buf *out) {
    while (out->len && isspace((unsigned char)out->data[out->len - 1]))
        out->data[--out->len] = '\0';
}

/* Appends the body with its parameters replaced, and # and ## done. */
static void substitute(const expansion *x, wb_span body, const wb_span *parameters,
                       const wb_span *values, int n, const active *around, wb_buf *out) {
    const char *end = body.at + body.len;
    bool pasting = false;
    for (const char *p = body.at; p < end;) {
        if (p + 1 < end && p[0] == '#' && p[1] == '#') {
            drop_blanks(out);
            p += 2;
            p += strspn(p, " \t");
            pasting = true;
            continue;
        }
        bool hash = n > 0 && *p == '#';
        const char *word = hash ? p + 1 + strspn(p + 1, " \t") : p;
        size_t len = word < end && wb_word_start(*word) ? wb_word_length(word) : 0;
        int i = len ? parameter_of((wb_span){word, len}, parameters, n) : -1;
        size_t skip = hash ? 0 : wb_code_skip(p);
        const char *next = word + len + strspn(word + len, " \t");
        if (i >= 0 && hash)
            put_string(out, values[i]);
        else if (i >= 0 && (pasting || (next + 1 < end && next[0] == '#' && next[1] == '#')))
            wb_buf_append(out, values[i].at, values[i].len);
        else if (i >= 0)
            expand(x, values[i], around, out);
        else if (len && !hash)
            wb_buf_append(out, word, len);
        else if (skip && p[0] == '/')
            wb_buf_putc(out, ' '); /* a comment becomes a blank */
        else
            wb_buf_append(out, p, skip ? skip : 1);
        p = i >= 0 || (len && !hash) ? word + len : p + (skip ? skip : 1);
        pasting = false;
    }
}

/* Returns the body as one line. */
static char *body_of(const char *p) {
    wb_buf b = {0};
    for (; *p; p++) {
        bool joined = *p == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'));
        if (joined)
            p += p[1] == '\n' ? 1 : 2;
        wb_buf_putc(&b, joined || *p == '\n' ? ' ' : *p);
    }
    wb_buf_puts(&b, "");
    return wb_buf_steal(&b);
}

/* Expands the macro `word` before the text [p, end). Returns how much of the text it used, or 0 if
 * this is no use of the macro. */
static size_t use(const expansion *x, wb_span word, const char *define, const char *p,
                  const char *end, const active *around, wb_buf *out) {
    const char *head = after_name(define), *close = NULL;
    wb_span parameters[MAX_ARGUMENTS], values[MAX_ARGUMENTS];
    int n = 0, given = 0;
    const char *open = p + strspn(p, " \t\r\n");
    if (*head == '(') {
        const char *last = strchr(head, ')');
        close = open < end && *open == '(' ? wb_code_closing(open) : NULL;
        if (!last || !close || close >= end)
            return 0;
        n = split_list(head, last, parameters);
        given = split_list(open, close, values);
        head = last + 1;
        if (n > 0 && given >= n && variadic(parameters[n - 1])) {
            values[n - 1].len =
                (size_t)(trimmed(open, close).at + trimmed(open, close).len - values[n - 1].at);
            given = n;
        } else if (n > 0 && given == n - 1 && variadic(parameters[n - 1])) {
            values[given++] = (wb_span){"", 0};
        } else if (n == 1 && given == 0) {
            values[given++] = (wb_span){"", 0};
        }
        if (n < 0 || given != n)
            return 0;
    }
    active self = {word, around, around ? around->depth + 1 : 0};
    WB_SCOPED char *body = body_of(head);
    WB_SCOPED_BUF wb_buf b = {0};
    if (body)
        substitute(x, trimmed(body, body + strlen(body)), parameters, values, n, around, &b);
    if (b.data)
        expand(x, (wb_span){b.data, b.len}, &self, out);
    out->failed |= !body || b.failed;
    return close ? (size_t)(close + 1 - p) : 0;
}

static bool is_active(const active *around, wb_span word) {
    for (; around; around = around->outer)
        if (same(around->name, word) || around->depth >= MAX_DEPTH)
            return true;
    return false;
}

static void expand(const expansion *x, wb_span text, const active *around, wb_buf *out) {
    const char *end = text.at + text.len;
    for (const char *p = text.at; p < end && out->len < MAX_TEXT;) {
        size_t skip = wb_code_skip(p), len = skip ? 0 : wb_word_length(p);
        wb_span word = {p, len};
        if (!len || !wb_word_start(*p)) {
            size_t n = skip ? skip : len ? len : 1;
            n = n < (size_t)(end - p) ? n : (size_t)(end - p);
            wb_buf_append(out, p, n);
            p += n;
            continue;
        }
        const char *found = is_active(around, word) ? NULL : x->find(x->ctx, p, len);
        WB_SCOPED char *define = found ? strndup(found, wb_code_skip(found)) : NULL;
        size_t before = out->len,
               took = define ? use(x, word, define, p + len, end, around, out) : 0;
        bool used = took > 0 || (define && !wb_macro_takes_arguments(define));
        if (!used) {
            out->len = before;
            wb_buf_append(out, p, len);
        }
        p += len + took;
    }
}

char *wb_macro_expand(const char *text, size_t len, wb_macro_find find, void *ctx) {
    wb_buf out = {0};
    expand(&(expansion){find, ctx}, (wb_span){text, len}, NULL, &out);
    wb_buf_puts(&out, "");
    return wb_buf_steal(&out);
}
