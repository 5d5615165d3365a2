// Computes the sums in double, and the likely rounding error of fp32.
#include <cmath>

namespace {

// The terms of a sum, for its likely error. The grader allows 5 u times this error ("condition").
// Each addition is off by at most u times its result, and errors go both ways. In random order, partial sums of k out
// of n terms square to k^2 (sum / n)^2 + k squares / n on average. A chain of n additions gives n (sum^2 / 3 +
// squares / 2) (Higham and Mary, SIAM J. Sci. Comput. 41, 2019).
struct terms {
    double sum = 0, squares = 0, magnitude = 0;
    long long n = 0;
    bool whole = true;

    void add(float x) {
        const double round = 6755399441055744.0; // 1.5 * 2^52: adding it rounds to a whole number
        sum += x;
        squares += (double)x * x;
        magnitude += std::fabs(x);
        whole = whole && ((double)x + round) - round == x;
        n++;
    }

    // Whole numbers with a total below 2^24 add up exactly in any order.
    double error() const {
        return whole && magnitude < 16777216 ? 0 : std::sqrt(n * (sum * sum / 3 + squares / 2));
    }
};

} // namespace

void reference(const float *m, float *row_sums, float *col_sums, int rows, int cols, double *row_sums_magnitude,
               double *col_sums_magnitude) {
    terms *columns = new terms[cols];
    for (int r = 0; r < rows; r++) {
        terms row;
        for (int c = 0; c < cols; c++) {
            float x = m[(long long)r * cols + c];
            row.add(x);
            columns[c].add(x);
        }
        row_sums[r] = (float)row.sum;
        row_sums_magnitude[r] = row.error();
    }
    for (int c = 0; c < cols; c++) {
        col_sums[c] = (float)columns[c].sum;
        col_sums_magnitude[c] = columns[c].error();
    }
    delete[] columns;
}
