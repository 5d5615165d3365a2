/* hints_gemm.c: products that went wrong in a way that can be told. An element at a time, so that
 * most mistakes are ruled out by the first one. */
#include "grader/check/hints.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* More multiplications than these are not tried. */
static const double most_work = 2e8;

static double value_at(const void *data, gr_type type, int64_t i) {
    return type == GR_DOUBLE ? ((const double *)data)[i] : ((const float *)data)[i];
}

/* What element i would be with the mistake. */
typedef double mistake_fn(const void *ctx, int64_t i);

/* What rounding explains of any element: that of a mistake has another size than the right one. */
static double most_allowed(const gr_expected *e) {
    double most = 0;
    for (int64_t i = 0; e->allowed && i < e->arg->count; i++)
        most = fmax(most, e->allowed[i]);
    return 4 * most;
}

enum { FEW = 8 };

/* Is every element of got what the mistake gives? For real values: within what rounding explains,
 * where the two can be told from each other, and of many elements: a few may be so by chance. */
static bool equals(const gr_expected *e, const void *got, mistake_fn *mistake, const void *ctx) {
    double near = most_allowed(e);
    bool told = false; /* the mistake and the right result can be told from each other */
    if (e->allowed && e->arg->count < FEW)
        return false;
    for (int64_t i = 0; i < e->arg->count; i++) {
        double value = value_at(got, e->arg->type, i), other = mistake(ctx, i);
        double exact = e->arg->type == GR_FLOAT ? (double)(float)other : other;
        if (e->allowed ? !(fabs(value - other) <= near) : value != exact)
            return false;
        told |= fabs(other - e->value[i]) > 4 * near;
    }
    return told;
}

/* How the arrays are read and written: element (r, c) at r * row + c * column. */
typedef struct layout {
    int64_t row, column, count;
} layout;

typedef struct product {
    const void *a, *b, *c;
    gr_type type;
    int64_t m, n, k;
    double alpha, beta, times_c; /* times_c: what C is multiplied by */
    int64_t from, to;            /* the terms of each sum */
    int64_t again, until;        /* those that are added once more */
    layout at_a, at_b;
    bool c_by_columns;
} product;

static double element(const void *ctx, int64_t i) {
    const product *p = ctx;
    int64_t row = p->c_by_columns ? i % p->m : i / p->n;
    int64_t column = p->c_by_columns ? i / p->m : i % p->n;
    double sum = 0;
    for (int64_t x = p->from; x < p->to; x++)
        sum += value_at(p->a, p->type, row * p->at_a.row + x * p->at_a.column) *
               value_at(p->b, p->type, x * p->at_b.row + column * p->at_b.column);
    for (int64_t x = p->again; x < p->until; x++)
        sum += value_at(p->a, p->type, row * p->at_a.row + x * p->at_a.column) *
               value_at(p->b, p->type, x * p->at_b.row + column * p->at_b.column);
    return p->alpha * sum + p->times_c * value_at(p->c, p->type, i);
}

/* Rows (of a column-major matrix: columns) of `length` elements. */
static layout laid(bool by_columns, int64_t length, int64_t count) {
    return by_columns ? (layout){1, length, count} : (layout){length, 1, count};
}

static bool fits(const layout *l, int64_t rows, int64_t columns) {
    return (rows - 1) * l->row + (columns - 1) * l->column < l->count;
}

static product plain(const gr_job *job, const void *a, const void *b, const void *c) {
    product p = {.a = a,
                 .b = b,
                 .c = c,
                 .type = job->element,
                 .m = gr_job_size(job, "m"),
                 .n = gr_job_size(job, "n"),
                 .k = gr_job_size(job, "k"),
                 .alpha = gr_job_find(job, "alpha")->scalar,
                 .beta = gr_job_find(job, "beta")->scalar};
    bool column = job->column_major;
    p.times_c = p.beta;
    p.to = p.k;
    p.at_a = laid(column, column ? p.m : p.k, p.m * p.k);
    p.at_b = laid(column, column ? p.k : p.n, p.k * p.n);
    p.c_by_columns = column;
    return p;
}

/* One, two or all three arrays in the other order than the lab's. */
static bool hint_order(const gr_expected *e, const void *got, const product *right, char *hint) {
    static const char *const names[] = {"",     "A is",        "B is",        "A and B are",
                                        "C is", "A and C are", "B and C are", "A, B and C are"};
    bool column = e->job->column_major;
    for (int which = 1; which < 8; which++) {
        product p = *right;
        if (which & 1)
            p.at_a = laid(!column, column ? p.k : p.m, p.m * p.k);
        if (which & 2)
            p.at_b = laid(!column, column ? p.n : p.k, p.k * p.n);
        if (which & 4)
            p.c_by_columns = !column;
        if (!equals(e, got, element, &p))
            continue;
        snprintf(hint, GR_HINT_SIZE,
                 " Every element is what comes out when %s taken as %s-major. Here all are "
                 "%s-major: the element in row i and column j of A is a[%s], of B b[%s], of C "
                 "c[%s].",
                 names[which], column ? "row" : "column", column ? "column" : "row",
                 column ? "j * m + i" : "i * k + j", column ? "j * k + i" : "i * n + j",
                 column ? "j * m + i" : "i * n + j");
        return true;
    }
    return false;
}

