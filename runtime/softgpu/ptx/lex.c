/* lex.c: turns characters into names. Every function skips blanks and comments first. */
#include "runtime/softgpu/ptx/internal.h"

#define START (PTX_C_IDENT | PTX_C_START)
#define DIGIT (PTX_C_IDENT | PTX_C_DIGIT)
/* clang-format off */
const uint8_t ptx_char_class[256] = {
    ['\t'] = PTX_C_SPACE, ['\n'] = PTX_C_SPACE, ['\v'] = PTX_C_SPACE, ['\f'] = PTX_C_SPACE,
    ['\r'] = PTX_C_SPACE, [' '] = PTX_C_SPACE,
    ['0' ... '9'] = DIGIT, ['a' ... 'z'] = START, ['A' ... 'Z'] = START,
    ['_'] = START, ['$'] = START, ['%'] = START, [0x80 ... 0xff] = START,
};
/* clang-format on */

static bool is(char c, unsigned class) {
    return ptx_char_class[(unsigned char)c] & class;
}

/* ---- names -------------------------------------------------------------------------------- */

#define HASH_START 2166136261u
static uint32_t hash_step(uint32_t hash, char c) {
    return (hash ^ (unsigned char)c) * 16777619u;
}

static uint32_t bucket_of(const ptx_parser *p, uint32_t hash) {
    return (hash ^ hash >> 15) & (p->n_buckets - 1);
}

static ptx_symbol *find(ptx_parser *p, const char *text, size_t len, uint32_t hash) {
    for (ptx_symbol *s = p->buckets[bucket_of(p, hash)]; s; s = s->next)
        if (s->hash == hash && s->len == len && memcmp(s->text, text, len) == 0)
            return s;
    return NULL;
}

static void grow_buckets(ptx_parser *p) {
    ptx_symbol **old = p->buckets;
    uint32_t n_old = p->n_buckets;
    p->n_buckets *= 4;
    p->buckets = ptx_alloc(p, p->n_buckets * sizeof *p->buckets);
    for (uint32_t i = 0; i < n_old; i++)
        for (ptx_symbol *s = old[i], *next; s; s = next) {
            next = s->next;
            ptx_symbol **bucket = &p->buckets[bucket_of(p, s->hash)];
            s->next = *bucket;
            *bucket = s;
        }
}

static ptx_symbol *intern(ptx_parser *p, const char *text, size_t len, uint32_t hash) {
    ptx_symbol *s = find(p, text, len, hash);
    if (s)
        return s;
    if (p->n_symbols++ == p->n_buckets)
        grow_buckets(p);
    s = ptx_alloc(p, sizeof *s + len + 1);
    memcpy(s->text, text, len);
    s->len = (uint32_t)len;
    s->hash = hash;
    ptx_symbol **bucket = &p->buckets[bucket_of(p, hash)];
    s->next = *bucket;
    *bucket = s;
    return s;
}

static uint32_t hash_of(const char *text, size_t len) {
    uint32_t hash = HASH_START;
    for (size_t i = 0; i < len; i++)
        hash = hash_step(hash, text[i]);
    return hash;
}

ptx_symbol *ptx_intern(ptx_parser *p, const char *text, size_t len) {
    return intern(p, text, len, hash_of(text, len));
}

ptx_symbol *ptx_symbol_find(ptx_parser *p, const char *text, size_t len) {
    return find(p, text, len, hash_of(text, len));
}

bool ptx_is(const ptx_symbol *symbol, const char *text) {
    return strcmp(symbol->text, text) == 0;
}

/* ---- blanks and comments ------------------------------------------------------------------- */

static void skip_line(ptx_parser *p) {
    const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
    p->at = newline ? newline : p->end;
}

static void skip_block_comment(ptx_parser *p) {
    for (p->at += 2; p->at < p->end; p->at++) {
        if (p->at[0] == '*' && p->at[1] == '/') {
            p->at += 2;
            return;
        }
        p->line += *p->at == '\n';
    }
    ptx_fail(p, _("a comment has no end"));
}

