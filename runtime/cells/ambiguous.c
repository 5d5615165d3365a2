/* ambiguous.c: see ambiguous.h. */
#include "runtime/cells/ambiguous.h"

#include <ctype.h>

#include "runtime/cells/hint/hint.h"
#include "runtime/cells/split/split.h"

/* Returns the length of NAME in '"NAME" is ambiguous', or 0. */
static size_t ambiguous_name(const char *text) {
    size_t n = text && *text == '"' ? strcspn(text + 1, "\"") : 0;
    return n && strcmp(text + 1 + n, "\" is ambiguous") == 0 ? n : 0;
}

/* Returns the byte of the cell that the caret points to, or `len`. */
static size_t caret_byte(const wb_diagnostic *d, const char *code, size_t len) {
    const char *under = d->excerpt ? strchr(d->excerpt, '\n') : NULL;
    const char *caret = under ? strchr(under, '^') : NULL, *line = code;
    for (int i = 1; i < d->line && line; i++) {
        line = memchr(line, '\n', len - (size_t)(line - code));
        line = line ? line + 1 : NULL;
    }
    if (!caret || caret < under + 3 || !line)
        return len;
    return (size_t)(line - code) + (size_t)(caret - under - 3); /* both lines are indented by two */
}

/* Inserts the text at its byte. Returns false if that byte has one already. */
static bool add(wb_insertions *in, size_t byte, const char *text) {
    size_t i = in->n;
    for (size_t k = 0; k < in->n; k++)
        if (in->v[k].at == byte)
            return false;
    if (!WB_PUSH(in->v, in->n))
        return false;
    for (; i > 0 && in->v[i - 1].at > byte; i--)
        in->v[i] = in->v[i - 1];
    in->v[i].at = byte;
    in->v[i].text = text;
    return true;
}

static char *write_own(const char *code, size_t len, const wb_insertions *in, size_t *own_len) {
    wb_buf b = {0};
    size_t done = 0;
    for (size_t i = 0; i < in->n; i++) {
        wb_buf_append(&b, code + done, in->v[i].at - done);
        wb_buf_puts(&b, in->v[i].text);
        done = in->v[i].at;
    }
    wb_buf_append(&b, code + done, len - done);
    *own_len = b.len;
    return wb_buf_steal(&b);
}

/* Returns true if the text may have a lambda, which captures names at file scope only there
 * (split/declare/lambda.c). */
static bool has_lambda(const char *text, size_t len) {
    for (size_t i = 1; i < len; i++) {
        size_t before = text[i] == '[' ? wb_trimmed(text, i, WB_BLANK) : 0;
        if (before > 0 && strchr("=({,<", text[before - 1]))
            return true;
    }
    return false;
}

/* Puts aside the declaration of a variable that conflicts with a header's function. */
static bool put_aside(const wb_cellgen *gen, const char *code, size_t len, const char *name,
                      size_t n, wb_insertions *in) {
    size_t start, end;
    return wb_cellgen_variable(gen, code, len, name, n, &start, &end) &&
           !has_lambda(code + start, end - start) && add(in, start, "namespace " WB_ASIDE " { ") &&
           add(in, end, " }");
}

/* Returns true if an object of the type can't be called: a number, a stream, a container, or an
 * array or pointer of those. A call then means the header's function. */
static bool is_not_called(const wb_entity *e) {
    const char *type = e->type ? e->type : e->signature ? e->signature : "";
    for (size_t n; (n = wb_word_length(type)) > 0; type += n, type += strspn(type, " ")) {
        bool std = n == 3 && strncmp(type, "std::", 5) == 0;
        if (std) {
            type += 5, type += strncmp(type, "__cxx11::", 9) == 0 ? 9 : 0;
            n = wb_word_length(type);
            n -= n > 6 && strncmp(type, "basic_", 6) == 0 ? (type += 6, 6) : 0;
        }
        if (wb_word_among(type, n,
                          std ? "string ofstream ifstream fstream stringstream ostringstream "
                                "istringstream vector array map set list deque pair"
                              : "int long short unsigned signed char bool float double size_t"))
            return !strchr(type, '(');
        if (std || !wb_word_among(type, n, "const static"))
            break;
    }
    return false;
}

/* Returns the prefix for the ambiguous name of `n` bytes at `name`. */
static const char *qualifier(const wb_entity *e, const char *name, size_t n, const char *end) {
    const char *after = name + n;
    while (after < end && isspace((unsigned char)*after))
        after++;
    bool called = after < end && *after == '(';
    return *e->scope && !(called && is_not_called(e)) ? WB_ASIDE "::" : "::";
}

static bool is_own_error(const wb_diagnostic *d, int number) {
    int cell = 0;
    return d->severity == WB_DIAG_ERROR && d->file && d->text &&
           sscanf(d->file, "cell [%d]", &cell) == 1 && cell == number;
}

char *wb_ambiguous_resolve(const wb_cellgen *gen, const wb_unit *unit,
                           const wb_compile_result *compiled, int number, const char *code,
                           size_t len, wb_insertions *in, size_t *own_len) {
    bool more = false;
    for (size_t i = 0; i < compiled->n_diagnostics; i++) {
        const wb_diagnostic *d = &compiled->diagnostics[i];
        const char *name = NULL;
        size_t n = is_own_error(d, number) ? wb_hint_library_name(d->text, &name) : 0;
        if (n)
            more |= put_aside(gen, code, len, name, n, in);
    }
    /* Resolve other names only when all variables are put aside. */
    bool aside = more;
    for (size_t i = 0; !aside && i < compiled->n_diagnostics; i++) {
        const wb_diagnostic *d = &compiled->diagnostics[i];
        size_t n = is_own_error(d, number) ? ambiguous_name(d->text) : 0;
        size_t byte = n ? caret_byte(d, code, len) : len;
        if (byte >= len || n > len - byte || memcmp(code + byte, d->text + 1, n) != 0)
            continue;
        const wb_entity *meant = wb_cellgen_has(gen, unit, code + byte, n);
        if (meant && add(in, byte, qualifier(meant, code + byte, n, code + len)))
            more = true;
    }
    return more ? write_own(code, len, in, own_len) : NULL;
}

/* Finds NAME in gcc's "reference to \xe2\x80\x98NAME\xe2\x80\x99 is ambiguous". Returns its
 * length. */
static size_t referred_name(const char *text, const char **name) {
    static const char head[] = "reference to ", tail[] = " is ambiguous";
    if (!text || strncmp(text, head, sizeof head - 1) != 0 || !strstr(text, tail))
        return 0;
    *name = text + sizeof head - 1;
    while (**name && !isalpha((unsigned char)**name) && **name != '_')
        ++*name; /* a quotation mark of three bytes */
    size_t n = 0;
    while (isalnum((unsigned char)(*name)[n]) || (*name)[n] == '_')
        n++;
    return n;
}

bool wb_ambiguous_in_header(const wb_compile_result *compiled) {
    for (size_t i = 0; i < compiled->n_diagnostics; i++) {
        const wb_diagnostic *d = &compiled->diagnostics[i];
        const char *name = NULL;
        if (d->severity == WB_DIAG_ERROR && d->file && strncmp(d->file, "cell [", 6) != 0 &&
            referred_name(d->text, &name))
            return true;
    }
    return false;
}
