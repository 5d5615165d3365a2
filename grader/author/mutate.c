/* mutate.c: a source mutator for CUDA C++, by tokens. It expects blanks around binary operators, as
 * every formatter writes them: so it tells a < b from template <int N>, and a * b from int *b. */
#include "grader/author/mutate.h"
#include "grader/job/random.h"
#include "runtime/base/words.h"
#include "runtime/compile/direct/parts/tokens.h"

#include <ctype.h>

const char *const gr_mutant_names[GR_MUTANT_KINDS] = {
    [GR_MUTANT_OPERAND] = N_("one operand dropped"),
    [GR_MUTANT_BOUND] = N_("off by one"),
    [GR_MUTANT_FIRST] = N_("first instead of largest or least"),
    [GR_MUTANT_BARRIER] = N_("barrier removed"),
    [GR_MUTANT_SIZE] = N_("one size wrong")};

typedef struct source {
    const gr_lab *lab;
    const char *text;
    wb_tokens tokens;
    gr_mutants found;
} source;

static const char *end_of(const wb_token *t) {
    return t->at + t->len;
}

/* Takes over `with`. */
static void add(source *s, gr_mutant_kind kind, const char *from, const char *to, char *with) {
    gr_mutant *m = with ? WB_PUSH(s->found.v, s->found.n) : NULL;
    if (!m) {
        free(with);
        return;
    }
    *m = (gr_mutant){kind, 1, 0, (size_t)(from - s->text), (size_t)(to - from), with};
    for (const char *p = s->text; p < from; p++)
        m->line += *p == '\n';
}

/* Returns the token at i if it is this sign, else NULL. */
static const wb_token *sign_at(const source *s, size_t i, const char *signs) {
    const wb_token *t = i < s->tokens.n ? &s->tokens.v[i] : NULL;
    return t && t->kind == WB_TOKEN_SIGN && strchr(signs, *t->at) ? t : NULL;
}

/* Returns the length of the operator at token i with blanks on both sides, or 0. */
static size_t spaced(const source *s, size_t i) {
    size_t n = 1;
    const char *at = s->tokens.v[i].at;
    while (sign_at(s, i + n, "+-*/%&|<>=") && s->tokens.v[i + n].at == at + n)
        n++;
    return at > s->text && isspace((unsigned char)at[-1]) && isspace((unsigned char)at[n]) ? n : 0;
}

/* Returns the index behind the operand that begins at token i: a primary with its suffixes. */
static size_t behind_operand(const source *s, size_t i) {
    while (sign_at(s, i, "*&-!~"))
        i++;
    const wb_token *open = sign_at(s, i, "(");
    for (i = open ? open->match + 1 : i + 1; i < s->tokens.n; i++) {
        if ((open = sign_at(s, i, "([")) != NULL)
            i = open->match;
        else if (sign_at(s, i, ".") || s->tokens.v[i].kind == WB_TOKEN_SCOPE)
            i++;
        else if (sign_at(s, i, "-") && sign_at(s, i + 1, ">") && s->tokens.v[i].at[1] == '>')
            i += 2;
        else
            break;
    }
    return i < s->tokens.n ? i : s->tokens.n;
}

/* Returns the index of the first of these signs, or of && and ||, from token i on in its brackets.
 */
static size_t next_sign(const source *s, size_t i, const char *signs) {
    for (const wb_token *open; i < s->tokens.n && !sign_at(s, i, signs); i++) {
        if ((open = sign_at(s, i, "([{")) != NULL)
            i = open->match;
        else if (sign_at(s, i, "&|") && spaced(s, i) == 2)
            break;
    }
    return i;
}

static void mutate_operator(source *s, size_t i, bool in_brackets) {
    const wb_token *t = &s->tokens.v[i];
    size_t n = spaced(s, i), behind = i;
    bool equals = n == 2 && t->at[1] == '=';
    if (strchr("<>", *t->at) && (n == 1 || equals))
        add(s, GR_MUTANT_BOUND, t->at, t->at + n, wb_format("%c%s", *t->at, equals ? "" : "="));
    else if (strchr("+-*", *t->at) && equals && !in_brackets) /* i += 2 in a for would never end */
        add(s, GR_MUTANT_OPERAND, t->at, t->at + n, strdup("="));
    else if (strchr("+-*/%", *t->at) && n == 1)
        behind = behind_operand(s, i + 1);
    else if (strchr("&|", *t->at) && n == 2 && t->at[1] == *t->at)
        behind = next_sign(s, i + 2, ")]};,?:");
    if (behind > i)
        add(s, GR_MUTANT_OPERAND, t->at - 1, end_of(&s->tokens.v[behind - 1]), strdup(""));
}

