/* tokens.c: see tokens.h. */
#include "runtime/compile/direct/parts/tokens.h"

#include <ctype.h>

bool wb_token_is(const wb_token *token, const char *text) {
    return strlen(text) == token->len && memcmp(token->at, text, token->len) == 0;
}

bool wb_token_sign(const wb_token *token, char sign) {
    return token->kind == WB_TOKEN_SIGN && *token->at == sign;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

const char *wb_token_comment(const char *p, const char *end) {
    if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
        while (p < end && *p != '\n')
            p += *p == '\\' && p + 1 < end && p[1] == '\n' ? 2 : 1;
    } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
        for (p += 2; p < end && !(end - p >= 2 && p[0] == '*' && p[1] == '/'); p++)
            ;
        p += p < end ? 2 : 0;
    }
    return p;
}

/* Returns the end of the literal whose quote is at p, or NULL. */
static const char *skip_literal(const char *p, const char *end) {
    char quote = *p++;
    while (p < end && *p != quote && *p != '\n')
        p += *p == '\\' ? 2 : 1;
    return p < end && *p == quote ? p + 1 : NULL;
}

const char *wb_token_raw(const char *p, const char *end) {
    const char *open = memchr(p, '(', (size_t)(end - p));
    size_t n = open ? (size_t)(open - p - 1) : 0;
    if (!open || n > 16)
        return NULL;
    for (const char *q = open; q < end && (q = memchr(q, ')', (size_t)(end - q))); q++)
        if ((size_t)(end - q) > n + 1 && memcmp(q + 1, p + 1, n) == 0 && q[n + 1] == '"')
            return q + n + 2;
    return NULL;
}

static const char *skip_directive(const char *p, const char *end) {
    while (p < end && *p != '\n') {
        const char *behind = wb_token_comment(p, end);
        if (behind != p)
            p = behind;
        else
            p += *p == '\\' && p + 1 < end ? 2 : 1;
    }
    return p < end ? p : end;
}

static const char *skip_number(const char *p, const char *end) {
    for (; p < end; p++)
        if (!is_word(*p) && *p != '.' && *p != '\'' &&
            !((*p == '+' || *p == '-') && strchr("eEpP", p[-1])))
            break;
    return p;
}

/* Reads the token at p. Returns its end, or NULL. */
static const char *read_token(const char *p, const char *end, bool line_starts, wb_token *t) {
    const char *from = p;
    if (line_starts && *p == '#') {
        t->kind = WB_TOKEN_DIRECTIVE;
        p = skip_directive(p, end);
    } else if (isdigit((unsigned char)*p) ||
               (*p == '.' && p + 1 < end && isdigit((unsigned char)p[1]))) {
        t->kind = WB_TOKEN_NUMBER;
        p = skip_number(p, end);
    } else if (is_word(*p)) {
        t->kind = WB_TOKEN_WORD;
        while (p < end && is_word(*p))
            p++;
        if (p < end && *p == '"' && p[-1] == 'R' && p - from <= 3) {
            t->kind = WB_TOKEN_TEXT;
            p = wb_token_raw(p, end);
        } else if (p < end && (*p == '"' || *p == '\'') && p - from <= 2 && strchr("LuU8", p[-1])) {
            t->kind = WB_TOKEN_TEXT;
            p = skip_literal(p, end);
        }
    } else if (*p == '"' || *p == '\'') {
        t->kind = WB_TOKEN_TEXT;
        p = skip_literal(p, end);
    } else if (end - p >= 3 && memcmp(p, "<<<", 3) == 0) {
        t->kind = WB_TOKEN_LAUNCH;
        p += 3;
    } else if (end - p >= 2 && p[0] == ':' && p[1] == ':') {
        t->kind = WB_TOKEN_SCOPE;
        p += 2;
    } else {
        t->kind = WB_TOKEN_SIGN;
        p++;
    }
    t->at = from;
    t->len = p ? (size_t)(p - from) : 0;
    return p;
}

