/* input.c: inputs from the secret seed. */
#include "grader/input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Blocks made side by side: one vector lane each. */
enum { LANES = 8, BLOCK_WORDS = 16 };
typedef uint32_t lanes __attribute__((vector_size(LANES * 4)));

bool gr_seed_new(uint64_t *seed, wb_error *err) {
    if (getrandom(seed, sizeof *seed, 0) == (ssize_t)sizeof *seed)
        return true;
    return wb_fail(err, 1, "the system gives no random numbers for the secret seed");
}

#define ROTATE(v, n) ((v) << (n) | (v) >> (32 - (n)))
#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a += b, d ^= a, d = ROTATE(d, 16);                                                         \
        c += d, b ^= c, b = ROTATE(b, 12);                                                         \
        a += b, d ^= a, d = ROTATE(d, 8);                                                          \
        c += d, b ^= c, b = ROTATE(b, 7);                                                          \
    } while (0)

/* The state of ChaCha (RFC 8439, 2.3) with its counter running over 64 bits and 8 rounds. */
typedef struct chacha_key {
    uint32_t words[BLOCK_WORDS];
} chacha_key;

static chacha_key make_key(uint64_t seed, uint32_t stream, uint32_t run, uint32_t arg) {
    return (chacha_key){{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, (uint32_t)seed,
                         (uint32_t)(seed >> 32), stream, run, arg, 0x77617270, 0x626f6f6b, 1, 0, 0,
                         0, 0}};
}

/* Blocks first..first + LANES - 1 into out, each BLOCK_WORDS words. */
static void make_blocks(const chacha_key *key, uint64_t first, uint32_t *out) {
    lanes x[BLOCK_WORDS], start[BLOCK_WORDS];
    for (int i = 0; i < BLOCK_WORDS; i++)
        x[i] = (lanes){0} + key->words[i];
    for (int l = 0; l < LANES; l++) {
        x[12][l] = (uint32_t)(first + (uint64_t)l);
        x[13][l] = (uint32_t)((first + (uint64_t)l) >> 32);
    }
    memcpy(start, x, sizeof x);
    for (int round = 0; round < 8; round += 2) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < BLOCK_WORDS; i++) {
        x[i] += start[i];
        for (int l = 0; l < LANES; l++)
            out[l * BLOCK_WORDS + i] = x[i][l];
    }
}

void gr_random_fill(uint64_t seed, uint32_t stream, uint32_t run, uint32_t arg, uint32_t *words,
                    size_t n) {
    enum { STEP = LANES * BLOCK_WORDS };
    chacha_key key = make_key(seed, stream, run, arg);
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        make_blocks(&key, i / BLOCK_WORDS, words + i);
    if (i < n) {
        uint32_t rest[STEP];
        make_blocks(&key, i / BLOCK_WORDS, rest);
        memcpy(words + i, rest, (n - i) * sizeof *words);
    }
}

uint32_t gr_random_word(uint64_t seed, uint32_t stream, uint32_t purpose) {
    uint32_t word;
    gr_random_fill(seed, stream, 0xffffffffu, 0x10000u + purpose, &word, 1);
    return word;
}

void gr_poison(void *data, size_t bytes, uint32_t word) {
    char *p = data;
    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word)
        memcpy(p, &word, sizeof word);
    memcpy(p, &word, bytes);
}

/* ---- what the words become ------------------------------------------------------------------ */

static void store(void *data, gr_type type, size_t i, double value) {
    if (type == GR_DOUBLE)
        ((double *)data)[i] = value;
    else if (type == GR_FLOAT)
        ((float *)data)[i] = (float)value;
    else
        ((int32_t *)data)[i] = (int32_t)value;
}

/* Unique patterns: an odd multiplier and an xor permute the 2^32 words; wider elements get the
 * index's permutation twice. A -0 and two NaNs with payloads are set among them. */
static void fill_bits(const gr_job *job, uint32_t run, uint32_t arg, void *data, size_t n) {
    uint32_t key[5];
    gr_random_fill(job->seed, job->stream, run, arg, key, 5);
    bool wide = job->element == GR_DOUBLE;
    uint32_t *words = data;
    for (size_t i = 0; i < n; i++) {
        uint32_t v = ((uint32_t)i * (key[0] | 1)) ^ key[1];
        v ^= v >> 15;
        v *= 0x2c1b3c6du;
        v ^= v >> 12;
        if (wide) {
            words[2 * i] = v;
            words[2 * i + 1] = v * (key[2] | 1);
        } else {
            words[i] = v;
        }
    }
    static const uint64_t specials[] = {0x8000000000000000u, 0x7ff0000000c0ffeeu,
                                        0xfff8dead0000beefu};
    static const uint32_t short_specials[] = {0x80000000u, 0x7f80c0deu, 0xffc0beefu};
    for (size_t s = 0; s < 3 && n > 3; s++) {
        size_t at = (s * (n / 3) + key[3] % (n / 3));
        if (wide)
            memcpy(words + 2 * at, &specials[s], 8);
        else
            words[at] = short_specials[s];
    }
}

/* Whole numbers whose sums can't round. For GEMM: a holds odd 12-bit integers, so that an input
 * rounded to TF32, half or bfloat16 shows; b holds -1, 0, 1; c 12-bit integers. For sums: |x| small
 * enough that n of them stay below 2^24, mostly positive so that a sum cut short shows. */
static double exact_value(const gr_job *job, char array, int64_t terms, uint32_t w) {
    if (strcmp(job->reference, "gemm") == 0) {
        if (array == 'b')
            return (double)(int)(w % 3) - 1;
        int value = (int)(w % 4096) | (array == 'a');
        return w >> 31 ? -value : value;
    }
    if (strcmp(job->reference, "increment") == 0)
        return (double)(int)(w % 2000001) - 1000000;
    int64_t most = terms > 0 ? 16777215 / terms : 1000;
    if (most >= 2) {
        int64_t span = most < 1000 ? most : 1000;
        double value = (double)((int64_t)(w >> 4) % span + 1);
        return (w & 15) < 3 ? -value : value;
    }
    /* more than 8 M terms: ones among zeros, at most 2^23 expected */
    double share = 8388608.0 / (double)terms;
    return (double)(w >> 1) < share * 2147483648.0 ? 1 : 0;
}

void gr_input_fill(const gr_job *job, int index, uint32_t run, void *data) {
    const gr_job_arg *arg = &job->args[index];
    size_t n = (size_t)arg->count;
    if (arg->role == GR_OUTPUT) {
        gr_poison(data, gr_job_arg_bytes(arg), GR_POISON);
        return;
    }
    if (job->values == GR_BITS) {
        fill_bits(job, run, (uint32_t)index, data, n);
        return;
    }
    uint32_t words[4096];
    for (size_t done = 0; done < n;) {
        size_t part = n - done < WB_COUNT(words) ? n - done : WB_COUNT(words);
        /* a key of its own for every part keeps the filling of large arrays seekable */
        gr_random_fill(job->seed, job->stream, run,
                       (uint32_t)index << 24 | (uint32_t)(done / WB_COUNT(words)), words, part);
        for (size_t i = 0; i < part; i++) {
            double value = job->values == GR_EXACT
                               ? exact_value(job, arg->name[0], arg->count, words[i])
                               : job->offset + job->scale * (((int32_t)words[i] >> 8) * 0x1p-23);
            store(data, arg->type, done + i, value);
        }
        done += part;
    }
}
