/* random.c: numbers from the secret seed. */
#include "grader/job/random.h"

#include <sys/random.h>

/* Blocks are made in parallel, one in each vector lane. */
enum { LANES = 8, BLOCK_WORDS = 16 };
typedef uint32_t lanes __attribute__((vector_size(LANES * 4)));

bool gr_seed_new(uint64_t *seed, wb_error *err) {
    if (getrandom(seed, sizeof *seed, 0) == (ssize_t)sizeof *seed)
        return true;
    return wb_fail(err, 1, _("the system gives no random numbers for the secret seed"));
}

#define ROTATE(v, n) ((v) << (n) | (v) >> (32 - (n)))
#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a += b, d ^= a, d = ROTATE(d, 16);                                                         \
        c += d, b ^= c, b = ROTATE(b, 12);                                                         \
        a += b, d ^= a, d = ROTATE(d, 8);                                                          \
        c += d, b ^= c, b = ROTATE(b, 7);                                                          \
    } while (0)

/* The state of ChaCha (RFC 8439, 2.3), here with a 64-bit counter and 8 rounds. */
typedef struct chacha_key {
    uint32_t words[BLOCK_WORDS];
} chacha_key;

static chacha_key make_key(uint64_t seed, uint32_t stream, uint32_t run, uint32_t arg) {
    return (chacha_key){{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, (uint32_t)seed,
                         (uint32_t)(seed >> 32), stream, run, arg, 0x77617270, 0x626f6f6b, 1, 0, 0,
                         0, 0}};
}

#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (lanes){__VA_ARGS__})
#endif

/* Lane l of x[i] becomes word i of block l. Vector shuffles take half the time of scalar copies. */
static inline __attribute__((always_inline)) void put_across(const lanes *x, uint32_t *out) {
    lanes pairs[LANES], fours[LANES];
    for (int i = 0; i < LANES; i += 2) {
        pairs[i] = PICK(x[i], x[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = PICK(x[i], x[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int k = 0; k < 2; k++) { /* [i + l]: lanes l and l + 4 of x[i..i + 3] */
            lanes a = pairs[i + k], b = pairs[i + k + 2];
            fours[i + 2 * k] = PICK(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            fours[i + 2 * k + 1] = PICK(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int l = 0; l < LANES / 2; l++) {
        lanes low = PICK(fours[l], fours[l + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        lanes high = PICK(fours[l], fours[l + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        memcpy(out + l * BLOCK_WORDS, &low, sizeof low);
        memcpy(out + (l + 4) * BLOCK_WORDS, &high, sizeof high);
    }
}

/* Makes the blocks first..first + LANES - 1, each of BLOCK_WORDS words. */
static inline __attribute__((always_inline)) void make_blocks(const chacha_key *key, uint64_t first,
                                                              uint32_t *out) {
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
    for (int i = 0; i < BLOCK_WORDS; i++)
        x[i] += start[i];
    for (int i = 0; i < BLOCK_WORDS; i += LANES)
        put_across(x + i, out + i);
}

GR_WIDE void gr_random_fill(uint64_t seed, uint32_t stream, uint32_t run, uint32_t arg,
                            uint32_t *words, size_t n) {
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