/* Rows of A or B of another length: lda and ldb mixed up. */
static bool hint_length(const gr_expected *e, const void *got, const product *right, char *hint) {
    bool column = e->job->column_major;
    const int64_t lengths[] = {right->m, right->n, right->k};
    static const char *const names[] = {"m", "n", "k"};
    for (int x = 0; x < 9; x++) {
        product p = *right;
        p.at_a = laid(column, lengths[x % 3], p.m * p.k);
        p.at_b = laid(column, lengths[x / 3], p.k * p.n);
        if (!fits(&p.at_a, p.m, p.k) || !fits(&p.at_b, p.k, p.n) || !equals(e, got, element, &p))
            continue;
        snprintf(hint, GR_HINT_SIZE,
                 " Every element is what comes out when the %s of A are taken to be %s elements "
                 "long and those of B %s. Those of A have %s, those of B %s.",
                 column ? "columns" : "rows", names[x % 3], names[x / 3], column ? "m" : "k",
                 column ? "k" : "n");
        return true;
    }
    return false;
}

/* Sums that leave terms out at either end. */
static bool hint_terms(const gr_expected *e, const void *got, const product *right, char *hint) {
    product p = *right;
    p.from = 1;
    if (p.k > 1 && equals(e, got, element, &p)) {
        snprintf(hint, GR_HINT_SIZE,
                 " Every element lacks the first term of its sum: does the loop over k begin at "
                 "1?");
        return true;
    }
    p.from = 0;
    p.to = p.k - 1;
    if (p.k > 1 && equals(e, got, element, &p)) {
        snprintf(hint, GR_HINT_SIZE,
                 " Every element lacks the last term of its sum: does the loop over k stop one too "
                 "early?");
        return true;
    }
    for (int64_t tile = 4; tile <= 128; tile *= 2) {
        p.to = p.k / tile * tile;
        if (p.to == p.k)
            continue;
        if (p.to > 0 && equals(e, got, element, &p)) {
            snprintf(hint, GR_HINT_SIZE,
                     " Every element has the first %" PRId64 " of the %" PRId64
                     " terms of its sum: the last %" PRId64 ", which fill no tile of %" PRId64
                     ", are left out.",
                     p.to, p.k, p.k - p.to, tile);
            return true;
        }
        p.to = tile;
        if (tile < p.k && equals(e, got, element, &p)) {
            snprintf(hint, GR_HINT_SIZE,
                     " Every element has the first %" PRId64 " of the %" PRId64
                     " terms of its sum alone: the first tile's.",
                     p.to, p.k);
            return true;
        }
    }
    return false;
}

/* Tiles beyond k that still hold the tile before. */
static bool hint_stale(const gr_expected *e, const void *got, const product *right, char *hint) {
    for (int64_t tile = 4; tile <= 128; tile *= 2) {
        product p = *right;
        int64_t whole = (p.k + tile - 1) / tile * tile;
        p.again = p.k - tile;
        p.until = whole - tile;
        if (p.again < 0 || p.until == p.again || !equals(e, got, element, &p))
            continue;
        snprintf(hint, GR_HINT_SIZE,
                 " Of every sum the terms from p = %" PRId64 " to %" PRId64
                 " are added twice: where the last tile of %" PRId64 " reaches beyond k = %" PRId64
                 ", it still holds the tile before. Store 0 there.",
                 p.again, p.until - 1, tile, p.k);
        return true;
    }
    return false;
}

/* Elements of C that are wrong and as they were. */
static bool hint_untouched(const gr_expected *e, const void *got, const product *right,
                           char *hint) {
    int64_t n = right->m * right->n, same = 0, wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        double value = value_at(got, right->type, i);
        double off = fabs(value - e->value[i]), most = e->allowed ? e->allowed[i] : 0;
        wrong += off > most;
        same += off > most && value == value_at(right->c, right->type, i);
    }
    if (same < 16 || (same < wrong && same * 20 < n)) /* a few may be so by chance */
        return false;
    snprintf(hint, GR_HINT_SIZE,
             " %" PRId64 " of them still hold what c held before: they were not written. Do the "
             "blocks cover all m x n elements, whatever m and n are?",
             same);
    return true;
}

static bool hint_scalars(const gr_expected *e, const void *got, const product *right, char *hint) {
    const struct {
        double alpha, times_c;
        const char *says;
    } mixed[] = {{1, right->beta, "A B + beta C: alpha is missing"},
                 {right->alpha, 1, "alpha A B + C: beta is missing"},
                 {right->alpha, right->alpha * right->beta,
                  "alpha (A B + beta C): alpha belongs to A B alone"},
                 {right->beta, right->alpha, "beta A B + alpha C: alpha and beta are mixed up"},
                 {1, 0, "A B: alpha and beta C are missing"},
                 {0, right->beta, "beta C: A B is missing"}};
    for (size_t i = 0; i < WB_COUNT(mixed); i++) {
        product p = *right;
        p.alpha = mixed[i].alpha;
        p.times_c = mixed[i].times_c;
        if (!equals(e, got, element, &p))
            continue;
        snprintf(hint, GR_HINT_SIZE, " Every element is that of %s.", mixed[i].says);
        return true;
    }
    return false;
}

bool gr_hint_gemm(const gr_expected *e, const void *got, const void *a, const void *b,
                  const void *c, char hint[GR_HINT_SIZE]) {
    product right = plain(e->job, a, b, c);
    if ((double)right.m * (double)right.n * (double)right.k > most_work)
        return false;
    return hint_order(e, got, &right, hint) || hint_length(e, got, &right, hint) ||
           hint_scalars(e, got, &right, hint) || hint_terms(e, got, &right, hint) ||
           hint_stale(e, got, &right, hint) || hint_untouched(e, got, &right, hint);
}
