/* judge.c: checks results. */
#include <inttypes.h>
#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/compare/program/data.h"

/* One thread's error message. */
typedef struct verdict {
    char *text;
    size_t size;
    wbk_type type;
    double *error; /* the largest so far (data_check) */
} verdict;

/* A result that several threads check in parts. Keeps the message about the first wrong part. */
typedef struct judging {
    bool (*judge)(const struct judging *j, const verdict *v, size_t from, size_t to);
    const wbk_kernel *kernel;
    data_mode mode;
    const arguments *g;
    const void *a, *b, *c_before, *c;
    double share;              /* gemm_elements: share of C to check */
    double most;               /* check_gemm: multiplications of about one second */
    uint64_t seed, *b_times_x; /* freivalds_rows */
    pthread_mutex_t lock;
    int64_t wrong_from; /* the part of the message; -1: none */
    double error;
    char *text;
    size_t size;
} judging;

static void judge_part(void *ctx, int64_t from, int64_t to) {
    judging *j = ctx;
    char text[400];
    double error = 0;
    verdict v = {text, sizeof text, j->g->type, &error};
    bool right = from == to || j->judge(j, &v, (size_t)from, (size_t)to);
    WB_LOCKED(&j->lock);
    j->error = fmax(j->error, error);
    if (!right && (j->wrong_from < 0 || from < j->wrong_from)) {
        j->wrong_from = from;
        snprintf(j->text, j->size, "%s", text);
    }
}

static bool judge_all(judging *j, size_t parts) {
    wb_parallel((int64_t)parts, judge_part, j);
    return j->wrong_from < 0;
}

/* Returns the unit roundoff of additions. Tensor cores truncate, which doubles it (Fasi, Higham,
 * Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021). */
static double unit_roundoff(wbk_type type) {
    return type == WBK_F64 ? 0x1p-53 : type == WBK_F32 ? 0x1p-24 : 0x1p-23;
}

static bool close_enough(const verdict *v, const char *what, double got, double expected,
                         double tolerance) {
    if (fabs(got - expected) <= tolerance)
        return true;
    snprintf(v->text, v->size, "%s is %.9g, should be %.9g (off by %.3g, allowed %.3g)", what, got,
             expected, fabs(got - expected), tolerance);
    return false;
}

/* ---- what was moved ----------------------------------------------------------------------- */

/* Returns true if both are the same value. Libraries that compute 1 x to move x may quiet a NaN and
 * lose the sign of zero. */
static bool same_value(const wbk_kernel *kernel, wbk_type type, const char *got, const char *want) {
    double x = element_get(got, type, 0), y = element_get(want, type, 0);
    return kernel->reference && (x == y || (isnan(x) && isnan(y)));
}

