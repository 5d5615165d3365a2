// Random places: gather, scatter, chains of pointers, and updates by atomics.
#include "timed.h"
using namespace timed;

__global__ void gather(const int *at, const float *table, float *out, int n) {
    int i = INDEX;
    if (i < n)
        out[i] = table[at[i]];
}
__global__ void scatter(const int *at, const float *in, float *out, int n) {
    int i = INDEX;
    if (i < n)
        out[at[i]] = in[i];
}
__global__ void chase(const int *next, int *out, int n, int steps) {
    int at = INDEX % n;
    for (int k = 0; k < steps; k++)
        at = next[at];
    out[INDEX] = at;
}
__global__ void computed(const float *table, float *out, unsigned mask, int n, int loads) {
    unsigned i = INDEX, s = i * 2654435761u;
    float sum = 0;
    for (int k = 0; k < loads; k++, s = s * 1664525u + 1013904223u)
        sum += table[(s >> 7) & mask];
    if (i < n)
        out[i] = sum;
}

template <class F> void places(one_case &c, bool out_too, int size, F launch) {
    int n = c.draw("n", 1000000, 3000000);
    auto at = make<int>(n, [&](size_t i) { return out_too ? (i * 7919LL) % n : mix(i) % size; });
    auto values = floats(out_too ? n : size);
    float *out = room<float>(n);
    c.time([&] { launch(at.gpu, values.gpu, out, n); });
    if (out_too)
        c.expect("a place", back(out, n)[at.cpu[12345]], values.cpu[12345]);
    else
        c.check(out, n, [&](size_t i) { return values.cpu[at.cpu[i]]; }, 0);
}
static void chain(one_case &c, int grid, int threads, int low, int high, int steps) {
    int n = c.draw("n", low, high), jump = 7919;
    auto next = make<int>(n, [&](size_t i) { return (i + jump * 31LL) % n; });
    int *out = room<int>(grid * threads);
    c.time([&] { chase<<<grid, threads>>>(next.gpu, out, n, steps); });
    c.check(out, grid * threads, [&](size_t i) { return (i + steps * (jump * 31LL % n)) % n; }, 0);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    auto g = [](int *at, float *in, float *out, int n) { gather<<<blocks(n, 256), 256>>>(at, in, out, n); };
    CASE("random.gather_small") places(c, false, 2000, g);
    CASE("random.gather_l2") places(c, false, 1 << c.draw("log_size", 17, 21), g);
    CASE("random.gather_large") places(c, false, 30000000, g);
    CASE("random.scatter") places(c, true, 0, [](int *at, float *in, float *out, int n) { scatter<<<blocks(n, 256), 256>>>(at, in, out, n); });
    CASE("random.chase_one_thread") chain(c, 1, 1, 10000000, 20000000, 2000);
    CASE("random.chase_warp") chain(c, 1, 32, 1000000, 4000000, 1000);
    CASE("random.chase_all") chain(c, 132, 512, 4000000, 12000000, 40);
    CASE("random.chase_l1") chain(c, 132, 64, 4000, 12000, 600);
    CASE("random.computed") {
        int n = c.draw("n", 100000, 400000), loads = c.draw("loads", 4, 20);
        unsigned mask = (1u << c.draw("log_size", 12, 24)) - 1;
        auto table = make<float>(mask + 1u, [](size_t i) { return i % 11; });
        float *out = room<float>(n);
        c.time([&] { computed<<<blocks(n, 128), 128>>>(table.gpu, out, mask, n, loads); });
        c.check(out, n, [&](size_t i) {
            unsigned s = (unsigned)i * 2654435761u;
            double sum = 0;
            for (int k = 0; k < loads; k++, s = s * 1664525u + 1013904223u)
                sum += table.cpu[(s >> 7) & mask];
            return sum;
        });
    }
    return failed;
}
