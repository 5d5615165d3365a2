/* headers.c: see headers.h. */
#include "runtime/compile/direct/prelude/headers.h"

#include "runtime/compile/direct/prelude/header_index.h"
#include "runtime/compile/direct/parts/tokens.h"

enum { MOST_OPEN = 64 };

typedef struct choice {
    const wb_header_index *index;
    bool *named, *chosen; /* words, parts */
    uint32_t *todo, n;    /* words whose declarations are not chosen yet */
} choice;

static void name(choice *c, uint32_t word) {
    if (c->named[word])
        return;
    c->named[word] = true;
    c->todo[c->n++] = word;
}

static void name_text(choice *c, const char *at, size_t len) {
    uint32_t word = wb_header_index_find(c->index, at, len);
    if (word < c->index->size->words)
        name(c, word);
}

static void choose(choice *c, uint32_t part) {
    const wb_header_index *x = c->index;
    if (c->chosen[part])
        return;
    c->chosen[part] = true;
    for (uint32_t i = x->uses_from[part]; i < x->uses_from[part + 1]; i++)
        name(c, x->uses[i]);
}

/* Names what auto [a, b] = pair; looks up implicitly. */
static void name_binding(choice *c, const wb_tokens *tokens, size_t i) {
    if (!wb_token_is(&tokens->v[i], "auto"))
        return;
    do
        i++;
    while (i < tokens->n && wb_token_sign(&tokens->v[i], '&'));
    static const char *const names[] = {"tuple_size", "tuple_element", "get"};
    for (size_t k = 0; k < WB_COUNT(names) && i < tokens->n && wb_token_sign(&tokens->v[i], '[');
         k++)
        name_text(c, names[k], strlen(names[k]));
}

static void choose_all(choice *c, const wb_tokens *unit) {
    const wb_header_index *x = c->index;
    for (uint32_t i = 0; i < x->size->parts; i++)
        if (x->parts[i].kind == WB_HEADER_ALWAYS)
            choose(c, i);
    for (size_t i = 0; i < unit->n; i++)
        if (unit->v[i].kind == WB_TOKEN_WORD) {
            name_text(c, unit->v[i].at, unit->v[i].len);
            name_binding(c, unit, i);
        }
    while (c->n > 0) {
        uint32_t word = c->todo[--c->n];
        for (uint32_t i = x->names_from[word]; i < x->names_from[word + 1]; i++)
            choose(c, x->names[i]);
    }
}

static void put(const wb_header_index *x, const wb_header_part *p, wb_buf *out) {
    const char *text = x->text.data, *file = text + p->file, *at = text + p->from;
    if (p->file) {
        const char *flags = strchr(file + 1, '"') + 1;
        bool system = memchr(flags, '3', strcspn(flags, "\n")) != NULL;
        wb_buf_printf(out, "\n# %u %.*s%s\n", (unsigned)p->line, (int)(flags - file), file,
                      system ? " 3" : "");
    }
    wb_buf_append(out, at, p->len);
    wb_buf_putc(out, '\n');
}

/* Writes the chosen parts inside their namespaces. */
static bool put_all(const choice *c, wb_buf *out) {
    const wb_header_index *x = c->index;
    uint32_t open[MOST_OPEN], n = 0, written = 0;
    for (uint32_t i = 0; i < x->size->parts; i++) {
        const wb_header_part *p = &x->parts[i];
        if (p->kind == WB_HEADER_OPEN) {
            if (n == MOST_OPEN)
                return false;
            open[n++] = i;
        }
        if (c->chosen[i]) {
            for (; written < n; written++)
                put(x, &x->parts[open[written]], out);
            if (p->kind != WB_HEADER_OPEN)
                put(x, p, out);
        }
        if (p->kind == WB_HEADER_CLOSE && n > 0 && written == n--) {
            wb_buf_puts(out, "}\n");
            written = n;
        }
    }
    return !out->failed;
}

bool wb_headers_choose(const char *folder, const wb_buf *unit, wb_buf *out) {
    wb_header_index index;
    wb_tokens tokens = {NULL, 0};
    bool ok = false;
    choice c = {.index = &index};
    if (wb_header_index_open(folder, &index) && wb_tokens_read(unit->data, unit->len, &tokens)) {
        c.named = calloc(index.size->words + 1, sizeof *c.named);
        c.chosen = calloc(index.size->parts + 1, sizeof *c.chosen);
        c.todo = calloc(index.size->words + 1, sizeof *c.todo);
        ok = c.named && c.chosen && c.todo;
    }
    if (ok) {
        choose_all(&c, &tokens);
        ok = put_all(&c, out);
    }
    WB_FREE(c.named, c.chosen, c.todo);
    wb_tokens_free(&tokens);
    wb_header_index_close(&index);
    return ok;
}