static bool moved_element(const judging *j, const verdict *v, size_t from, size_t to, size_t cols) {
    size_t width = wbk_type_size(v->type);
    const char *got = (const char *)j->c + to * width, *want = (const char *)j->a + from * width;
    if (memcmp(got, want, width) == 0 || same_value(j->kernel, v->type, got, want))
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

enum { SQUARE = 64 };

/* Returns the output as a matrix: of copies and transposes its own shape, of others one row. */
static wbk_size output_matrix(const judging *j) {
    wbk_size s = j->g->size;
    switch (j->kernel->shape) {
    case WBK_TRANSPOSE:
        return (wbk_size){.m = s.n, .n = s.m};
    case WBK_COPY:
        return (wbk_size){.m = s.m, .n = s.n};
    default:
        return (wbk_size){.m = 1, .n = s.n};
    }
}

static size_t source_of(const judging *j, size_t row, size_t col, size_t cols) {
    size_t by = (size_t)j->kernel->by;
    switch (j->kernel->shape) {
    case WBK_TRANSPOSE:
        return col * j->g->size.n + row;
    case WBK_COPY:
        return row * cols + col;
    default:
        return j->kernel->by_stride ? col * by : col + by;
    }
}

static size_t squares(size_t n) {
    return (n + SQUARE - 1) / SQUARE;
}

/* Checks squares, so that the strided side stays in the cache. */
static bool moved_squares(const judging *j, const verdict *v, size_t from, size_t to) {
    wbk_size out = output_matrix(j);
    for (size_t square = from; square < to; square++) {
        size_t row0 = square / squares(out.n) * SQUARE, col0 = square % squares(out.n) * SQUARE;
        for (size_t row = row0; row < out.m && row < row0 + SQUARE; row++)
            for (size_t col = col0; col < out.n && col < col0 + SQUARE; col++)
                if (!moved_element(j, v, source_of(j, row, col, out.n), row * out.n + col, out.n))
                    return false;
    }
    return true;
}

static bool check_moved(judging *j) {
    wbk_size out = output_matrix(j);
    j->judge = moved_squares;
    return judge_all(j, squares(out.m) * squares(out.n));
}

static bool updated_elements(const judging *j, const verdict *v, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        char what[60];
        snprintf(what, sizeof what, "element %zu", i);
        if (!close_enough(v, what, element_get(j->c, v->type, i),
                          element_get(j->c_before, v->type, i) + 1, 0))
            return false;
    }
    return true;
}

/* ---- sums --------------------------------------------------------------------------------- */

typedef struct true_sum {
    double sum, magnitude; /* of x, of |x| */
    double greatest;       /* of the numbers among them */
} true_sum;

/* Sums n elements, `step` apart. */
static true_sum sum_of(const void *a, wbk_type type, size_t first, size_t step, size_t n) {
    true_sum s = {0, 0, -INFINITY};
    for (size_t i = 0; i < n; i++) {
        double x = element_get(a, type, first + i * step);
        s.sum += x;
        s.magnitude += fabs(x);
        s.greatest = x > s.greatest ? x : s.greatest;
    }
    return s;
}

/* Checks a sum of n elements. The bound, (L + log2 n) u sum|x|, is that of threads that add n /
 * 65536, and at least 1024, elements each before a tree. One thread adds a row. */
static bool sum_is_right(const verdict *v, data_mode mode, const char *what, true_sum s, size_t n,
                         bool one_thread, double got) {
    double length = one_thread ? (double)n : fmin((double)n, fmax(1024, (double)n / 65536));
    double tolerance = mode == DATA_EXACT
                           ? 0
                           : (length + log2((double)n + 2)) * unit_roundoff(v->type) * s.magnitude;
    return close_enough(v, what, got, s.sum, tolerance);
}

enum { CHUNK = 1 << 20 };

typedef struct long_sum {
    const void *a;
    wbk_type type;
    size_t n;
    true_sum *chunks;
} long_sum;

static void sum_chunks(void *ctx, int64_t from, int64_t to) {
    const long_sum *l = ctx;
    for (size_t i = (size_t)from; i < (size_t)to; i++) {
        size_t first = i * CHUNK, n = l->n - first < CHUNK ? l->n - first : CHUNK;
        l->chunks[i] = sum_of(l->a, l->type, first, 1, n);
    }
}

static bool check_maximum(const judging *j, const verdict *v, true_sum s) {
    double got = element_get(j->c, v->type, 0);
    bool nothing = j->g->size.n == 0; /* CUB then returns the least finite number */
    if (got == s.greatest || (nothing && j->kernel->reference))
        return true;
    snprintf(v->text, v->size, "the maximum is %.9g, should be %.9g", got, s.greatest);
    return false;
}

