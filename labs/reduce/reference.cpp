// Computes the sum in double, and the likely rounding error of fp32.
#include <cmath>

namespace {

// The terms of a sum, for its likely error. The grader allows 5 u times this error ("condition").
// Each addition is off by at most u times its result, and errors go both ways. In random order, partial sums of k out
// of n terms square to k^2 (sum / n)^2 + k squares / n on average. A chain of additions gives chain (sum^2 / 3 +
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

    // Whole numbers with a total below 2^24 add up exactly in any order. Longer chains than 2^17 get no larger limit.
    double error() const {
        const long long longest = 1 << 17;
        return whole && magnitude < 16777216 ? 0 : std::sqrt((n < longest ? n : longest) * (sum * sum / 3 + squares / 2));
    }
};

} // namespace

void reference(const float *in, float *out, int n, double *out_magnitude) {
    terms all;
    for (int i = 0; i < n; i++)
        all.add(in[i]);
    out[0] = (float)all.sum;
    out_magnitude[0] = all.error();
}
