/* gemm.c: C = alpha A B + beta C and how far off a correct kernel may be.
 *
 * Exact values: every partial sum is a whole number below 2^24 (2^53), so float (double) arithmetic
 * gives the one right result in any order and nothing is allowed. Real values: the product is
 * worked out in the next wider type, and the error may be, per element, that of a sum of K products
 * (gr_rounding, check.h), which are rounded too where they are not fused with the addition, to
 * which beta C is added last or first of all,
 *
 *   R(K + 1, alpha A B, alpha^2 (A o A) (B o B)) + R(K, 0, 2 (beta C)^2) + 3 u (|alpha A B| + |beta
 * C|)
 *
 * A tensor core's TF32 or half inputs are 20 (K = 4096) to 400 times over it. Where a product has
 * more than 2^33 terms, 128 rows are judged so, which the seed chooses, and of all others that they
 * are numbers. */
#include "grader/check/check.h"
#include "grader/job/input.h"
#include "grader/job/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 512 };

/* gcc picks the widest vectors at run time; its sanitizers can't start with ifuncs in the program
 */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define WIDE
#endif

/* c[r][0..nj) += a[r][0..k) times b[0..k)[0..nj) for ROWS rows; b's rows are ldb apart. */
#define DEFINE_PANEL(name, T)                                                                      \
    WIDE static void name(const T *a, int64_t lda, int64_t rows, const T *b, int64_t ldb,          \
                          int64_t k, int64_t nj, T(*c)[COLUMNS]) {                                 \
        for (int64_t p = 0; p < k; p++)                                                            \
            for (int64_t r = 0; r < rows; r++) {                                                   \
                T scale = a[r * lda + p];                                                          \
                const T *row = b + p * ldb;                                                        \
                T *out = c[r];                                                                     \
                for (int64_t j = 0; j < nj; j++)                                                   \
                    out[j] += scale * row[j];                                                      \
            }                                                                                      \
    }
DEFINE_PANEL(panel_float, float)
DEFINE_PANEL(panel_double, double)
DEFINE_PANEL(panel_long, long double)

typedef enum precision { FLOAT, DOUBLE, LONG } precision;

/* The operands as row-major matrices of the working type, and where the products go. */
typedef struct product {
    precision how;
    int64_t m, n, k;
    void *a, *b;
    double *out;        /* m x n, row-major */
    const bool *wanted; /* of each ROWS rows, whether they are judged; NULL: all */
} product;

#define DEFINE_ROWS(name, T, panel)                                                                \
    static void name(void *ctx, int64_t from, int64_t to) {                                        \
        const product *p = ctx;                                                                    \
        T(*c)[COLUMNS] = malloc(ROWS * sizeof *c);                                                 \
        for (int64_t i = from * ROWS; c && i < p->m && i < to * ROWS; i += ROWS) {                 \
            if (p->wanted && !p->wanted[i / ROWS])                                                 \
                continue;                                                                          \
            int64_t rows = p->m - i < ROWS ? p->m - i : ROWS;                                      \
            for (int64_t j = 0; j < p->n; j += COLUMNS) {                                          \
                int64_t nj = p->n - j < COLUMNS ? p->n - j : COLUMNS;                              \
                memset(c, 0, ROWS * sizeof *c);                                                    \
                panel((T *)p->a + i * p->k, p->k, rows, (T *)p->b + j, p->n, p->k, nj, c);         \
                for (int64_t r = 0; r < rows; r++)                                                 \
                    for (int64_t x = 0; x < nj; x++)                                               \
                        p->out[(i + r) * p->n + j + x] = (double)c[r][x];                          \
            }                                                                                      \
        }                                                                                          \
        free(c);                                                                                   \
    }
DEFINE_ROWS(rows_float, float, panel_float)
DEFINE_ROWS(rows_double, double, panel_double)
DEFINE_ROWS(rows_long, long double, panel_long)

static void multiply(const product *p) {
    static void (*const work[])(void *, int64_t, int64_t) = {rows_float, rows_double, rows_long};
    wb_parallel((p->m + ROWS - 1) / ROWS, work[p->how], (void *)p);
}

static size_t working_size(precision how) {
    return how == FLOAT ? sizeof(float) : how == DOUBLE ? sizeof(double) : sizeof(long double);
}

