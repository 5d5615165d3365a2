// Explains wrong sums if every sum is what a common mistake gives.
#include <warpbook_lab.h>

namespace {

using warpbook::either;
using warpbook::terms;

// Sums along lines of n elements that are `step` apart. Line i begins at i * next.
struct lines {
    const float *m;
    long long count, n, step, next;
    const float *is, *expected;
    const char *name;

    // Returns true if every sum is `times` the sum of its line's elements from, from + by, ... below to. Rounded sums
    // need at least 8 lines, and must be within four times the rounding error, while the right sums are further off.
    bool are(long long from, long long to, long long by = 1, double times = 1) const {
        bool told = false;
        for (long long i = 0; i < count; i++) {
            terms part, whole;
            for (long long k = from; k < to; k += by)
                part.add(m[i * next + k * step]);
            for (long long k = 0; k < n; k++)
                whole.add(m[i * next + k * step]);
            double near = 20 * 0x1p-24 * whole.error(), is_part = part.sum * times;
            if (near > 0 ? count < 8 || !(std::fabs(is[i] - is_part) <= near) : is[i] != (float)is_part)
                return false;
            told = told || std::fabs(is_part - expected[i]) > 4 * near;
        }
        return from < to && told;
    }

    bool wrong() const {
        for (long long i = 0; i < count; i++) {
            terms whole;
            for (long long k = 0; k < n && is[i] != expected[i]; k++)
                whole.add(m[i * next + k * step]);
            if (is[i] != expected[i] && !(std::fabs(is[i] - whole.sum) <= 5 * 0x1p-24 * whole.error()))
                return true;
        }
        return false;
    }

    const char *mistake() const {
        return warpbook::explain_sum(n, is[0] / expected[0], [this](long long from, long long to, long long by, double times) {
            return are(from, to, by, times);
        });
    }
};

} // namespace

const char *check(const float *m, const float *row_sums, const float *col_sums, int rows, int cols, const float *expected_rows,
                  const float *expected_cols) {
    static char text[200];
    lines all[] = {{m, rows, cols, 1, cols, row_sums, expected_rows, "row_sums"},
                   {m, cols, rows, cols, 1, col_sums, expected_cols, "col_sums"}};
    if ((long long)rows * cols > 1 << 23)
        return nullptr;
    for (int i = 0; i < 2; i++) {
        if (all[i].n < 2 || !all[i].wrong())
            continue;
        lines others = all[1 - i];
        others.is = all[i].is;
        others.expected = all[i].expected;
        if (rows == cols && others.are(0, others.n)) {
            std::snprintf(text, sizeof text,
                          either("%s holds what belongs into %s: are the two arrays mixed up, or the way "
                                 "along a row and the way "
                                 "down a column?",
                                 "%s 里是该放进 %s 的：是两个数组弄混了，还是沿行走和沿列走弄混了？"),
                          all[i].name, others.name);
            return text;
        }
        return all[i].mistake();
    }
    return nullptr;
}
