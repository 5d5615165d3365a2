/* header_index.c: see header_index.h. */
#include "runtime/compile/direct/prelude/header_index.h"

#include "runtime/base/words.h"
#include "runtime/compile/direct/parts/parts.h"

typedef struct pair {
    uint32_t of, is;
} pair;

typedef struct scope {
    size_t parent, name; /* a scope's and a word's index; SIZE_MAX: extern "C", which is no scope */
} scope;

typedef struct maker {
    const char *text;
    wb_parts parts;
    wb_header_part *out;
    size_t n_out;
    pair *names, *uses; /* word and part; part and word */
    size_t n_names, n_uses;
    uint32_t *words; /* from and len */
    size_t n_words;
    scope *scopes;
    size_t n_scopes;
    size_t *open; /* the open scopes */
    size_t n_open;
    const wb_part *pragma; /* of the next declaration, or NULL */
    bool failed;
} maker;

static void add_pair(maker *m, pair **list, size_t *n, uint32_t of, uint32_t is) {
    m->failed |= !WB_ADD(*list, *n, (pair){of, is});
}

/* ---- words ----------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b) {
    const wb_token *x = *(wb_token *const *)a, *y = *(wb_token *const *)b;
    int order = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Numbers the words in sorted order, and stores the number as each token's `match`. */
static void number_words(maker *m) {
    wb_word_set set = {.v = NULL};
    WB_SCOPED wb_token **first = calloc(m->parts.tokens.n + 1, sizeof *first);
    size_t n = 0;
    for (size_t i = 0; first && i < m->parts.tokens.n; i++)
        if (m->parts.tokens.v[i].kind == WB_TOKEN_WORD &&
            wb_word_set_add(&set, &m->parts.tokens.v[i]))
            first[n++] = &m->parts.tokens.v[i];
    if (first)
        qsort(first, n, sizeof *first, by_text);
    m->words = calloc(2 * n + 1, sizeof *m->words);
    m->failed |= set.failed || !first || !m->words;
    for (size_t i = 0; i < n && !m->failed; i++) {
        first[i]->match = i;
        m->words[2 * i] = (uint32_t)(first[i]->at - m->text);
        m->words[2 * i + 1] = (uint32_t)first[i]->len;
    }
    m->n_words = n;
    for (size_t i = 0; i < m->parts.tokens.n && !m->failed; i++)
        if (m->parts.tokens.v[i].kind == WB_TOKEN_WORD)
            m->parts.tokens.v[i].match = wb_word_set_get(&set, &m->parts.tokens.v[i])->match;
    wb_word_set_free(&set);
}

/* ---- the names that a part declares ---------------------------------------------------------- */

static void add_name(maker *m, size_t token) {
    if (!wb_parts_takes_parentheses(&m->parts.tokens.v[token]))
        add_pair(m, &m->names, &m->n_names, (uint32_t)m->parts.tokens.v[token].match,
                 (uint32_t)m->n_out - 1);
}

/* Returns true for a word that is no name before a bracket or a comma. */
static bool is_keyword(const wb_token *t) {
    return wb_word_among(t->at, t->len,
                         "void bool char short int long float double auto unsigned signed struct "
                         "class union enum const constexpr static extern inline namespace noexcept "
                         "operator static_assert template typename");
}

/* Returns the token before the template arguments that end at i, or i if none do. */
static size_t before_arguments(const wb_token *t, size_t i, size_t first) {
    int depth = 0;
    for (size_t k = i; k > first; k--) {
        depth += wb_token_sign(&t[k], '>') ? 1 : wb_token_sign(&t[k], '<') ? -1 : 0;
        if (depth == 0)
            return k < i ? k - 1 : i;
    }
    return i;
}

/* Adds the name in int (*name)(int), or the names in { A, B = 2 }. */
static void add_inner(maker *m, size_t open, bool is_enum) {
    const wb_token *t = m->parts.tokens.v;
    for (size_t i = open + 1; i < t[open].match; i++) {
        bool ends = t[i + 1].kind == WB_TOKEN_SIGN && strchr(")[(", *t[i + 1].at);
        bool begins = wb_token_sign(&t[i - 1], ',') || i == open + 1;
        if (t[i].kind == WB_TOKEN_WORD && (is_enum ? begins : ends))
            add_name(m, i);
        if (is_enum && wb_token_sign(&t[i], '('))
            i = t[i].match;
    }
}