static bool check_sum_or_maximum(const judging *j) {
    verdict v = {.text = j->text, .size = j->size, .type = j->g->type};
    size_t n = j->g->size.n, chunks = n / CHUNK + 1;
    long_sum l = {j->a, v.type, n, calloc(chunks, sizeof *l.chunks)};
    true_sum all = {0, 0, -INFINITY};
    if (!l.chunks) {
        snprintf(v.text, v.size, "there is no memory to work the result out");
        return false;
    }
    wb_parallel((int64_t)chunks, sum_chunks, &l);
    for (size_t i = 0; i < chunks; i++) {
        all.sum += l.chunks[i].sum;
        all.magnitude += l.chunks[i].magnitude;
        all.greatest = fmax(all.greatest, l.chunks[i].greatest);
    }
    free(l.chunks);
    if (j->kernel->shape == WBK_MAXIMUM)
        return check_maximum(j, &v, all);
    return sum_is_right(&v, j->mode, "the sum", all, n, false, element_get(j->c, v.type, 0));
}

static bool row_or_column_sums(const judging *j, const verdict *v, size_t from, size_t to) {
    bool rows = j->kernel->shape == WBK_ROW_SUMS;
    size_t m = j->g->size.m, n = j->g->size.n, length = rows ? n : m;
    for (size_t i = from; i < to; i++) {
        char what[80];
        snprintf(what, sizeof what, "the sum of %s %zu", rows ? "row" : "column", i);
        true_sum s = sum_of(j->a, v->type, rows ? i * n : i, rows ? 1 : n, length);
        if (!sum_is_right(v, j->mode, what, s, length, true, element_get(j->c, v->type, i)))
            return false;
    }
    return true;
}

/* ---- prefix sums, histograms, softmax ---- */

/* Checks all prefix sums. The bound is that of sum_is_right, but tiles of at least 1024 elements
 * may be added one after the other. It is limited as for products. */
static bool check_scan(const judging *j) {
    verdict v = {.text = j->text, .size = j->size, .type = j->g->type};
    double sum = 0, magnitude = 0, u = unit_roundoff(v.type);
    for (size_t i = 0; i < j->g->size.n; i++) {
        double x = element_get(j->a, v.type, i), got = element_get(j->c, v.type, i);
        sum += x;
        magnitude += fabs(x);
        if (got == sum)
            continue;
        double length = fmin((double)i, fmax(1024, (double)i / 1024)) + log2((double)i + 2);
        double tolerance =
            j->mode == DATA_EXACT ? 0 : fmin(length, 8 * sqrt(length) + 16) * u * magnitude;
        char what[60];
        if (fabs(got - sum) <= tolerance)
            continue;
        snprintf(what, sizeof what, "the sum of elements 0 to %zu", i);
        return close_enough(&v, what, got, sum, tolerance);
    }
    return true;
}

static bool check_histogram(const judging *j) {
    uint64_t counts[256] = {0};
    const unsigned char *a = j->a;
    for (size_t i = 0; i < j->g->size.n; i++)
        counts[a[i]]++;
    for (int v = 0; v < 256; v++) {
        int got;
        memcpy(&got, (const char *)j->c + (size_t)v * sizeof got, sizeof got);
        if (got >= 0 && (uint64_t)got == counts[v])
            continue;
        snprintf(j->text, j->size, "bin %d is %d, should be %" PRIu64, v, got, counts[v]);
        return false;
    }
    return true;
}

/* A row's values: the subtracted maximum, the sum of exp(x - most), and its terms' total relative
 * error, in unit roundoffs. */
typedef struct normal {
    double most, sum, off;
} normal;

static normal normal_of(const judging *j, const verdict *v, size_t row) {
    size_t n = j->g->size.n;
    normal all = {-INFINITY, 0, 0};
    for (size_t c = 0; c < n; c++)
        all.most = fmax(all.most, element_get(j->a, v->type, row * n + c));
    for (size_t c = 0; c < n; c++) {
        double x = element_get(j->a, v->type, row * n + c) - all.most, e = exp(x);
        all.sum += e;
        all.off += e * fabs(x);
    }
    all.off /= all.sum;
    return all;
}

