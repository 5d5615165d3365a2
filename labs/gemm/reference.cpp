// Computes the products in double, and the likely rounding error of fp32.
#include <algorithm>
#include <cmath>
#include <vector>

// gcc selects the widest vectors of the machine
#if defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define WIDE
#endif

namespace {

enum { ROWS = 4 }; // they share loads of b

WIDE void add_products(const double *a, const double *b, int rows, int n, int k, double *sums) {
    for (int p = 0; p < k; p++)
        for (int r = 0; r < rows; r++)
            for (int j = 0; j < n; j++)
                sums[(long long)r * n + j] += a[(long long)r * k + p] * b[(long long)p * n + j];
}

WIDE void add_squares(const float *a, const float *b, int rows, int n, int k, float *sums) {
    for (int p = 0; p < k; p++)
        for (int r = 0; r < rows; r++)
            for (int j = 0; j < n; j++)
                sums[(long long)r * n + j] += a[(long long)r * k + p] * b[(long long)p * n + j];
}

// Returns the largest absolute value, or infinity if not all numbers are whole.
double largest_whole(const float *x, long long n) {
    float most = 0;
    for (long long i = 0; i < n; i++) {
        if (x[i] != std::rint(x[i]))
            return INFINITY;
        most = std::max(most, std::fabs(x[i]));
    }
    return most;
}

// Returns true for whole numbers whose partial sums are below 2^24 in any order.
bool is_exact(int m, int n, int k, float alpha, const float *a, const float *b, float beta, const float *c) {
    if (alpha != std::rint(alpha) || beta != std::rint(beta))
        return false;
    double products = largest_whole(a, (long long)m * k) * largest_whole(b, (long long)k * n) * k;
    return products * std::max(1.0, std::fabs((double)alpha)) + largest_whole(c, (long long)m * n) * std::fabs(beta) < 16777216;
}

// Selects the rows to judge: all, or 32 secret groups if there are more than 2^33 products. These are enough to find
// a worthwhile part that was left out.
std::vector<bool> choose_groups(int m, int n, int k) {
    enum { CHOSEN = 32 };
    size_t groups = ((size_t)m + ROWS - 1) / ROWS;
    if ((double)m * n * k <= 0x1p33 || groups <= CHOSEN)
        return std::vector<bool>(groups, true);
    std::vector<bool> judged(groups, false);
    unsigned long long x = warpbook_secret;
    for (int i = 0; i < CHOSEN; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        judged[(x >> 32) % groups] = true;
    }
    return judged;
}

} // namespace

// The magnitude is the likely error of a sum of k products and beta c in any order; the grader allows 5 u times it.
// The additions are as in warpbook_lab.h: chain (sum^2 / 3 + squares / 2). Products that are not fused with
// the addition are also rounded. beta c is added first or last, and three roundings are of the whole.
// Measured errors of 10^6 products of 2 to 4096 terms, with and without fused multiply-add, are at most 0.55 of the
// limit. With TF32 or half inputs they exceed it 20 times (k = 4096) to 400 times.
void reference(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c, double *c_magnitude) {
    const bool exact = is_exact(m, n, k, alpha, a, b, beta, c);
    std::vector<bool> judged = choose_groups(m, n, k);
    std::vector<double> wide_a((size_t)ROWS * k), wide_b(b, b + (size_t)k * n), sums((size_t)ROWS * n);
    std::vector<float> square_a((size_t)ROWS * k), square_b((size_t)k * n), squares((size_t)ROWS * n);
    std::transform(b, b + (size_t)k * n, square_b.begin(), [](float x) { return x * x; });
    for (int row = 0; row < m; row += ROWS) {
        int rows = std::min<int>(ROWS, m - row);
        size_t here = (size_t)rows * n;
        float *out = c + (size_t)row * n;
        double *magnitude = c_magnitude + (size_t)row * n;
        if (!judged[(size_t)row / ROWS]) {
            std::fill_n(out, here, 0.0f);
            std::fill_n(magnitude, here, INFINITY); // every finite number passes
            continue;
        }
        const float *from = a + (size_t)row * k;
        std::copy_n(from, (size_t)rows * k, wide_a.begin());
        std::transform(from, from + (size_t)rows * k, square_a.begin(), [](float x) { return x * x; });
        std::fill(sums.begin(), sums.end(), 0.0);
        std::fill(squares.begin(), squares.end(), 0.0f);
        add_products(wide_a.data(), wide_b.data(), rows, n, k, sums.data());
        if (!exact)
            add_squares(square_a.data(), square_b.data(), rows, n, k, squares.data());
        for (size_t i = 0; i < here; i++) {
            double ab = alpha * sums[i], bc = (double)beta * out[i], all = (double)alpha * alpha * squares[i];
            magnitude[i] = exact ? 0
                                 : std::sqrt((k + 2) * (ab * ab / 3 + all / 2)) + std::sqrt(k * bc * bc) +
                                       0.8 * (std::fabs(ab) + std::fabs(bc));
            out[i] = (float)(ab + bc);
        }
    }
}
