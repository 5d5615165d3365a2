// What is right: the sums in double, and how far rounding may take fp32 from them.
#include <cmath>

namespace {

// Terms that are added up. What "condition" multiplies by 5 u is the likely error of a sum in any order: each addition is off by u
// times its result at most, roundings go both ways, and partial sums of n terms in random order square to k^2 (sum / n)^2 + k squares / n
// on average; over a chain of n additions that makes n (sum^2 / 3 + squares / 2) (Higham and Mary, SIAM J. Sci. Comput. 41, 2019).
struct terms {
    double sum = 0, squares = 0, magnitude = 0;
    long long n = 0;
    bool whole = true;

    void add(float x) {
        const double round = 6755399441055744.0; // 1.5 * 2^52: what lies behind the point is lost
        sum += x;
        squares += (double)x * x;
        magnitude += std::fabs(x);
        whole = whole && ((double)x + round) - round == x;
        n++;
    }

    // Whole numbers below 2^24 in all add up exactly, in whatever order.
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