/* The argument's matrix, rows x cols, row-major in the working type. */
static void *load_matrix(const gr_job *job, uint32_t run, const char *name, int64_t rows,
                         int64_t cols, precision how) {
    const gr_job_arg *arg = gr_job_find(job, name);
    size_t n = (size_t)(rows * cols);
    void *raw = malloc(gr_job_arg_bytes(arg) + 1);
    void *out = malloc(n * working_size(how) + 1);
    if (!raw || !out) {
        free(raw);
        free(out);
        return NULL;
    }
    gr_input_fill(job, (int)(arg - job->args), run, raw);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            int64_t from = job->column_major ? j * rows + i : i * cols + j, to = i * cols + j;
            double v = arg->type == GR_DOUBLE ? ((double *)raw)[from] : ((float *)raw)[from];
            if (how == FLOAT)
                ((float *)out)[to] = (float)v;
            else if (how == DOUBLE)
                ((double *)out)[to] = v;
            else
                ((long double *)out)[to] = v;
        }
    free(raw);
    return out;
}

static void square(void *data, int64_t n, precision how) {
    for (int64_t i = 0; i < n; i++) {
        if (how == DOUBLE)
            ((double *)data)[i] *= ((double *)data)[i];
        else
            ((long double *)data)[i] *= ((long double *)data)[i];
    }
}

/* From the row-major products to the array as the student sees it. */
static void finish(const gr_job *job, const product *p, const double *squares, const double *c,
                   gr_expected *e) {
    double alpha = gr_job_find(job, "alpha")->scalar, beta = gr_job_find(job, "beta")->scalar;
    double u = job->element == GR_DOUBLE ? 0x1p-53 : 0x1p-24;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            int64_t from = i * p->n + j, to = job->column_major ? j * p->m + i : from;
            if (p->wanted && !p->wanted[i / ROWS]) {
                e->value[to] = e->missing[to] = 0;
                e->allowed[to] = GR_ANY_NUMBER;
                continue;
            }
            double ab = alpha * p->out[from], bc = beta * c[from];
            e->value[to] = ab + bc;
            e->missing[to] = ab;
            if (squares)
                e->allowed[to] =
                    gr_rounding(job->element, p->k + 2, ab, alpha * alpha * squares[from]) +
                    gr_rounding(job->element, p->k, 0, 2 * bc * bc) + 3 * u * (fabs(ab) + fabs(bc));
        }
}

/* Rows enough that a part of them that is worth leaving wrong is found. NULL: all of them, or no
 * memory. */
static bool *choose_rows(const gr_job *job, const product *p) {
    enum { JUDGED = 128, ROWS_CHOICE = 0x2000 };
    size_t groups = (size_t)(p->m + ROWS - 1) / ROWS;
    double terms = (double)p->m * (double)p->n * (double)p->k;
    bool *wanted = terms > 0x1p33 && groups > JUDGED / ROWS ? calloc(groups, 1) : NULL;
    for (uint32_t i = 0; wanted && i < JUDGED / ROWS; i++)
        wanted[gr_random_word(job->seed, job->stream, ROWS_CHOICE + i) % groups] = true;
    return wanted;
}

bool gr_expect_gemm(const gr_job *job, uint32_t run, gr_expected *e, wb_error *err) {
    product p = {
        .m = gr_job_size(job, "m"), .n = gr_job_size(job, "n"), .k = gr_job_size(job, "k")};
    bool real = job->values == GR_REAL, wide = job->element == GR_DOUBLE;
    p.how = real ? (wide ? LONG : DOUBLE) : (wide ? DOUBLE : FLOAT);
    size_t n = (size_t)(p.m * p.n);
    double *c = load_matrix(job, run, "c", p.m, p.n, DOUBLE), *squares = NULL;
    p.a = load_matrix(job, run, "a", p.m, p.k, p.how);
    p.b = load_matrix(job, run, "b", p.k, p.n, p.how);
    p.out = malloc(n * sizeof(double) + 1);
    e->value = malloc(n * sizeof(double) + 1);
    e->missing = malloc(n * sizeof(double) + 1);
    e->missing_text = "this is alpha A B alone: beta C is missing";
    bool ok = c && p.a && p.b && p.out && e->value && e->missing;
    p.wanted = real ? choose_rows(job, &p) : NULL;
    if (ok && real) {
        product squared = p;
        squared.out = squares = malloc(n * sizeof(double) + 1);
        e->allowed = malloc(n * sizeof(double) + 1);
        ok = squares && e->allowed;
        if (ok) {
            multiply(&p);
            square(p.a, p.m * p.k, p.how);
            square(p.b, p.k * p.n, p.how);
            multiply(&squared);
        }
    } else if (ok) {
        multiply(&p);
    }
    if (ok)
        finish(job, &p, squares, c, e);
    free(c);
    free(p.a);
    free(p.b);
    free(p.out);
    free(squares);
    free((bool *)p.wanted);
    return ok || wb_fail(err, 1, "out of memory while working out A times B");
}
