// What is right: the sum in double, and how far rounding may take fp32 from it.
#include <cmath>

namespace {

// Terms that are added up. What "condition" multiplies by 5 u is the likely error of a sum in any order: each addition is off by u
// times its result at most, roundings go both ways, and partial sums of n terms in random order square to k^2 (sum / n)^2 + k squares / n
// on average; over a chain of additions that makes chain (sum^2 / 3 + squares / 2) (Higham and Mary, SIAM J. Sci. Comput. 41, 2019).
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

    // Whole numbers below 2^24 in all add up exactly, in whatever order. More than 2^17 in a row is no algorithm to measure others by.
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