/* Checks a softmax. x - most and its product with log2 e are rounded, so exp(x - most) has twice
 * its exponent's error, and so has each term of the sum. The power, the quotient and a factor
 * exp(part's most - most) add a few roundings, and the sum its additions, limited as for products.
 * Results below 2^-126 may be 0. */
static bool softmax_rows(const judging *j, const verdict *v, size_t from, size_t to) {
    size_t n = j->g->size.n;
    double u = unit_roundoff(v->type), additions = fmin((double)n, 8 * sqrt((double)n) + 16);
    for (size_t row = from; row < to; row++) {
        normal all = normal_of(j, v, row);
        for (size_t c = 0; c < n; c++) {
            double x = element_get(j->a, v->type, row * n + c) - all.most;
            double want = exp(x) / all.sum, got = element_get(j->c, v->type, row * n + c);
            double relative = (2 * fabs(x) + 2 * all.off + additions + 24) * u;
            if (j->mode == DATA_EXACT) /* 1/n */
                relative = 4 * u;
            if (fabs(got - want) <= relative * want + 0x1p-126)
                continue;
            char what[80];
            snprintf(what, sizeof what, "element %zu of row %zu", c, row);
            return close_enough(v, what, got, want, relative * want + 0x1p-126);
        }
    }
    return true;
}

/* ---- products ----------------------------------------------------------------------------- */

/* Returns element (row, col) of a rows x cols matrix. */
static double entry(const judging *j, const void *matrix, size_t row, size_t col, size_t rows,
                    size_t cols) {
    wbk_shape shape = j->kernel->shape;
    bool column = shape == WBK_GEMM_COLUMN || (shape == WBK_GEMM_TURNED && matrix == j->b);
    bool result = matrix == j->c || matrix == j->c_before;
    return element_get(matrix, result ? wbk_result_type(j->g->type) : j->g->type,
                       column ? col * rows + row : row * cols + col);
}

/* fp8 sums lose bits: tensor cores cut 32 products and their sum to 14 bits of the largest. The
 * worst measured error is a quarter of this (kernels/tensor/15_fp8). */
static const double FP8_SUMS = 0x1p-9;

/* Returns the products' error, relative to sum |a b|, from rounding the inputs: two inputs cut to
 * 11 bits, 2^-10 each. For random data, where errors cancel, eight standard deviations. */
static double input_error(wbk_type type, size_t k) {
    if (type == WBK_FP8)
        return FP8_SUMS;
    return type == WBK_TF32 ? fmin(0x1p-9, 0x1p-7 / sqrt((double)k + 1)) : 0;
}

static void note_error(const verdict *v, double error, double magnitude) {
    if (magnitude > 0)
        *v->error = fmax(*v->error, error / magnitude);
}

/* Returns the exact value as stored; output_error is the rounding error of storing a result. */
static double as_stored(wbk_type type, double value) {
    type = wbk_result_type(type);
    if (type == WBK_F16)
        return element_from_f16(element_to_f16(value));
    return type == WBK_BF16 ? (double)element_from_bf16(element_to_bf16((float)value)) : value;
}

static double output_error(wbk_type type, double value) {
    type = wbk_result_type(type);
    return type == WBK_BF16  ? 0x1p-8 * fabs(value)
           : type == WBK_F16 ? fmax(0x1p-11 * fabs(value), 0x1p-25)
                             : 0;
}

/* Checks one element of alpha A B + beta C. The bound, gamma_(k+2) = (k + 2) u / (1 - (k + 2) u)
 * times |alpha| |A| |B| + |beta| |C|, holds for any order (Higham, "Accuracy and Stability of
 * Numerical Algorithms", 2002, section 3.5). It is limited to 8 sqrt(k) + 16 roundings, which on
 * random data only a lower precision exceeds. With alpha (beta) 0, A and B (C) do not count. */
