// warpbook_lab.h: for a lab's reference and its check(): texts in two languages, and sums of floats.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace warpbook {

// Returns the text in the reader's language, which the grader passes in the environment.
static inline const char *either(const char *english, const char *chinese) {
    const char *language = std::getenv("WARPBOOK_LANGUAGE");
    return language && std::strncmp(language, "zh", 2) == 0 ? chinese : english;
}

// The terms of a sum, for its likely error in fp32. A lab.json allows 5 u times this error ("condition").
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

// Explains a wrong sum of n terms by a common mistake, or returns a null pointer. `times`: the wrong sum over the right one.
// are(from, to, by, factor) returns true if it is `factor` times the sum of the terms from, from + by, ... below to.
template <class Are> const char *explain_sum(long long n, double times, Are are) {
    static char text[300];
    times = std::round(times);
    if (times >= 2 && times <= 4096 && are(0, n, 1, times)) {
        std::snprintf(text, sizeof text,
                      either("That is %.0f times the sum: is each part added %.0f times, by %.0f threads where one should?",
                             "这是和的 %.0f 倍：是不是每一部分都加了 %.0f 次，本该一个线程加的，%.0f 个线程都加了？"),
                      times, times, times);
        return text;
    }
    if (are(1, n, 1, 1))
        return either("That is the sum of all but the first element: does the index begin at 1?",
                      "这是除第一个元素之外的和：下标是不是从 1 开始了？");
    if (are(0, n - 1, 1, 1))
        return either("That is the sum of all but the last element: does the loop, or the condition, stop one too early?",
                      "这是除最后一个元素之外的和：循环或者条件是不是早停了一个？");
    for (long long size = 2048; size >= 2; size /= 2) { // blocks, warps, vectors
        long long whole = n / size * size;
        if (size < whole && whole < n && are(0, whole, 1, 1))
            std::snprintf(text, sizeof text,
                          either("That is the sum of the first %lld of %lld elements: the last %lld, which fill no "
                                 "block of %lld, are missing.",
                                 "这是 %2$lld 个元素中前 %1$lld 个的和：最后 %3$lld 个装不满一个 %4$lld 的块，漏掉了。"),
                          whole, n, n - whole, size);
        else if (size < n && are(0, size, 1, 1))
            std::snprintf(text, sizeof text,
                          either("That is the sum of the first %lld of %lld elements alone: what the others make never "
                                 "reaches the result.",
                                 "这只是 %2$lld 个元素中前 %1$lld 个的和：其余的结果没有加进来。"),
                          size, n);
        else if (size <= n && are(0, n, size, 1))
            std::snprintf(text, sizeof text,
                          either("That is the sum of one element in %lld: of each %lld threads only the first one's "
                                 "element is added.",
                                 "这是每 %lld 个元素里一个的和：每 %lld 个线程里只加了第一个的元素。"),
                          size, size);
        else
            continue;
        return text;
    }
    return nullptr;
}

} // namespace warpbook