char ptx_peek(ptx_parser *p) {
    for (;;) {
        char c = *p->at;
        if (c == '\n') {
            p->line++;
            p->at++;
            if (*p->at == '#') /* a line marker of the preprocessor */
                skip_line(p);
        } else if (is(c, PTX_C_SPACE)) {
            p->at++;
        } else if (c == '/' && p->at[1] == '/') {
            skip_line(p);
        } else if (c == '/' && p->at[1] == '*') {
            skip_block_comment(p);
        } else {
            return c;
        }
    }
}

const char *ptx_excerpt(const ptx_parser *p, char out[48]) {
    size_t n = 0;
    if (p->at >= p->end)
        return strcpy(out, "the end of the text");
    out[n++] = '\'';
    for (const char *c = p->at; c < p->end && *c != '\n' && n < 41; c++)
        out[n++] = (*c >= ' ' && *c < 0x7f) ? *c : (*c == '\t' ? ' ' : '?');
    out[n++] = '\'';
    out[n] = 0;
    return out;
}

bool ptx_accept(ptx_parser *p, char c) {
    if (ptx_peek(p) != c || p->at >= p->end)
        return false;
    p->at++;
    return true;
}

void ptx_expect(ptx_parser *p, char c) {
    char excerpt[48];
    if (!ptx_accept(p, c))
        ptx_fail(p, _("expected '%c', found %s"), c, ptx_excerpt(p, excerpt));
}

/* ---- words --------------------------------------------------------------------------------- */

ptx_symbol *ptx_ident(ptx_parser *p, const char *what) {
    char excerpt[48];
    if (!is(ptx_peek(p), PTX_C_START))
        ptx_fail(p, _("expected %s, found %s"), what, ptx_excerpt(p, excerpt));
    const char *start = p->at;
    uint32_t hash = HASH_START;
    for (; is(*p->at, PTX_C_IDENT); p->at++)
        hash = hash_step(hash, *p->at);
    return intern(p, start, (size_t)(p->at - start), hash);
}

ptx_symbol *ptx_head_or_label(ptx_parser *p) {
    char excerpt[48];
    if (!is(ptx_peek(p), PTX_C_START))
        ptx_fail(p, _("expected an instruction, found %s"), ptx_excerpt(p, excerpt));
    const char *start = p->at;
    uint32_t hash = HASH_START;
    for (;; p->at++) {
        char c = *p->at;
        if (is(c, PTX_C_IDENT) || (c == '.' && is(p->at[1], PTX_C_IDENT))) {
            hash = hash_step(hash, c);
        } else if (c == ':' && p->at[1] == ':' && is(p->at[2], PTX_C_IDENT)) {
            hash = hash_step(hash_step(hash, ':'), ':');
            p->at++;
        } else {
            break;
        }
    }
    return intern(p, start, (size_t)(p->at - start), hash);
}

ptx_symbol *ptx_directive(ptx_parser *p) {
    ptx_expect(p, '.');
    return ptx_ident(p, "a directive's name");
}

bool ptx_accept_word(ptx_parser *p, const char *word) {
    size_t len = strlen(word);
    ptx_peek(p);
    if (strncmp(p->at, word, len) != 0 || is(p->at[len], PTX_C_IDENT))
        return false;
    p->at += len;
    return true;
}

const char *ptx_string(ptx_parser *p) {
    ptx_expect(p, '"');
    const char *start = p->at;
    while (p->at < p->end && *p->at != '"' && *p->at != '\n')
        p->at++;
    if (*p->at != '"')
        ptx_fail(p, _("a string has no end"));
    size_t len = (size_t)(p->at++ - start);
    char *text = ptx_alloc(p, len + 1);
    memcpy(text, start, len);
    return text;
}