static bool is_parameter(const maker *m, const wb_part *p, const wb_token *word) {
    for (size_t i = p->first; i < p->header; i++)
        if (m->parts.tokens.v[i].match == word->match && m->parts.tokens.v[i].kind == WB_TOKEN_WORD)
            return true;
    return false;
}

/* Returns true if a word among parameters is a type's name, not a parameter's or a namespace's. */
static bool is_type(const wb_token *t, size_t i) {
    bool first = t[i - 1].kind == WB_TOKEN_SCOPE || wb_token_is(&t[i - 1], "const") ||
                 (t[i - 1].kind == WB_TOKEN_SIGN && strchr("(,<", *t[i - 1].at));
    bool last = t[i + 1].kind == WB_TOKEN_SIGN && strchr(",)=[", *t[i + 1].at);
    return t[i].kind == WB_TOKEN_WORD && !is_keyword(&t[i]) && t[i + 1].kind != WB_TOKEN_SCOPE &&
           (first || !last);
}

/* Adds the names under which an operator is found: the types of its operands, the words new and
 * delete, or for a member's definition its class. */
static void add_operator(maker *m, const wb_part *p, size_t i) {
    const wb_token *t = m->parts.tokens.v;
    if (i > p->header + 1 && t[i - 1].kind == WB_TOKEN_SCOPE) {
        add_name(m, before_arguments(t, i - 2, p->header));
    } else if (wb_token_is(&t[i + 1], "new") || wb_token_is(&t[i + 1], "delete")) {
        add_name(m, i + 1);
    } else {
        for (size_t k = p->open; k > 0 && k < t[p->open].match; k++)
            if (is_type(t, k) && !is_parameter(m, p, &t[k]))
                add_name(m, k);
    }
}

/* Skips attributes, and the template arguments of a name. */
static size_t behind_name(const maker *m, size_t i, size_t end) {
    const wb_token *t = m->parts.tokens.v;
    size_t arguments = wb_token_sign(&t[i], '<') ? wb_parts_arguments(&m->parts.tokens, i, end) : 0;
    i = arguments ? arguments : i;
    while (i + 1 < end) {
        if (wb_parts_takes_parentheses(&t[i]) && wb_token_sign(&t[i + 1], '('))
            i = t[i + 1].match + 1;
        else if (wb_token_sign(&t[i], '[') && wb_token_sign(&t[i + 1], '['))
            i = t[i].match + 1;
        else if (wb_token_is(&t[i], "final"))
            i++;
        else
            break;
    }
    return i;
}

/* Adds the names outside brackets and initial values that precede one of = ; [ , ( { and : */
static void add_names(maker *m, const wb_part *p) {
    const wb_token *t = m->parts.tokens.v;
    bool call = false, value = false, colon = false, type = false, is_enum = false;
    size_t first = p->header + wb_token_is(&t[p->header], "__extension__");
    bool alias = wb_token_is(&t[first], "using"), is_typedef = wb_token_is(&t[first], "typedef");
    for (size_t i = first; i < p->end; i++) {
        bool word = t[i].kind == WB_TOKEN_WORD, outside = !call && !value && !colon;
        if (word && wb_parts_takes_parentheses(&t[i]) && wb_token_sign(&t[i + 1], '(')) {
            i = t[i + 1].match;
        } else if (word && outside && wb_token_is(&t[i], "operator")) {
            add_operator(m, p, i);
            return;
        } else if (word && outside) {
            size_t next = behind_name(m, i + 1, p->end);
            bool tag = wb_word_among(t[i].at, t[i].len, "struct class union enum");
            type |= tag;
            is_enum |= wb_token_is(&t[i], "enum");
            if (!is_keyword(&t[i]) && next < p->end && t[next].kind == WB_TOKEN_SIGN &&
                strchr("=;[,({:", *t[next].at))
                add_name(m, i);
            if (is_typedef && tag && t[i + 1].kind == WB_TOKEN_WORD)
                add_name(m, i + 1);
            if (wb_token_sign(&t[i + 1], '<') && next > i + 1)
                i = next - 1;
        } else if (wb_token_sign(&t[i], '=')) {
            value = true;
        } else if (wb_token_sign(&t[i], ',')) {
            if (!call && !alias && !(type && colon))
                value = colon = false;
        } else if (wb_token_sign(&t[i], ':')) {
            colon = true;
        } else if (wb_token_sign(&t[i], '[')) {
            i = t[i].match;
        } else if (wb_token_sign(&t[i], '(')) {
            if (outside && t[i + 1].kind == WB_TOKEN_SIGN && strchr("*&(", *t[i + 1].at))
                add_inner(m, i, false);
            call |= outside;
            i = t[i].match;
        } else if (wb_token_sign(&t[i], '{')) {
            if (is_enum && !call)
                add_inner(m, i, true);
            i = t[i].match;
            colon = false;
        }
    }
}

