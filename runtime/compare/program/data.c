/* data.c: fills the inputs. */
#include "runtime/compare/program/data.h"

#include <math.h>

#include "runtime/base/base.h"

const char *data_mode_name(data_mode mode) {
    return mode == DATA_EXACT ? "exact" : mode == DATA_REAL ? "real" : "ignored";
}

static double unit(uint64_t r) {
    return (double)(r >> 11) * 0x1p-53;
}

static bool only_moves(wbk_shape shape) {
    return shape == WBK_COPY || shape == WBK_TRANSPOSE || shape == WBK_ACCESS;
}

/* ---- filling ------------------------------------------------------------------------------ */

/* An array to fill. Each element depends only on its index and the seed. */
typedef struct filling {
    double (*value)(const struct filling *f, size_t i);
    void *array;
    wbk_type type;
    size_t n;
    uint64_t seed;
    double parameter; /* for `value` */
} filling;

static void fill_part(void *ctx, int64_t from, int64_t to) {
    const filling *f = ctx;
    for (size_t i = (size_t)from; i < (size_t)to; i++)
        element_put(f->array, f->type, i, f->value(f, i));
}

static void fill(filling f) {
    wb_parallel((int64_t)f.n, fill_part, &f);
}

static void fill_patterns_part(void *ctx, int64_t from, int64_t to) {
    const filling *f = ctx;
    for (size_t i = (size_t)from; i < (size_t)to; i++) {
        if (f->type == WBK_F64)
            ((uint64_t *)f->array)[i] = (i + f->seed) * 0x9E3779B97F4A7C15u;
        else
            ((uint32_t *)f->array)[i] = (uint32_t)(i + f->seed) * 0x9E3779B1u;
    }
}

/* Fills with distinct elements, among them infinities, NaN with payloads and -0. An odd multiplier
 * is a bijection of the bit patterns. */
static void fill_patterns(void *array, wbk_type type, size_t n, uint64_t seed) {
    filling f = {.array = array, .type = type, .n = n, .seed = seed};
    wb_parallel((int64_t)n, fill_patterns_part, &f);
    static const uint32_t odd[] = {0x80000000u, 0x7FC01234u, 0xFF800001u, 0x00000001u};
    for (size_t i = 0; i < 4 && i < n; i++) {
        if (type == WBK_F64)
            ((uint64_t *)array)[n - 1 - i] = (uint64_t)odd[i] << 32 | i;
        else
            ((uint32_t *)array)[n - 1 - i] = odd[i];
    }
}

/* Returns integers with a positive mean. About a thousand have 12 bits, so that rounding an input
 * to TF32, fp16 or bf16 shows. The rest are small, mostly 0: no partial sum reaches 2^24. */
static double summand(const filling *f, size_t i) {
    double n = (double)f->n + 1, large = fmin(0.25, 1024 / n), small = fmin(1, 0x1p20 / n);
    uint64_t r = data_random(f->seed, i);
    double dice = unit(r);
    if (dice < large)
        return (double)(r % 2048) * 2 + 1 - (r % 7 == 0 ? 4096 : 0);
    return dice < small ? (double)(r % 12) - 4 : 0;
}

/* Returns negative 24-bit whole numbers, so that a maximum that started from 0 shows. */
static double negative(const filling *f, size_t i) {
    return -1 - (double)(data_random(f->seed, i) >> 40);
}

/* Returns reals uniform from parameter to 1. */
static double real(const filling *f, size_t i) {
    return f->parameter + unit(data_random(f->seed, i)) * (1.0 - f->parameter);
}

/* Returns odd whole numbers up to parameter, of either sign. */
static double odd(const filling *f, size_t i) {
    return (double)(data_random(f->seed, i) % (uint64_t)(f->parameter + 1)) * 2 - f->parameter;
}

/* Returns -1 or 1 in a share `parameter` of the places, else 0. */
static double sign(const filling *f, size_t i) {
    uint64_t r = data_random(f->seed, i);
    return unit(r) >= f->parameter ? 0 : r % 2 ? 1 : -1;
}

/* Returns whole numbers uniform in [0, parameter); whole_around_0 centres them. */
static double whole(const filling *f, size_t i) {
    return (double)(data_random(f->seed, i) % (uint64_t)f->parameter);
}

static double whole_around_0(const filling *f, size_t i) {
    return whole(f, i) - (f->parameter - 1) / 2;
}

/* Returns bytes of unequal frequency: a quarter is one run, and a third of the rest is 0. */
static double skewed(const filling *f, size_t i) {
    double u = unit(data_random(f->seed, i)), square = u * u;
    return i < f->n / 4 ? 65 : floor(256 * square * square * u);
}

/* Fills rows of `parameter` columns with values within 20 of -150, 0 or 150, where exp is 0, a
 * number or infinite. */
