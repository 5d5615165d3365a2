/* ambiguous.c: see ambiguous.h. */
#include "runtime/compile/ambiguous.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of NAME in '"NAME" is ambiguous', or 0. */
static size_t ambiguous_name(const char *text) {
    size_t n = text && *text == '"' ? strcspn(text + 1, "\"") : 0;
    return n && strcmp(text + 1 + n, "\" is ambiguous") == 0 ? n : 0;
}

/* The byte of the cell that the caret under the quoted line points to, or `len`. */
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

/* Takes the byte in, in its place; false when it was there. */
static bool add(size_t **at, size_t *n, size_t byte) {
    size_t i = *n;
    for (size_t k = 0; k < *n; k++)
        if ((*at)[k] == byte)
            return false;
    size_t *more = realloc(*at, (*n + 1) * sizeof *more);
    if (!more)
        return false;
    for (; i > 0 && more[i - 1] > byte; i--)
        more[i] = more[i - 1];
    more[i] = byte;
    *at = more;
    ++*n;
    return true;
}

static char *write_own(const char *code, size_t len, const size_t *at, size_t n, size_t *own_len) {
    wb_buf b = {0};
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        wb_buf_append(&b, code + done, at[i] - done);
        wb_buf_puts(&b, "::");
        done = at[i];
    }
    wb_buf_append(&b, code + done, len - done);
    *own_len = b.len;
    return wb_buf_steal(&b);
}

char *wb_ambiguous_resolve(const wb_cellgen *gen, const wb_unit *unit,
                           const wb_compile_result *compiled, int number, const char *code,
                           size_t len, size_t **at, size_t *n, size_t *own_len) {
    bool more = false;
    for (size_t i = 0; i < compiled->n_diagnostics; i++) {
        const wb_diagnostic *d = &compiled->diagnostics[i];
        size_t name = d->severity == WB_DIAG_ERROR ? ambiguous_name(d->text) : 0;
        int cell = 0;
        if (!name || !d->file || sscanf(d->file, "cell [%d]", &cell) != 1 || cell != number)
            continue;
        size_t byte = caret_byte(d, code, len);
        if (byte < len && name <= len - byte && memcmp(code + byte, d->text + 1, name) == 0 &&
            wb_cellgen_has(gen, unit, code + byte, name))
            more |= add(at, n, byte);
    }
    return more ? write_own(code, len, *at, *n, own_len) : NULL;
}