const char *wb_token_skip(const char *p, const char *end, bool line_starts, bool *comment) {
    wb_token token;
    const char *behind = wb_token_comment(p, end);
    *comment = behind != p;
    if (!*comment && !(behind = read_token(p, end, line_starts, &token)))
        behind = memchr(p, '\n', (size_t)(end - p));
    return behind ? behind : end;
}

/* Links each bracket to its partner. */
static bool match_brackets(wb_tokens *tokens) {
    size_t *open = calloc(tokens->n + 1, sizeof *open), n = 0;
    bool ok = open != NULL;
    for (size_t i = 0; ok && i < tokens->n; i++) {
        wb_token *t = &tokens->v[i];
        if (t->kind != WB_TOKEN_SIGN)
            continue;
        if (strchr("([{", *t->at)) {
            open[n++] = i;
        } else if (strchr(")]}", *t->at)) {
            ok = n > 0 && *tokens->v[open[n - 1]].at == (*t->at == ')' ? '(' : *t->at - 2);
            if (ok) {
                t->match = open[--n];
                tokens->v[t->match].match = i;
            }
        }
    }
    free(open);
    return ok && n == 0;
}

bool wb_tokens_read(const char *text, size_t len, wb_tokens *tokens) {
    const char *p = text, *end = text + len;
    bool line_starts = true;
    *tokens = (wb_tokens){NULL, 0};
    while (p < end) {
        const char *behind = wb_token_comment(p, end);
        if (behind != p || isspace((unsigned char)*p)) {
            line_starts |= *p == '\n';
            p = behind != p ? behind : p + 1;
            continue;
        }
        wb_token *token = WB_PUSH(tokens->v, tokens->n);
        p = token ? read_token(p, end, line_starts, token) : NULL;
        if (!p)
            return false;
        line_starts = false;
    }
    return match_brackets(tokens);
}

void wb_tokens_free(wb_tokens *tokens) {
    free(tokens->v);
    *tokens = (wb_tokens){NULL, 0};
}

/* ---- sets of words --------------------------------------------------------------------------- */

/* Returns the word's slot: its own, or a free one. */
static size_t slot_of(const wb_word_set *words, const wb_token *word) {
    size_t hash = 5381;
    for (size_t i = 0; i < word->len; i++)
        hash = hash * 33 + (unsigned char)word->at[i];
    size_t i = hash & (words->cap - 1);
    while (words->v[i] &&
           (words->v[i]->len != word->len || memcmp(words->v[i]->at, word->at, word->len) != 0))
        i = (i + 1) & (words->cap - 1);
    return i;
}

const wb_token *wb_word_set_get(const wb_word_set *words, const wb_token *word) {
    return words->n > 0 ? words->v[slot_of(words, word)] : NULL;
}

bool wb_word_set_has(const wb_word_set *words, const wb_token *word) {
    return wb_word_set_get(words, word) != NULL;
}

static bool grow(wb_word_set *words) {
    wb_word_set more = {.cap = words->cap ? 2 * words->cap : 256, .n = words->n};
    more.v = calloc(more.cap, sizeof *more.v);
    if (!more.v)
        return false;
    for (size_t i = 0; i < words->cap; i++)
        if (words->v[i])
            more.v[slot_of(&more, words->v[i])] = words->v[i];
    free(words->v);
    *words = more;
    return true;
}

bool wb_word_set_add(wb_word_set *words, const wb_token *word) {
    if (2 * (words->n + 1) > words->cap && !grow(words)) {
        words->failed = true;
        return false;
    }
    const wb_token **slot = &words->v[slot_of(words, word)];
    bool fresh = *slot == NULL;
    if (fresh) {
        *slot = word;
        words->n++;
    }
    return fresh;
}

void wb_word_set_free(wb_word_set *words) {
    free(words->v);
    *words = (wb_word_set){.v = NULL};
}
