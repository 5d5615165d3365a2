/* specifiers.c: see specifiers.h. */
#include "runtime/cells/headers/specifiers.h"

#include <ctype.h>

#include "runtime/cells/headers/directives.h"
#include "runtime/cells/split/expand.h"
#include "runtime/base/words.h"

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

static const char *find_here(void *ctx, const char *name, size_t len) {
    const finder *f = ctx;
    return f->find(f->ctx, name, len, f->at);
}

/* Appends the specifiers that the macro expands to. Returns false if it has anything else. */
static bool add_macro(finder *f, const char *name, size_t len, wb_buf *out) {
    WB_SCOPED char *text =
        find_here(f, name, len) ? wb_macro_expand(name, len, find_here, f) : NULL;
    for (const char *p = text, *end; p && *(p += strspn(p, " \t\r\n\\")); p = end) {
        size_t n = name_length(p);
        const char *open = p + n + strspn(p + n, " \t");
        const char *close = takes_argument(p, n) && *open == '(' ? wb_code_closing(open) : NULL;
        if (!close && !is_specifier(p, n))
            return false;
        end = close ? close + 1 : p + n;
        wb_buf_printf(out, "%s%.*s", out->len ? " " : "", (int)(end - p), p);
    }
    return text != NULL;
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
            add_macro(&f, p, n, &words)) {
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
