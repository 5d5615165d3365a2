// Explains a wrong sum of whole numbers if only one part of the terms adds up to it.
#include <warpbook_lab.h>

const char *check(const float *in, const float *out, int n, const float *expected) {
    warpbook::terms all;
    if (out[0] == expected[0] || n < 2 || n > 1 << 23)
        return nullptr;
    for (int i = 0; i < n; i++)
        all.add(in[i]);
    if (all.error() > 0) // a part's sum may be close to it by chance
        return nullptr;
    return warpbook::explain_sum(n, out[0] / expected[0], [=](long long from, long long to, long long by, double times) {
        warpbook::terms some;
        for (long long i = from; i < to; i += by)
            some.add(in[i]);
        return from < to && some.error() == 0 && out[0] == (float)(some.sum * times);
    });
}
