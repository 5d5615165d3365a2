/* tokens.c: a lexer of CUDA C++ that accepts any text. */
#include "grader/feedback/tokens.h"
#include "runtime/base/words.h"

#include <ctype.h>

/* Names of the language or CUDA, which mean the same in every submission. */
static const char words[] =
    "__constant__ __device__ __forceinline__ __global__ __host__ __ldg __restrict__ __shared__ "
    "__shfl_down_sync __shfl_xor_sync __syncthreads __syncwarp atomicAdd auto blockDim blockIdx "
    "bool break case char class const constexpr continue cudaMalloc cudaFree cudaMemset "
    "cudaMemsetAsync default dim3 do double else enum extern false float float2 float4 for "
    "gridDim half if inline int long namespace pragma reinterpret_cast return short size_t sizeof "
    "static static_cast struct switch template threadIdx true typedef typename unroll unsigned "
    "using void volatile warpSize while";

enum { A_NAME = 1, A_NUMBER = 2, A_STRING = 3, FIRST_CHAR = 256, FIRST_WORD = 1024 };

typedef struct lexer {
    const char *at;
    int line;
    gr_tokens tokens;
} lexer;

static void add(lexer *l, uint32_t kind) {
    gr_tokens *t = &l->tokens;
    gr_token *token = WB_PUSH(t->list, t->n);
    t->failed |= !token;
    if (token)
        *token = (gr_token){kind, l->line};
}

static void skip(lexer *l, size_t n) {
    for (; n && *l->at; n--, l->at++)
        l->line += *l->at == '\n';
}

/* Skips to the end of the line. A backslash continues it. */
static void skip_line(lexer *l) {
    while (*l->at && *l->at != '\n')
        skip(l, *l->at == '\\' && l->at[1] ? 2 : 1);
}

static uint32_t kind_of_name(const char *name, size_t n) {
    const char *word = wb_word_find(words, name, n);
    uint32_t kind = word ? FIRST_WORD : A_NAME;
    for (const char *p = words; word && p < word; p++)
        kind += *p == ' ';
    return kind;
}

static void take_name(lexer *l) {
    size_t n = 0;
    while (wb_word_part(l->at[n]))
        n++;
    add(l, kind_of_name(l->at, n));
    skip(l, n);
}

static void take_number(lexer *l) {
    size_t n = 0;
    while (wb_word_part(l->at[n]) || l->at[n] == '.' ||
           (n && (l->at[n] == '+' || l->at[n] == '-') && strchr("eEpP", l->at[n - 1])))
        n++;
    add(l, A_NUMBER);
    skip(l, n);
}

static void take_string(lexer *l) {
    char quote = *l->at;
    add(l, A_STRING);
    skip(l, 1);
    while (*l->at && *l->at != quote && *l->at != '\n')
        skip(l, *l->at == '\\' && l->at[1] ? 2 : 1);
    skip(l, *l->at == quote);
}

/* Skips blanks, comments and preprocessor lines. Returns false if there are none here. */
static bool skip_silent(lexer *l) {
    const char *p = l->at;
    if (isspace((unsigned char)*p)) {
        skip(l, 1);
    } else if (strncmp(p, "//", 2) == 0) {
        skip_line(l);
    } else if (strncmp(p, "/*", 2) == 0) {
        const char *end = strstr(p + 2, "*/");
        skip(l, end ? (size_t)(end + 2 - p) : strlen(p));
    } else if (*p == '#' || strncmp(p, "%%grade", 7) == 0) {
        const char *word = p + 1 + strspn(p + 1, " \t");
        if (strncmp(word, "define", 6) == 0)
            skip(l, (size_t)(word + 6 - p)); /* the macro's text is the author's own */
        else
            skip_line(l);
    } else {
        return false;
    }
    return true;
}

gr_tokens gr_tokens_of(const char *text) {
    lexer l = {.at = text, .line = 1};
    while (*l.at && !l.tokens.failed) {
        unsigned char c = (unsigned char)*l.at;
        if (skip_silent(&l))
            continue;
        if (isdigit(c) || (c == '.' && isdigit((unsigned char)l.at[1]))) {
            take_number(&l);
        } else if (wb_word_part((char)c)) {
            take_name(&l);
        } else if (c == '"' || c == '\'') {
            take_string(&l);
        } else {
            add(&l, FIRST_CHAR + c);
            skip(&l, 1);
        }
    }
    return l.tokens;
}

void gr_tokens_free(gr_tokens *tokens) {
    free(tokens->list);
    *tokens = (gr_tokens){.n = 0};
}