static double logit(const filling *f, size_t i) {
    double around = 150 * ((double)(data_random(f->seed + 1, i / (size_t)f->parameter) % 3) - 1);
    return (double)(float)(around + 40 * (unit(data_random(f->seed, i)) - 0.5));
}

/* Fills such rows with the row's largest value (a whole number) or values so far below that their
 * exponential is 0 in fp32. Results are 0 or 1/n. */
static double peak_or_nothing(const filling *f, size_t i) {
    uint64_t row = data_random(f->seed + 1, i / (size_t)f->parameter), r = data_random(f->seed, i);
    bool peak = r % 5 == 0 || i % (size_t)f->parameter == row % (uint64_t)f->parameter;
    return 150 * ((double)(row % 3) - 1) - (peak ? 0 : 120 + (double)(r % 64));
}

static double not_finite(const filling *f, size_t i) {
    uint64_t r = data_random(f->seed, i) % 4;
    return r == 0 ? INFINITY : r == 1 ? -INFINITY : NAN;
}

/* Returns the largest exact input of a product: 12 bits, or as many as the type multiplies. fp16
 * has 9, more than bf16 keeps, because its results end at 65504. */
static double largest_input(wbk_type type) {
    int precision = type == WBK_F16 ? 9 : wbk_type_precision(type);
    return (double)(1 << (precision < 12 ? precision : 12)) - 1;
}

/* Returns the limit for the sum of all |products|. fp32 has whole numbers up to 2^24. 64 products
 * of fp16 stay well below its largest number. Tensor cores keep fp8 sums to 14 bits. */
static double largest_sum(wbk_type type) {
    return type == WBK_F16 ? 1.5 * 64 * 511 : type == WBK_FP8 ? 0x1p13 : 0x1p24;
}

/* EXACT: fills with odd integers times -1, 0, 1. Rounding an input to fewer bits shows, and partial
 * sums of up to 2^24 / largest products stay below 2^24 (4096 for float). For a larger k, B has
 * more zeros, so that the sum of all |products| has a mean of a third of 2^24 and varies little
 * (for fp16 that of 64 products). */
static void fill_gemm(data_mode mode, const arguments *g, wbk_elements e, uint64_t seed, void *a,
                      void *b, void *c) {
    filling of_a = {.array = a, .type = g->type, .n = e.a, .seed = seed};
    filling of_b = {.array = b, .type = g->type, .n = e.b, .seed = seed + 1};
    filling of_c = {.array = c, .type = wbk_result_type(g->type), .seed = seed + 2};
    of_c.n = g->type == WBK_FP8 ? e.c / 2 : e.c;
    double largest = largest_input(g->type);
    if (mode == DATA_REAL) {
        of_a.value = of_b.value = of_c.value = real;
        of_a.parameter = of_b.parameter = of_c.parameter = -1;
    } else {
        of_a.value = mode == DATA_IGNORED ? not_finite : odd;
        of_a.parameter = largest;
        of_b.value = mode == DATA_IGNORED ? not_finite : sign;
        of_b.parameter =
            2.0 / 3 * fmin(1, largest_sum(g->type) / largest / ((double)g->size.k + 1));
        of_c.value = whole_around_0;
        of_c.parameter = 15;
    }
    fill(of_a);
    fill(of_b);
    fill(of_c);
}

void data_fill(const wbk_kernel *kernel, data_mode mode, const arguments *g, uint64_t seed, void *a,
               void *b, void *c) {
    wbk_elements e = wbk_buffer_elements(kernel, g->size);
    bool update = kernel->shape == WBK_UPDATE;
    filling f = {.value = summand, .array = a, .type = g->type, .n = e.a, .seed = seed};
    if (wbk_rate_is_flops(kernel->shape)) {
        fill_gemm(mode, g, e, seed, a, b, c);
        return;
    }
    if (mode == DATA_EXACT && only_moves(kernel->shape)) {
        fill_patterns(a, g->type, e.a, seed);
        return;
    }
    if (kernel->shape == WBK_HISTOGRAM) {
        f.value = mode == DATA_REAL ? skewed : whole;
        f.parameter = 256;
    } else if (kernel->shape == WBK_SOFTMAX) {
        f.value = mode == DATA_REAL ? logit : peak_or_nothing;
        f.parameter = g->size.n > 0 ? (double)g->size.n : 1;
    } else if (update) {
        f.value = whole;
        f.parameter = 4096;
        f.array = c;
        f.n = e.c;
    } else if (mode == DATA_REAL) {
        f.value = real;
        f.parameter = only_moves(kernel->shape) || kernel->shape == WBK_MAXIMUM ? -1 : 0.25;
    } else if (kernel->shape == WBK_MAXIMUM) {
        f.value = negative;
    }
    fill(f);
}