static bool gemm_element(const judging *j, const verdict *v, size_t row, size_t col) {
    const arguments *g = j->g;
    size_t m = g->size.m, n = g->size.n, k = g->size.k;
    double sum = 0, magnitude = 0;
    for (size_t i = 0; i < k && g->alpha != 0; i++) {
        double product = entry(j, j->a, row, i, m, k) * entry(j, j->b, i, col, k, n);
        sum += product;
        magnitude += fabs(product);
    }
    double before = g->beta != 0 ? g->beta * entry(j, j->c_before, row, col, m, n) : 0;
    double u = unit_roundoff(v->type), gamma = ((double)k + 2) * u / (1 - ((double)k + 2) * u);
    double relative = fmin(gamma, (8 * sqrt((double)k) + 16) * u) + input_error(v->type, k);
    double exact = g->alpha * sum + before, got = entry(j, j->c, row, col, m, n), tolerance = 0;
    if (j->mode == DATA_REAL)
        tolerance = relative * (fabs(g->alpha) * magnitude + fabs(before));
    if (j->kernel->reference && before != 0) /* cuBLAS rounds before and after it adds beta C */
        tolerance += output_error(v->type, g->alpha * sum);
    char what[100];
    note_error(v, fabs(got - exact), fabs(g->alpha) * magnitude + fabs(before));
    snprintf(what, sizeof what, "C[%zu][%zu]", row, col);
    if (j->mode != DATA_REAL && tolerance == 0)
        return close_enough(v, what, got, as_stored(v->type, exact), 0);
    tolerance += output_error(v->type, fabs(exact) + tolerance);
    return close_enough(v, what, got, exact, tolerance);
}

/* Checks all elements, or a share along wrapped diagonals that cover each row and column. */
static bool gemm_elements(const judging *j, const verdict *v, size_t from, size_t to) {
    size_t m = j->g->size.m, n = j->g->size.n, longest = m > n ? m : n;
    for (size_t i = from; i < to; i++) {
        bool all = j->share >= 1;
        size_t row = all ? i / n : i % m, col = all ? i % n : (i + i / longest * 7919) % n;
        if (!gemm_element(j, v, row, col))
            return false;
    }
    return true;
}

/* Returns a whole number modulo 2^64. */
static uint64_t residue(double whole) {
    return (uint64_t)(int64_t)whole;
}

/* Computes rows of B x, where x comes from the seed. */
static bool multiply_by_x(const judging *j, const verdict *v, size_t from, size_t to) {
    size_t n = j->g->size.n, k = j->g->size.k;
    (void)v;
    for (size_t row = from; row < to; row++) {
        uint64_t sum = 0;
        for (size_t col = 0; col < n; col++)
            sum += residue(entry(j, j->b, row, col, k, n)) * data_random(j->seed, col);
        j->b_times_x[row] = sum;
    }
    return true;
}

/* Compares rows of C x with alpha A (B x) + beta C0 x. */
static bool freivalds_rows(const judging *j, const verdict *v, size_t from, size_t to) {
    const arguments *g = j->g;
    size_t m = g->size.m, n = g->size.n, k = g->size.k;
    for (size_t row = from; row < to; row++) {
        uint64_t got = 0, want = 0;
        for (size_t i = 0; i < k; i++)
            want += residue(g->alpha * entry(j, j->a, row, i, m, k)) * j->b_times_x[i];
        for (size_t col = 0; col < n; col++) {
            double c = entry(j, j->c, row, col, m, n), before = 0;
            if (g->beta != 0)
                before = g->beta * entry(j, j->c_before, row, col, m, n);
            if (!(fabs(c) < 0x1p53) || c != floor(c))
                return gemm_element(j, v, row, col); /* reports it */
            got += residue(c) * data_random(j->seed, col);
            want += residue(before) * data_random(j->seed, col);
        }
        for (size_t col = 0; col < n && got != want; col++)
            if (!gemm_element(j, v, row, col))
                return false;
    }
    return true;
}