static void mutate_call(source *s, size_t i) {
    const wb_token *t = &s->tokens.v[i], *open = sign_at(s, i + 1, "("), *comma;
    const char *end = open ? end_of(&s->tokens.v[open->match]) : NULL;
    if (open && wb_word_among(t->at, t->len, "__syncthreads __syncwarp"))
        add(s, GR_MUTANT_BARRIER, t->at, end, strdup(""));
    if (open && wb_word_among(t->at, t->len, "max min fmax fmin fmaxf fminf") &&
        (comma = sign_at(s, next_sign(s, i + 2, ",)"), ",")) != NULL)
        add(s, GR_MUTANT_FIRST, t->at, end,
            wb_format("(%.*s)", (int)(comma->at - end_of(open)), end_of(open)));
}

static void mutate_size(source *s, size_t i) {
    const gr_lab *lab = s->lab;
    const wb_token *t = &s->tokens.v[i];
    int mine = 0, other = 0;
    while (mine < lab->n_args &&
           (lab->args[mine].role != GR_SIZE || !wb_token_is(t, lab->args[mine].name)))
        mine++;
    if (mine == lab->n_args || (i && t[-1].kind == WB_TOKEN_WORD)) /* "int n" declares it */
        return;
    for (other = (mine + 1) % lab->n_args; lab->args[other].role != GR_SIZE;)
        other = (other + 1) % lab->n_args;
    add(s, GR_MUTANT_SIZE, t->at, end_of(t),
        wb_format(other == mine ? "(%s - 1)" : "%s", lab->args[other].name));
}

static int by_order(const void *a, const void *b) {
    const gr_mutant *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Shuffles the mutants, then takes one of each kind in turn. */
static void put_in_turn(gr_mutants *all, uint64_t seed) {
    enum { MUTANTS = 0x2000 }; /* a stream that no case has */
    uint32_t taken[GR_MUTANT_KINDS] = {0};
    for (size_t i = 0; i < all->n; i++)
        all->v[i].order = gr_random_word(seed, MUTANTS, (uint32_t)i);
    if (all->n)
        qsort(all->v, all->n, sizeof *all->v, by_order);
    for (size_t i = 0; i < all->n; i++)
        all->v[i].order = taken[all->v[i].kind]++ * GR_MUTANT_KINDS + all->v[i].kind;
    if (all->n)
        qsort(all->v, all->n, sizeof *all->v, by_order);
}

gr_mutants gr_mutants_of(const gr_lab *lab, const char *text, uint64_t seed) {
    source s = {.lab = lab, .text = text};
    int brackets = 0;
    bool ok = wb_tokens_read(text, strlen(text), &s.tokens);
    for (size_t i = 0; ok && i < s.tokens.n; i++) {
        brackets += sign_at(&s, i, "(") ? 1 : sign_at(&s, i, ")") ? -1 : 0;
        if (s.tokens.v[i].kind == WB_TOKEN_WORD) {
            mutate_call(&s, i);
            mutate_size(&s, i);
        } else if (sign_at(&s, i, "+-*/%&|<>")) {
            mutate_operator(&s, i, brackets > 0);
        }
    }
    wb_tokens_free(&s.tokens);
    put_in_turn(&s.found, seed);
    return s.found;
}

void gr_mutants_free(gr_mutants *mutants) {
    for (size_t i = 0; i < mutants->n; i++)
        free(mutants->v[i].with);
    free(mutants->v);
    *mutants = (gr_mutants){.v = NULL};
}

char *gr_mutant_source(const gr_mutant *m, const char *text, char **line) {
    char *all = wb_format("%.*s%s%s", (int)m->at, text, m->with, text + m->at + m->len);
    const char *from = all ? all + m->at : "";
    while (from > all && from[-1] != '\n')
        from--;
    from += strspn(from, " \t");
    *line = strndup(from, strcspn(from, "\n"));
    return all;
}
