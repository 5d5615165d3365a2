/* input.c: inputs from the secret seed. */
#include "grader/job/input.h"
#include "grader/job/draw.h"
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

/* ---- whole numbers -------------------------------------------------------------------------- */

/* For GEMM: a holds odd 12-bit integers, so that an input rounded to TF32, half or bfloat16 shows;
 * b holds -1, 0, 1; c 12-bit integers. */
static double product_value(char array, uint32_t w) {
    if (array == 'b')
        return (double)(int)(w % 3) - 1;
    int value = (int)(w % 4096) | (array == 'a');
    return w >> 31 ? -value : value;
}

/* A term that shows which precision inputs are rounded to: 13 bits, 4096 to 7405, such that TF32
 * and half (11 bits), bfloat16 (8) and both kinds of 8-bit floats (4 and 3) all round it down, to
 * the nearest as well: what they lose never cancels. */
static int32_t telling(uint32_t w) {
    return 4096 + (int32_t)(w & 3) * 1024 + (int32_t)(w >> 2 & 7) * 32 + (int32_t)(w >> 5 & 3) * 4 +
           1;
}

/* For sums of `terms` elements: partial sums stay below 2^24 in every order. Half of that is for
 * telling terms, all of them where there are few, some 1450 among many; the others are small, ones
 * among zeros at worst. Mostly positive, so that a sum cut short shows. */
static double sum_value(int64_t terms, uint32_t w) {
    enum { TELLING = 8388608 / 5751, SMALL = 4194304 }; /* 5751: their mean */
    bool negative = (w & 15) < 3;
    uint32_t chance = w >> 4;
    double limit = terms <= TELLING ? 0x1p28 : 0x1p28 * TELLING / (double)terms, value;
    if (chance < limit) {
        value = telling(w * 0x9e3779b1u >> 20);
    } else if (SMALL / terms >= 2) {
        int64_t span = SMALL / terms < 1000 ? SMALL / terms : 1000;
        value = (double)((int64_t)(chance % (uint64_t)span) + 1);
    } else {
        value = chance >= limit + 0x1p27 * SMALL / (double)terms ? 0 : 1;
        negative = false;
    }
    return negative ? -value : value;
}

/* Whole numbers whose sums can't round. */
static double exact_value(const gr_job *job, char array, int64_t terms, uint32_t w) {
    if (strcmp(job->reference, "gemm") == 0)
        return product_value(array, w);
    return sum_value(terms, w);
}

/* ---- real numbers --------------------------------------------------------------------------- */

/* The nearby value whose bits make formats with fewer lose something always in the same direction,
 * rounded to the nearest or cut off: below the 11 bits of TF32 and half stands 01, below the 8 of
 * bfloat16 a 0, and of a double 01 below the 24 of a float. */
static double shaped(gr_type type, double value) {
    if (fabs(value) < 1e-30)
        return value;
    if (type == GR_DOUBLE) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits &= ~((uint64_t)((1 << 15) | (1 << 12)) << 29 | 1 << 28);
        bits |= (uint64_t)(1 << 11) << 29 | 1 << 27;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    bits = (bits & ~(uint32_t)((1 << 15) | (1 << 12))) | 1 << 11;
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

/* Where a sum has more terms than this, a correct one that adds them one by one cuts them as short
 * as TF32 does, and would lose as much if they were shaped. Products cancel: theirs may be. */
enum { SHAPED_TERMS = 1024 };

static bool may_shape(const gr_job *job, const gr_job_arg *arg) {
    int64_t rows = gr_job_size(job, "rows"), cols = gr_job_size(job, "cols");
    int64_t terms = rows || cols ? (rows > cols ? rows : cols) : arg->count;
    return arg->type != GR_INT && (strcmp(job->reference, "gemm") == 0 || terms <= SHAPED_TERMS);
}

void gr_input_fill(const gr_job *job, int index, uint32_t run, void *data) {
    const gr_job_arg *arg = &job->args[index];
    size_t n = (size_t)arg->count;
    if (arg->role == GR_OUTPUT) {
        gr_poison(data, gr_job_arg_bytes(arg), GR_POISON);
        return;
    }
    if (job->own) {
        gr_draw_fill(job, index, run, data);
        return;
    }
    bool shape = may_shape(job, arg);
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
            if (shape && job->values == GR_REAL)
                value = shaped(arg->type, value);
            store(data, arg->type, done + i, value);
        }
        done += part;
    }
}