/* Checks every element of a C of whole numbers in the time of reading the matrices (Freivalds,
 * "Probabilistic machines can use less running time", 1977). Nothing rounds modulo 2^64. A row with
 * errors below 2^24 passes with a probability below 2^-40. */
static bool check_by_freivalds(judging *j) {
    j->seed = 20250;
    j->b_times_x = calloc(j->g->size.k + 1, sizeof *j->b_times_x);
    if (!j->b_times_x) {
        snprintf(j->text, j->size, "there is no memory to check the product");
        return false;
    }
    j->judge = multiply_by_x;
    judge_all(j, j->g->size.k);
    j->judge = freivalds_rows;
    bool right = judge_all(j, j->g->size.m);
    free(j->b_times_x);
    return right;
}

static bool check_gemm(judging *j) {
    size_t m = j->g->size.m, n = j->g->size.n, longest = m > n ? m : n;
    double work = (double)m * (double)n * (double)j->g->size.k, most = j->most;
    if (work > most && j->mode == DATA_EXACT &&
        wbk_type_size(j->g->type) > 2) /* else results are rounded */
        return check_by_freivalds(j);
    j->share = work > most ? most / work : 1;
    size_t count = j->share < 1 ? (size_t)((double)m * (double)n * j->share) : m * n;
    if (j->share < 1 && count < longest)
        count = longest;
    j->judge = gemm_elements;
    return judge_all(j, count);
}

/* Checks one product after the other. */
static bool check_batch(judging *j) {
    arguments one = *j->g;
    wbk_size s = j->g->size;
    size_t width = wbk_type_size(j->g->type), a = s.m * s.k * width, b = s.k * s.n * width;
    size_t c = s.m * s.n * width;
    judging part = *j;
    part.g = &one;
    part.most = fmax(j->most / (double)(s.batch + 1), 1e6);
    for (size_t nth = 0; nth < s.batch && part.wrong_from < 0; nth++) {
        part.a = (const char *)j->a + nth * a;
        part.b = (const char *)j->b + nth * b;
        part.c_before = (const char *)j->c_before + nth * c;
        part.c = (const char *)j->c + nth * c;
        if (!check_gemm(&part)) {
            size_t said = strlen(j->text);
            snprintf(j->text + said, j->size - said, ", in product %zu of the batch", nth);
        }
    }
    j->error = part.error;
    return part.wrong_from < 0;
}

bool data_check(const wbk_kernel *kernel, data_mode mode, const arguments *g, const void *a,
                const void *b, const void *c_before, const void *result, char *text, size_t size,
                double *error) {
    judging j = {.kernel = kernel,
                 .mode = mode,
                 .g = g,
                 .a = a,
                 .b = b,
                 .c_before = c_before,
                 .c = result,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .wrong_from = -1,
                 .most = 1.5e8,
                 .text = text,
                 .size = size};
    *error = 0;
    switch (kernel->shape) {
    case WBK_UPDATE:
        j.judge = updated_elements;
        return judge_all(&j, g->size.n);
    case WBK_COPY:
    case WBK_TRANSPOSE:
    case WBK_ACCESS:
        return check_moved(&j);
    case WBK_GEMM:
    case WBK_GEMM_COLUMN:
    case WBK_GEMM_TURNED:
    case WBK_GEMM_BATCH: {
        bool right = kernel->shape == WBK_GEMM_BATCH ? check_batch(&j) : check_gemm(&j);
        *error = j.error;
        return right;
    }
    case WBK_REDUCE:
    case WBK_MAXIMUM:
        return check_sum_or_maximum(&j);
    case WBK_SCAN:
        return check_scan(&j);
    case WBK_HISTOGRAM:
        return check_histogram(&j);
    case WBK_SOFTMAX:
        j.judge = softmax_rows;
        return judge_all(&j, g->size.n ? g->size.m : 0);
    default:
        j.judge = row_or_column_sums;
        return judge_all(&j, kernel->shape == WBK_ROW_SUMS ? g->size.m : g->size.n);
    }
}
