// Which mistake a wrong sum is what comes of: told of whole numbers, which only that part of the terms adds up to.
#include <cstdio>

namespace {

struct part {
    const float *in;
    float is; // the wrong result

    // The elements from, from + by, ... below to, `times` over?
    bool of(long long from, long long to, long long by = 1, double times = 1) const {
        terms some;
        for (long long i = from; i < to; i += by)
            some.add(in[i]);
        return from < to && some.error() == 0 && is == (float)(some.sum * times);
    }
};

} // namespace

const char *check(const float *in, const float *out, int n, const float *expected) {
    static char text[300];
    terms all;
    if (out[0] == expected[0] || n < 2 || n > 1 << 23)
        return nullptr;
    for (int i = 0; i < n; i++)
        all.add(in[i]);
    part p = {in, out[0]};
    double times = std::round(out[0] / expected[0]);
    if (all.error() > 0) // near any part's sum by chance, perhaps
        return nullptr;
    if (times >= 2 && times <= 4096 && p.of(0, n, 1, times)) {
        std::snprintf(text, sizeof text, "That is %.0f times the sum: is each part added %.0f times, by %.0f threads where one should?",
                      times, times, times);
        return text;
    }
    if (p.of(1, n))
        return "That is the sum of all but the first element: does the index begin at 1?";
    if (p.of(0, n - 1))
        return "That is the sum of all but the last element: does the loop, or the condition, stop one too early?";
    for (int size = 2048; size >= 2; size /= 2) { // blocks, warps, vectors: what begins, ends or strides with their sizes
        int whole = n / size * size;
        if (size < whole && whole < n && p.of(0, whole))
            std::snprintf(text, sizeof text,
                          "That is the sum of the first %d of %d elements: the last %d, which fill no block of %d, are missing.", whole,
                          n, n - whole, size);
        else if (size < n && p.of(0, size))
            std::snprintf(text, sizeof text,
                          "That is the sum of the first %d of %d elements alone: what the others make never reaches the result.", size,
                          n);
        else if (size <= n && p.of(0, n, size))
            std::snprintf(text, sizeof text,
                          "That is the sum of one element in %d: of each %d threads only the first one's element is added.", size,
                          size);
        else
            continue;
        return text;
    }
    return nullptr;
}
