/* data.c: fills and checks. Double-precision values hold every float, so the work is written once,
 * on accessors. */
#include "runtime/compare/program/data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *data_mode_name(data_mode mode) {
    return mode == DATA_EXACT ? "exact" : "real";
}

/* A stateless generator: element i of stream `seed` (Steele, Lea and Flood's SplitMix64). */
static uint64_t random_at(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double unit(uint64_t r) {
    return (double)(r >> 11) * 0x1p-53;
}

/* A bfloat16 is the upper half of a float. */
static float from_bf16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* To the nearest, ties to even; a NaN stays one. */
static uint16_t to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double get(const void *array, wbk_type type, size_t i) {
    if (type == WBK_BF16)
        return (double)from_bf16(((const uint16_t *)array)[i]);
    return type == WBK_F64 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

static void put(void *array, wbk_type type, size_t i, double value) {
    if (type == WBK_F64)
        ((double *)array)[i] = value;
    else if (type == WBK_BF16)
        ((uint16_t *)array)[i] = to_bf16((float)value);
    else
        ((float *)array)[i] = (float)value;
}

static bool only_moves(wbk_shape shape) {
    return shape == WBK_COPY || shape == WBK_TRANSPOSE || shape == WBK_ACCESS;
}

/* Every element different, among them infinities, NaN with payloads and -0: an odd multiplier is a
 * bijection of the bit patterns. */
static void fill_patterns(void *array, wbk_type type, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        if (type == WBK_F64)
            ((uint64_t *)array)[i] = (i + seed) * 0x9E3779B97F4A7C15u;
        else
            ((uint32_t *)array)[i] = (uint32_t)(i + seed) * 0x9E3779B1u;
    }
    static const uint32_t odd[] = {0x80000000u, 0x7FC01234u, 0xFF800001u, 0x00000001u};
    for (size_t i = 0; i < 4 && i < n; i++) {
        if (type == WBK_F64)
            ((uint64_t *)array)[n - 1 - i] = (uint64_t)odd[i] << 32 | i;
        else
            ((uint32_t *)array)[n - 1 - i] = odd[i];
    }
}

/* Integers of mean above zero: about a thousand of 12 bits (rounding an input to TF32, fp16 or bf16
 * shows), the rest small, and so few of them not 0 that no partial sum reaches 2^24. */
static void fill_summands(void *array, wbk_type type, size_t n, uint64_t seed) {
    double large = fmin(0.25, 1024 / ((double)n + 1)), small = fmin(1, 0x1p20 / ((double)n + 1));
    for (size_t i = 0; i < n; i++) {
        uint64_t r = random_at(seed, i);
        double dice = unit(r), value = 0;
        if (dice < large)
            value = (double)(r % 2048) * 2 + 1 - (r % 7 == 0 ? 4096 : 0);
        else if (dice < small)
            value = (double)(r % 12) - 4;
        put(array, type, i, value);
    }
}

static void fill_reals(void *array, wbk_type type, size_t n, uint64_t seed, double low) {
    for (size_t i = 0; i < n; i++)
        put(array, type, i, low + unit(random_at(seed, i)) * (1.0 - low));
}

/* Odd integers of 12 bits, or as many as the type multiplies, times -1, 0, 1: every partial sum of
 * up to 4096 products is below 2^24, and an input rounded to fewer bits shows. */
double data_largest_product(wbk_type type) {
    int precision = wbk_type_precision(type);
    return (double)(1 << (precision < 12 ? precision : 12)) - 1;
}

static void fill_gemm(data_mode mode, wbk_type type, wbk_elements e, uint64_t seed, void *a,
                      void *b, void *c) {
    if (mode == DATA_REAL) {
        fill_reals(a, type, e.a, seed, -1);
        fill_reals(b, type, e.b, seed + 1, -1);
        fill_reals(c, type, e.c, seed + 2, -1);
        return;
    }
    double largest = data_largest_product(type);
    for (size_t i = 0; i < e.a; i++)
        put(a, type, i, (double)(random_at(seed, i) % (uint64_t)(largest + 1)) * 2 - largest);
    for (size_t i = 0; i < e.b; i++)
        put(b, type, i, (double)(random_at(seed + 1, i) % 3) - 1);
    for (size_t i = 0; i < e.c; i++)
        put(c, type, i, (double)(random_at(seed + 2, i) % 15) - 7);
}

void data_fill(const wbk_kernel *kernel, data_mode mode, const arguments *g, uint64_t seed, void *a,
               void *b, void *c) {
    wbk_elements e = wbk_buffer_elements(kernel, g->size);
    if (wbk_rate_is_flops(kernel->shape)) {
        fill_gemm(mode, g->type, e, seed, a, b, c);
    } else if (kernel->shape == WBK_UPDATE) {
        for (size_t i = 0; i < e.c; i++)
            put(c, g->type, i, (double)(random_at(seed, i) % 4096));
    } else if (mode == DATA_REAL) {
        fill_reals(a, g->type, e.a, seed, only_moves(kernel->shape) ? -1 : 0.25);
    } else if (only_moves(kernel->shape)) {
        fill_patterns(a, g->type, e.a, seed);
    } else {
        fill_summands(a, g->type, e.a, seed);
    }
}

/* ---- checking ----------------------------------------------------------------------------- */

/* Where the check stands and where it puts its complaint. */
typedef struct verdict {
    char *text;
    size_t size;
    wbk_type type;
} verdict;

/* Of the additions. Tensor cores cut off what they do not keep (Fasi, Higham, Mikaitis and Pranesh,
 * "Numerical behavior of NVIDIA tensor cores", 2021): twice that of rounding to nearest. */
static double unit_roundoff(wbk_type type) {
    return type == WBK_F64 ? 0x1p-53 : type == WBK_F32 ? 0x1p-24 : 0x1p-23;
}

/* How far products may be off in all, relative to sum |a b|, because inputs lose bits before they
 * are multiplied: two inputs cut off to 11 bits, 2^-10 each; on random data, where errors cancel,
 * eight standard deviations of that sum. */
static double input_error(wbk_type type, size_t k) {
    return type == WBK_TF32 ? fmin(0x1p-9, 0x1p-7 / sqrt((double)k + 1)) : 0;
}

/* The exact value as the type holds it, and what rounding a result to the type adds to an error. */
static double as_stored(wbk_type type, double value) {
    return type == WBK_BF16 ? (double)from_bf16(to_bf16((float)value)) : value;
}
static double output_error(wbk_type type, double value) {
    return type == WBK_BF16 ? 0x1p-8 * fabs(value) : 0;
}

static bool close_enough(const verdict *v, const char *what, double got, double expected,
                         double tolerance) {
    if (fabs(got - expected) <= tolerance)
        return true;
    snprintf(v->text, v->size, "%s is %.9g, should be %.9g (off by %.3g, allowed %.3g)", what, got,
             expected, fabs(got - expected), tolerance);
    return false;
}

/* Libraries that compute 1 x instead of moving x may quiet a NaN and lose the sign of a zero. */
static bool same_value(const wbk_kernel *kernel, wbk_type type, const char *got, const char *want) {
    double x = get(got, type, 0), y = get(want, type, 0);
    return kernel->reference && (x == y || (isnan(x) && isnan(y)));
}

static bool check_moved_element(const wbk_kernel *kernel, const verdict *v, const void *a,
                                const void *c, size_t from, size_t to, size_t cols) {
    size_t width = wbk_type_size(v->type);
    const char *got = (const char *)c + to * width, *want = (const char *)a + from * width;
    if (memcmp(got, want, width) == 0 || same_value(kernel, v->type, got, want))
        return true;
    uint64_t g = 0, w = 0;
    memcpy(&g, got, width);
    memcpy(&w, want, width);
    snprintf(v->text, v->size,
             "element %zu (row %zu, column %zu of the output) has the bits 0x%0*" PRIx64
             ", should have 0x%0*" PRIx64,
             to, to / cols, to % cols, (int)width * 2, g, (int)width * 2, w);
    return false;
}

/* Square by square, so that the side that is read across stays in the cache. */
static bool check_moved(const wbk_kernel *kernel, const verdict *v, wbk_size s, const void *a,
                        const void *c) {
    enum { SQUARE = 64 };
    size_t rows = kernel->shape == WBK_TRANSPOSE ? s.n : kernel->shape == WBK_COPY ? s.m : 1;
    size_t cols = kernel->shape == WBK_TRANSPOSE ? s.m : s.n;
    for (size_t row0 = 0; row0 < rows; row0 += SQUARE)
        for (size_t col0 = 0; col0 < cols; col0 += SQUARE)
            for (size_t row = row0; row < rows && row < row0 + SQUARE; row++)
                for (size_t col = col0; col < cols && col < col0 + SQUARE; col++) {
                    size_t to = row * cols + col, from = to;
                    if (kernel->shape == WBK_TRANSPOSE)
                        from = col * s.n + row;
                    else if (kernel->shape == WBK_ACCESS)
                        from =
                            kernel->by_stride ? to * (size_t)kernel->by : to + (size_t)kernel->by;
                    if (!check_moved_element(kernel, v, a, c, from, to, cols))
                        return false;
                }
    return true;
}

/* One sum of n elements, `step` apart. The bound is that of a sum whose threads add up to n / 64
 * and at least 1024 elements each before a tree: (L + log2 n) u sum|x|. A row of n is added by one
 * thread. */
static bool check_sum(const verdict *v, data_mode mode, const char *what, const void *a,
                      size_t first, size_t step, size_t n, bool one_thread, double got) {
    double sum = 0, magnitude = 0;
    for (size_t i = 0; i < n; i++) {
        double x = get(a, v->type, first + i * step);
        sum += x;
        magnitude += fabs(x);
    }
    double length = one_thread ? (double)n : fmin((double)n, fmax(1024, (double)n / 65536));
    double tolerance = mode == DATA_EXACT
                           ? 0
                           : (length + log2((double)n + 2)) * unit_roundoff(v->type) * magnitude;
    return close_enough(v, what, got, sum, tolerance);
}

static bool check_sums(const wbk_kernel *kernel, const verdict *v, data_mode mode, wbk_size s,
                       const void *a, const void *c) {
    if (kernel->shape == WBK_REDUCE)
        return check_sum(v, mode, "the sum", a, 0, 1, s.n, false, get(c, v->type, 0));
    bool rows = kernel->shape == WBK_ROW_SUMS;
    for (size_t i = 0; i < (rows ? s.m : s.n); i++) {
        char what[80];
        snprintf(what, sizeof what, "the sum of %s %zu", rows ? "row" : "column", i);
        if (!check_sum(v, mode, what, a, rows ? i * s.n : i, rows ? 1 : s.n, rows ? s.n : s.m, true,
                       get(c, v->type, i)))
            return false;
    }
    return true;
}

/* One element of alpha A B + beta C. The bound: gamma_(k+2) = (k + 2) u / (1 - (k + 2) u) times
 * |alpha| |A| |B| + |beta| |C|, which holds for any order (Higham, "Accuracy and Stability of
 * Numerical Algorithms", 2002, section 3.5), cut to 8 sqrt(k) + 16 roundings, which only
 * a lower precision exceeds on random data. */
static bool check_gemm_element(const wbk_kernel *kernel, const verdict *v, data_mode mode,
                               const arguments *g, const void *a, const void *b,
                               const void *c_before, const void *c, size_t row, size_t col) {
    size_t m = g->size.m, n = g->size.n, k = g->size.k;
    bool column = kernel->shape == WBK_GEMM_COLUMN;
    double sum = 0, magnitude = 0;
    for (size_t i = 0; i < k; i++) {
        double product = get(a, v->type, column ? i * m + row : row * k + i) *
                         get(b, v->type, column ? col * k + i : i * n + col);
        sum += product;
        magnitude += fabs(product);
    }
    size_t at = column ? col * m + row : row * n + col;
    double before = g->beta != 0 ? g->beta * get(c_before, v->type, at) : 0;
    double u = unit_roundoff(v->type), gamma = ((double)k + 2) * u / (1 - ((double)k + 2) * u);
    double relative = fmin(gamma, (8 * sqrt((double)k) + 16) * u) + input_error(v->type, k);
    double tolerance = relative * (fabs(g->alpha) * magnitude + fabs(before));
    double exact = g->alpha * sum + before;
    tolerance += output_error(v->type, fabs(exact) + tolerance);
    char what[100];
    snprintf(what, sizeof what, "C[%zu][%zu]", row, col);
    if (mode == DATA_EXACT)
        return close_enough(v, what, get(c, v->type, at), as_stored(v->type, exact), 0);
    return close_enough(v, what, get(c, v->type, at), exact, tolerance);
}

static bool check_gemm(const wbk_kernel *kernel, const verdict *v, data_mode mode,
                       const arguments *g, const void *a, const void *b, const void *c_before,
                       const void *c) {
    size_t m = g->size.m, n = g->size.n;
    double work = (double)m * (double)n * (double)g->size.k;
    /* Beyond a second's work, elements along wrapped diagonals: each row and each column in turn.
     */
    size_t all = m * n, longest = m > n ? m : n;
    double share = work > 1.5e8 ? 1.5e8 / work : 1;
    size_t count = share < 1 ? (size_t)((double)all * share) : all;
    if (share < 1 && count < longest)
        count = longest;
    for (size_t i = 0; i < count; i++) {
        size_t row = i / n, col = i % n;
        if (share < 1) {
            row = i % m;
            col = (i + i / longest * 7919) % n;
        }
        if (!check_gemm_element(kernel, v, mode, g, a, b, c_before, c, row, col))
            return false;
    }
    return true;
}

bool data_check(const wbk_kernel *kernel, data_mode mode, const arguments *g, const void *a,
                const void *b, const void *c_before, const void *result, char *text, size_t size) {
    verdict v = {text, size, g->type};
    switch (kernel->shape) {
    case WBK_UPDATE:
        for (size_t i = 0; i < g->size.n; i++) {
            char what[60];
            snprintf(what, sizeof what, "element %zu", i);
            if (!close_enough(&v, what, get(result, v.type, i), get(c_before, v.type, i) + 1, 0))
                return false;
        }
        return true;
    case WBK_COPY:
    case WBK_TRANSPOSE:
    case WBK_ACCESS:
        return check_moved(kernel, &v, g->size, a, result);
    case WBK_GEMM:
    case WBK_GEMM_COLUMN:
        return check_gemm(kernel, &v, mode, g, a, b, c_before, result);
    default:
        return check_sums(kernel, &v, mode, g->size, a, result);
    }
}
