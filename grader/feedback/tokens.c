/* tokens.c: reads the tokens of any text, also of text that is not CUDA C++. */
#include "grader/feedback/tokens.h"
#include "runtime/base/words.h"
#include "runtime/compile/direct/parts/tokens.h"

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

/* Adds a token under the kind that it has for a comparison. Signs count one by one. */
static void add(gr_tokens *t, const wb_token *from, int line) {
    size_t signs = from->kind == WB_TOKEN_SCOPE || from->kind == WB_TOKEN_LAUNCH ? from->len : 1;
    const char *word =
        from->kind == WB_TOKEN_WORD ? wb_word_find(words, from->at, from->len) : NULL;
    uint32_t kind = word                            ? FIRST_WORD
                    : from->kind == WB_TOKEN_WORD   ? A_NAME
                    : from->kind == WB_TOKEN_NUMBER ? A_NUMBER
                    : from->kind == WB_TOKEN_TEXT   ? A_STRING
                                                    : FIRST_CHAR + (unsigned char)*from->at;
    for (const char *p = words; word && p < word; p++)
        kind += *p == ' ';
    for (size_t i = 0; i < signs; i++)
        t->failed |= !WB_ADD(t->list, t->n, (gr_token){kind, line});
}

/* Adds the tokens of a passage that begins in `line`. Continues behind a quote without a partner.
 */
static void add_all(gr_tokens *out, const char *text, size_t len, int line) {
    const char *at = text, *end = text + len, *counted = text;
    while (at < end && !out->failed) {
        wb_tokens found;
        wb_tokens_read(at, (size_t)(end - at), &found);
        at = end;
        for (size_t i = 0; i < found.n; i++) {
            const wb_token *t = &found.v[i];
            for (; counted < t->at; counted++)
                line += *counted == '\n';
            const char *word = t->at + 1 + strspn(t->at + 1, " \t");
            if (t->kind != WB_TOKEN_DIRECTIVE)
                add(out, t, line);
            else if (wb_begins(word, "define")) /* the macro's text is the author's own */
                add_all(out, word + 6, t->len - (size_t)(word + 6 - t->at), line);
            if (!t->len) /* a quote without a partner */
                at = t->at + 1;
        }
        wb_tokens_free(&found);
    }
}

gr_tokens gr_tokens_of(const char *text) {
    gr_tokens out = {.n = 0};
    add_all(&out, text, strlen(text), 1);
    return out;
}

void gr_tokens_free(gr_tokens *tokens) {
    free(tokens->list);
    *tokens = (gr_tokens){.n = 0};
}
