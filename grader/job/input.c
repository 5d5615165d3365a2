/* input.c: inputs from the secret seed. */
#include "grader/job/input.h"
#include "grader/job/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
