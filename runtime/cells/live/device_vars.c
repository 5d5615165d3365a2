/* device_vars.c: see device_vars.h. */
#include "runtime/cells/live/device_vars.h"
#include "runtime/base/words.h"

#include <ctype.h>

#include "runtime/cells/split/expand.h"

void wb_device_var_export(wb_buf *out, const wb_entity *e, const char *id) {
    wb_buf_printf(out, "extern \"C\" void *__wb_shadow_%s_%s() { return (void *)&::%s%s; }\n", id,
                  e->name, e->scope, e->name);
}

void wb_device_var_declare(wb_buf *out, const wb_entity *e, const char *id) {
    const char *name = e->name;
    bool direct = e->host_side || strstr(e->type, "const"); /* nvcc warns of no use on the host */
    wb_buf_printf(out, "extern \"C\" void *__wb_shadow_%s_%s();\n%s\n", id, name, e->open);
    if (!direct)
        wb_buf_printf(out,
                      "#ifndef __CUDA_ARCH__\n#pragma nv_diagnostic push\n"
                      "#pragma nv_diag_suppress 114, 20044\n"
                      "namespace { extern %s __wb_id<%s>::type %s "
                      "__attribute__((weakref(\"__wb_at_%s_%s\"))); }\n"
                      "#pragma nv_diagnostic pop\n#else\n",
                      strstr(e->signature, "__constant__") ? "__constant__" : "__device__", e->type,
                      name, id, name);
    wb_buf_printf(out,
                  "static __wb_id<%s>::type &%s = *(__wb_id<%s>::type *)__wb_shadow_%s_%s();\n%s",
                  e->type, name, e->type, id, name, direct ? "" : "#endif\n");
    wb_buf_printf(out, "static __device__ __wb_id<%s>::type *__wb_device_%s;\n", e->type, name);
    wb_buf_printf(out, "static void __wb_bind_%s() {\n    void *at = __wb_shadow_%s_%s();\n", name,
                  id, name);
    if (!e->host_side)
        wb_buf_puts(out, "    ::cudaGetSymbolAddress(&at, (const void *)at);\n");
    wb_buf_printf(out, "    ::cudaMemcpyToSymbol(__wb_device_%s, &at, sizeof at);\n}\n", name);
    wb_buf_printf(out, "static int __wb_bound_%s = (__wb_bind_%s(), 0);\n%s\n", name, name,
                  e->close);
}

/* Returns the length of the comment or literal at p, or 0. */
static size_t skip_at(const char *p, size_t left) {
    size_t n = *p == '#' ? 0 : wb_code_skip(p);
    return n < left ? n : left;
}

static bool is_operator_word(const char *word, size_t len) {
    return wb_word_among(word, len, "return else case sizeof do throw goto new delete");
}

/* "const T x" declares x and uses T. */
static bool is_qualifier(const char *word, size_t len) {
    static const char words[] =
        "const volatile static inline extern constexpr __device__ __global__ __host__ __shared__ "
        "__constant__ __restrict__ public private protected virtual __managed__";
    return wb_word_among(word, len, words);
}

/* Returns true if the text after a name in a function's head shows that it is declared there. */
static bool ends_parameter(const char *p) {
    p += strspn(p, " \t\n");
    return *p && strchr(",);=[{>:", *p);
}

bool wb_text_declares(const char *text, size_t len, const char *name, size_t name_len) {
    const char *brace = memchr(text, '{', len), *before = NULL;
    size_t before_len = 0;
    /* true while `before` begins a statement: "float *x;" declares x, "2 * x" does not */
    bool first = true;
    char last = '\n';
    for (size_t i = 0; i < len;) {
        size_t skip = skip_at(text + i, len - i);
        size_t n = skip ? 0 : wb_word_start(text[i]) ? wb_word_length(text + i) : 0;
        bool head = brace && text + i < brace && (before || strchr("*&", last)) &&
                    ends_parameter(text + i + n);
        if (n == name_len && memcmp(text + i, name, n) == 0 &&
            (head || (before && !is_operator_word(before, before_len))))
            return true;
        if (n && !is_qualifier(text + i, n)) {
            first &= !is_operator_word(text + i, n);
            before = text + i;
            before_len = n;
        } else if (!n && !skip && !isspace((unsigned char)text[i])) {
            bool pointer = text[i] == '*' || text[i] == '&';
            before = before && first && pointer ? before : NULL;
            first = pointer ? first : strchr("{};", text[i]) != NULL;
            last = text[i];
        }
        i += skip ? skip : n ? n : 1;
    }
    return false;
}