/* Adds all words before the body as possible names. */
static void add_all(maker *m, const wb_part *p) {
    const wb_token *t = m->parts.tokens.v;
    for (size_t i = p->first; i < p->end && !wb_token_sign(&t[i], '{'); i++)
        if (t[i].kind == WB_TOKEN_WORD && !is_keyword(&t[i]) && t[i + 1].kind != WB_TOKEN_SCOPE)
            add_name(m, i);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void add_uses(maker *m, const wb_part *p) {
    for (size_t i = p->first; i < p->end; i++)
        if (m->parts.tokens.v[i].kind == WB_TOKEN_WORD)
            add_pair(m, &m->uses, &m->n_uses, (uint32_t)m->n_out - 1,
                     (uint32_t)m->parts.tokens.v[i].match);
}

/* Opens a scope. A namespace is declared where it first opens, since it may stay empty. */
static void open_scope(maker *m, const wb_part *p) {
    const wb_token *t = m->parts.tokens.v, *last = &t[p->first];
    size_t end = p->first + 1;
    for (; end < p->end && !wb_parts_takes_parentheses(&t[end]); end++)
        if (t[end].kind == WB_TOKEN_WORD)
            last = &t[end];
    bool is_namespace = !wb_token_is(&t[p->first], "extern");
    size_t parent = m->n_open ? m->open[m->n_open - 1] : SIZE_MAX, at = 0;
    scope wanted = {parent, last->match};
    while (at < m->n_scopes && memcmp(&m->scopes[at], &wanted, sizeof wanted) != 0)
        at++;
    if (at == m->n_scopes && is_namespace) {
        m->failed |= !WB_ADD(m->scopes, m->n_scopes, wanted);
        for (size_t i = p->first + 1; i < end; i++)
            if (t[i].kind == WB_TOKEN_WORD && !is_keyword(&t[i]))
                add_name(m, i);
    }
    m->failed |= !WB_ADD(m->open, m->n_open, is_namespace ? at : parent);
}

/* Returns true for a pragma about layout or visibility, on which code depends. */
static bool is_needed(const wb_token *t) {
    return memmem(t->at, t->len, "pragma", 6) &&
           (memmem(t->at, t->len, "pack", 4) || memmem(t->at, t->len, "visibility", 10));
}

/* Returns true if it belongs to the next declaration. */
static bool is_of_next(const wb_token *t) {
    return memmem(t->at, t->len, "nv_exec_check", 13) || memmem(t->at, t->len, "hd_warning", 10);
}

static void add_part(maker *m, const wb_part *p) {
    const wb_token *t = m->parts.tokens.v, *first = &t[p->first], *last = &t[p->end - 1];
    bool directive = wb_token_is(first, "using") && wb_token_is(&t[p->first + 1], "namespace");
    if (p->kind == WB_PART_DIRECTIVE && is_of_next(first) && !m->pragma)
        m->pragma = p;
    if (p->kind == WB_PART_DIRECTIVE && !is_needed(first))
        return;
    wb_header_part *out = WB_PUSH(m->out, m->n_out);
    if (!out) {
        m->failed = true;
        return;
    }
    const wb_part *begin = m->pragma && p->kind != WB_PART_DIRECTIVE ? m->pragma : p;
    const char *from = t[begin->first].at;
    m->pragma = p->kind == WB_PART_DIRECTIVE ? m->pragma : NULL;
    from = m->text + wb_trimmed(m->text, (size_t)(from - m->text), " \t"); /* keeps the columns */
    *out = (wb_header_part){.kind = p->kind == WB_PART_OPEN    ? WB_HEADER_OPEN
                                    : p->kind == WB_PART_CLOSE ? WB_HEADER_CLOSE
                                    : p->kind == WB_PART_DIRECTIVE || directive
                                        ? WB_HEADER_ALWAYS
                                        : WB_HEADER_DECLARATION,
                            .from = (uint32_t)(from - m->text),
                            .len = (uint32_t)(last->at + last->len - from),
                            .line = (uint32_t)begin->line,
                            .file = begin->file ? (uint32_t)(begin->file - m->text) : 0};
    if (out->kind == WB_HEADER_OPEN)
        open_scope(m, p);
    else if (out->kind == WB_HEADER_CLOSE && m->n_open > 0)
        m->n_open--;
    else if (p->kind == WB_PART_UNCLEAR)
        add_all(m, p);
    else if (out->kind == WB_HEADER_DECLARATION)
        add_names(m, p);
    if (out->kind == WB_HEADER_DECLARATION || directive)
        add_uses(m, p);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int by_pair(const void *a, const void *b) {
    const pair *x = a, *y = b;
    return x->of != y->of ? (x->of > y->of) - (x->of < y->of) : (x->is > y->is) - (x->is < y->is);
}

/* Sorts the pairs and removes duplicates. */
static void sort(pair *list, size_t *n) {
    size_t kept = 0;
    if (*n)
        qsort(list, *n, sizeof *list, by_pair);
    for (size_t i = 0; i < *n; i++)
        if (!kept || by_pair(&list[kept - 1], &list[i]) != 0)
            list[kept++] = list[i];
    *n = kept;
}

/* Writes n + 1 offsets, where the pairs of each begin, and then their second halves. */
static void put_lists(wb_buf *b, const pair *list, size_t n_list, size_t n) {
    size_t at = 0;
    for (size_t i = 0; i <= n; i++) {
        while (at < n_list && list[at].of < i)
            at++;
        uint32_t from = (uint32_t)at;
        wb_buf_append(b, &from, sizeof from);
    }
    for (size_t i = 0; i < n_list; i++)
        wb_buf_append(b, &list[i].is, sizeof list[i].is);
}

static bool write_index(maker *m, const char *path) {
    WB_SCOPED_BUF wb_buf b = {0};
    sort(m->names, &m->n_names);
    sort(m->uses, &m->n_uses);
    wb_header_size size = {(uint32_t)m->n_words, (uint32_t)m->n_out, (uint32_t)m->n_names,
                           (uint32_t)m->n_uses};
    wb_buf_append(&b, &size, sizeof size);
    wb_buf_append(&b, m->words, 2 * m->n_words * sizeof *m->words);
    wb_buf_append(&b, m->out, m->n_out * sizeof *m->out);
    put_lists(&b, m->names, m->n_names, m->n_words);
    put_lists(&b, m->uses, m->n_uses, m->n_out);
    return !b.failed && wb_file_write(path, b.data, b.len, NULL);
}

static bool make(const wb_buf *text, const char *path) {
    maker m = {.text = text->data};
    bool ok = text->len < UINT32_MAX && wb_parts_read(text->data, &m.parts) == WB_FITS;
    if (ok)
        number_words(&m);
    for (size_t i = 0; ok && i < m.parts.n && !m.failed; i++)
        add_part(&m, &m.parts.v[i]);
    ok = ok && !m.failed && write_index(&m, path);
    wb_parts_free(&m.parts);
    WB_FREE(m.out, m.names, m.uses, m.words, m.scopes, m.open);
    return ok;
}

/* Sets pointers into the data. Returns false if its length is wrong. */
static bool take(wb_header_index *x) {
    if (x->data.len < sizeof *x->size)
        return false;
    const wb_header_size *n = x->size = (const void *)x->data.data;
    x->words = (const uint32_t *)(n + 1);
    x->parts = (const wb_header_part *)(x->words + 2 * (size_t)n->words);
    x->names_from = (const uint32_t *)(x->parts + n->parts);
    x->names = x->names_from + n->words + 1;
    x->uses_from = x->names + n->names;
    x->uses = x->uses_from + n->parts + 1;
    return (const char *)(x->uses + n->uses) == x->data.data + x->data.len;
}

bool wb_header_index_open(const char *folder, wb_header_index *index) {
    *index = (wb_header_index){.size = NULL};
    WB_SCOPED char *text = wb_format("%s/device.ii", folder), *path = wb_format("%s/index", folder);
    return text && path && wb_file_read(text, 0, &index->text, NULL) && index->text.len &&
           (wb_file_exists(path) || make(&index->text, path)) &&
           wb_file_read(path, 0, &index->data, NULL) && take(index);
}

void wb_header_index_close(wb_header_index *index) {
    wb_buf_free(&index->text);
    wb_buf_free(&index->data);
}

uint32_t wb_header_index_find(const wb_header_index *x, const char *at, size_t len) {
    uint32_t low = 0, high = x->size->words;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, n = x->words[2 * middle + 1];
        int order = memcmp(x->text.data + x->words[2 * middle], at, n < len ? n : len);
        if (order == 0 && n == len)
            return middle;
        if (order < 0 || (order == 0 && n < len))
            low = middle + 1;
        else
            high = middle;
    }
    return x->size->words;
}
