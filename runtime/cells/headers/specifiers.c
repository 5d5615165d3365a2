/* specifiers.c: see specifiers.h. */
#include "runtime/cells/headers/specifiers.h"

#include <ctype.h>

#include "runtime/cells/headers/directives.h"
#include "runtime/cells/split/expand.h"
#include "runtime/base/words.h"

enum { MAX_DEPTH = 8 };

typedef struct finder {
    wb_specifiers_find find;
    void *ctx;
    size_t at;
} finder;

/* Returns the length of the name at p, or 0. */
static size_t name_length(const char *p) {
    return wb_word_start(*p) ? wb_word_length(p) : 0;
}

static bool is_specifier(const char *word, size_t len) {
    return wb_word_among(word, len,
                         "__host__ __device__ __global__ __constant__ __managed__ __forceinline__ "
                         "__noinline__ __inline__ __inline __restrict__ inline static extern const "
                         "constexpr volatile virtual explicit thread_local friend void");
}

/* Returns true for a specifier with an argument, such as __launch_bounds__(256). */
static bool takes_argument(const char *word, size_t len) {
    return wb_word_among(word, len, "__launch_bounds__ __attribute__ __align__ alignas");
}

static bool add_macro(const finder *f, const char *name, size_t len, int depth, wb_buf *out);

/* Appends the specifier at *p and advances *p. Returns false if it is none. */
static bool add_word(const finder *f, const char **p, const char *end, int depth, wb_buf *out) {
    size_t n = name_length(*p);
    if (n == 0 || *p + n > end)
        return false;
    const char *word = *p, *open = word + n + strspn(word + n, " \t");
    *p += n;
    if (takes_argument(word, n)) {
        const char *close = open < end && *open == '(' ? wb_code_closing(open) : NULL;
        if (!close || close >= end)
            return false;
        wb_buf_printf(out, "%s%.*s", out->len ? " " : "", (int)(close + 1 - word), word);
        *p = close + 1;
        return true;
    }
    if (!is_specifier(word, n))
        return add_macro(f, word, n, depth, out);
    wb_buf_printf(out, "%s%.*s", out->len ? " " : "", (int)n, word);
    return true;
}

/* Appends the specifiers in the macro. Returns false if it has anything else. */
static bool add_macro(const finder *f, const char *name, size_t len, int depth, wb_buf *out) {
    const char *define = depth < MAX_DEPTH ? f->find(f->ctx, name, len, f->at) : NULL;
    const char *p = define ? strstr(define, "define") : NULL;
    if (!p)
        return false;
    p += strlen("define");
    p += strspn(p, " \t");
    p += name_length(p);
    if (*p == '(')
        return false;
    const char *end = define + wb_code_skip(define);
    while (p < end) {
        size_t skip = *p == '/' ? wb_code_skip(p) : 0;
        if (skip || isspace((unsigned char)*p) || *p == '\\')
            p += skip ? skip : 1;
        else if (!add_word(f, &p, end, depth + 1, out))
            return false;
    }
    return true;
}

char *wb_specifiers_expand(const char *text, size_t len, wb_specifiers_find find, void *ctx,
                           size_t *out_len) {
    wb_buf out = {0};
    const char *end = text + len, *from = text;
    for (const char *p = text; p < end;) {
        size_t skip = *p == '"' || *p == '\''
                          ? wb_literal_end(text, len, (size_t)(p - text)) - (size_t)(p - text)
                          : wb_code_skip(p);
        size_t n = skip ? 0 : name_length(p);
        const char *next = p + n;
        while (n && next < end && isspace((unsigned char)*next))
            next++;
        finder f = {find, ctx, (size_t)(p - text)};
        WB_SCOPED_BUF wb_buf words = {0};
        if (n && next < end && (wb_word_start(*next) || *next == '~' || *next == '[') &&
            add_macro(&f, p, n, 0, &words)) {
            wb_buf_append(&out, from, (size_t)(p - from));
            wb_buf_append(&out, words.data, words.len);
            from = p + n;
        }
        out.failed |= words.failed;
        p += skip ? skip : n ? n : 1;
        while (n == 0 && !skip && p < end && isdigit((unsigned char)p[-1]) && name_length(p))
            p += name_length(p); /* 1u, 0x1F */
    }
    wb_buf_append(&out, from, (size_t)(end - from));
    *out_len = out.len;
    return wb_buf_steal(&out);
}
