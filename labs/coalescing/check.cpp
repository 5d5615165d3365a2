// Explains wrong sums if every sum is what a common mistake gives.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// Returns the text in the reader's language, which the grader passes in the environment.
const char *either(const char *english, const char *chinese) {
    const char *language = std::getenv("WARPBOOK_LANGUAGE");
    return language && std::strncmp(language, "zh", 2) == 0 ? chinese : english;
}

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
        static char text[300];
        double times = std::round(is[0] / expected[0]);
        if (times >= 2 && times <= 4096 && are(0, n, 1, times)) {
            std::snprintf(text, sizeof text,
                          either("That is %.0f times the sum: is each part added %.0f times, by "
                                 "%.0f threads where one should?",
                                 "这是和的 %.0f 倍：是不是每一部分都加了 %.0f "
                                 "次，本该一个线程加的，%.0f 个线程都加了？"),
                          times, times, times);
            return text;
        }
        if (are(1, n))
            return either("That is the sum of all but the first element: does the index begin at 1?",
                          "这是除第一个元素之外的和：下标是不是从 1 开始了？");
        if (are(0, n - 1))
            return either("That is the sum of all but the last element: does the loop, or the "
                          "condition, stop one too early?",
                          "这是除最后一个元素之外的和：循环或者条件是不是早停了一个？");
        for (long long size = 2048; size >= 2; size /= 2) { // blocks, warps, vectors
            long long whole = n / size * size;
            if (size < whole && whole < n && are(0, whole))
                std::snprintf(text, sizeof text,
                              either("That is the sum of the first %lld of %lld elements: the last "
                                     "%lld, which fill no block of %lld, are "
                                     "missing.",
                                     "这是 %2$lld 个元素中前 %1$lld 个的和：最后 %3$lld "
                                     "个装不满一个 %4$lld 的块，漏掉了。"),
                              whole, n, n - whole, size);
            else if (size < n && are(0, size))
                std::snprintf(text, sizeof text,
                              either("That is the sum of the first %lld of %lld elements alone: what the "
                                     "others make never reaches "
                                     "the result.",
                                     "这只是 %2$lld 个元素中前 %1$lld 个的和：其余的结果没有加进来。"),
                              size, n);
            else if (size <= n && are(0, n, size))
                std::snprintf(text, sizeof text,
                              either("That is the sum of one element in %lld: of each %lld threads only the "
                                     "first one's element is added.",
                                     "这是每 %lld 个元素里一个的和：每 %lld 个线程里只加了第一个的元素。"),
                              size, size);
            else
                continue;
            return text;
        }
        return nullptr;
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