/* Finds a device variable. Earlier text does not see newer macros. */
static const wb_entity *find(const wb_live *live, const wb_split *own, bool macros,
                             const char *word, size_t len) {
    for (WB_ENTITIES(e, own)) {
        if (!wb_word_is(word, len, e->name))
            continue;
        if (e->kind != WB_ENTITY_UNDEF)
            return NULL;
        macros = false;
    }
    for (size_t i = live->n; i-- > 0;)
        if (wb_word_is(word, len, live->v[i].e.name) &&
            (macros || live->v[i].e.kind != WB_ENTITY_MACRO))
            return live->v[i].e.kind == WB_ENTITY_DEVICE_VARIABLE ? &live->v[i].e : NULL;
    return NULL;
}

void wb_text_rewrite(wb_buf *out, const char *text, size_t len, wb_text_word *with, void *ctx) {
    char last = '\n', before_last = '\n';
    for (size_t i = 0, n; i < len; i += n) {
        size_t skip = skip_at(text + i, len - i);
        bool word = !skip && wb_word_start(text[i]);
        bool member = last == '.' || (last == '>' && before_last == '-');
        n = skip ? skip : word ? wb_word_length(text + i) : 1;
        if (!word || member || !with(ctx, out, text + i, n, last))
            wb_buf_append(out, text + i, n);
        if (!isspace((unsigned char)text[i + n - 1])) {
            before_last = n > 1 ? text[i + n - 2] : last;
            last = text[i + n - 1];
        }
    }
}

/* The text around the code that is rewritten, and where its names are searched. */
typedef struct rewriting {
    const wb_live *live;
    const wb_split *own;
    bool macros;
    const char *text;
    size_t len;
} rewriting;

static bool replace(void *ctx, wb_buf *out, const char *word, size_t n, char before) {
    const rewriting *r = ctx;
    const wb_entity *e = find(r->live, r->own, r->macros, word, n);
    if (!e || wb_text_declares(r->text, r->len, word, n))
        return false;
    return wb_buf_printf(out, "(*%s__wb_device_%s)", before == ':' ? "" : e->scope, e->name);
}

/* Returns the end of the function whose mark, __device__, is at text[i], with its body. */
static size_t function_end(const char *text, size_t i, size_t len) {
    int depth = 0;
    while (i < len) {
        size_t skip = skip_at(text + i, len - i);
        char c = skip ? ' ' : text[i];
        depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
        i += skip ? skip : 1;
        if (depth < 0 || (depth == 0 && c == ';'))
            return i;
        size_t next = i;
        while (next < len && isspace((unsigned char)text[next]))
            next++;
        if (depth == 0 && c == '}' && (next == len || !strchr(",{", text[next])))
            return i; /* not a member initialiser */
    }
    return len;
}

void wb_device_vars_rewrite(wb_buf *out, const wb_live *live, const wb_split *own, bool earlier,
                            bool device, const char *text, size_t len) {
    rewriting r = {live, own, !earlier, text, len};
    size_t done = 0;
    for (size_t i = 0; i < len;) {
        size_t skip = device ? 0 : skip_at(text + i, len - i);
        size_t n = skip ? skip : wb_word_start(text[i]) ? wb_word_length(text + i) : 1;
        bool mark = device || (n == 10 && (memcmp(text + i, "__device__", n) == 0 ||
                                           memcmp(text + i, "__global__", n) == 0));
        if (mark) {
            wb_buf_append(out, text + done, i - done);
            done = device ? len : function_end(text, i, len);
            wb_text_rewrite(out, text + i, done - i, replace, &r);
        }
        i = mark ? done : i + n;
    }
    wb_buf_append(out, text + done, len - done);
}
