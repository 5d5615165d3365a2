// Atomics: one address, one a warp, some thousands, with the old value, by compare-and-swap, on floats and doubles.
#include "timed.h"
using namespace timed;

__global__ void one_address(unsigned *sum, int n) {
    int i = INDEX;
    if (i < n)
        atomicAdd(sum, i & 3);
}
__global__ void own_address(unsigned *sums, int rounds) {
    for (int k = 0; k < rounds; k++)
        atomicAdd(&sums[INDEX], k);
}
template <class T> __global__ void spread(T *sums, int n, int bins) {
    int i = INDEX;
    if (i < n)
        atomicAdd(&sums[mix(i) % bins], (T)1);
}
__global__ void tickets(unsigned *next, unsigned *taken, int n) {
    int i = INDEX;
    if (i < n)
        taken[atomicAdd(next, 1)] = 1;
}
__global__ void by_swap(float *most, const float *in, int n) {
    int i = INDEX;
    if (i >= n)
        return;
    int *at = (int *)most, old = *at;
    while (__int_as_float(old) < in[i]) {
        int seen = atomicCAS(at, old, __float_as_int(in[i]));
        if (seen == old)
            break;
        old = seen;
    }
}
__global__ void compact(const int *in, int *out, int *count, int n) {
    int i = INDEX, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned who = __ballot_sync(~0u, keep);
    int base = 0;
    if (lane == 0 && who)
        base = atomicAdd(count, __popc(who));
    base = __shfl_sync(~0u, base, 0);
    if (keep)
        out[base + __popc(who & ((1u << lane) - 1))] = in[i];
}

template <class T> void spreading(one_case &c, int low, int high) {
    int n = c.draw("n", 500000, 2000000), bins = c.draw("bins", low, high);
    T *sums = room<T>(bins);
    c.time([&] { spread<<<blocks(n, 256), 256>>>(sums, n, bins); }, [&] { cudaMemset(sums, 0, bins * sizeof(T)); });
    double all = 0;
    for (T v : back(sums, bins))
        all += v;
    c.expect("the sum of the bins", all, n, 0);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("atomics.one_address") {
        int n = c.draw("n", 500000, 3000000);
        unsigned *sum = room<unsigned>(1);
        c.time([&] { one_address<<<blocks(n, 256), 256>>>(sum, n); }, [&] { cudaMemset(sum, 0, 4); });
        c.expect("the sum", back(sum, 1)[0], n / 4 * 6.0 + (n % 4) * (n % 4 - 1) / 2, 0);
    }
    CASE("atomics.own_address") {
        int grid = c.draw("blocks", 500, 2000), rounds = c.draw("rounds", 2, 12);
        unsigned *sums = room<unsigned>(grid * 256);
        c.time([&] { own_address<<<grid, 256>>>(sums, rounds); }, [&] { cudaMemset(sums, 0, grid * 1024); });
        c.check(sums, grid * 256, [&](size_t) { return rounds * (rounds - 1) / 2; }, 0);
    }
    CASE("atomics.some_float") spreading<float>(c, 50, 500);
    CASE("atomics.thousands") spreading<unsigned>(c, 1000, 20000);
    CASE("atomics.millions") spreading<unsigned>(c, 1000000, 8000000);
    CASE("atomics.double") spreading<double>(c, 1000, 200000);
    CASE("atomics.tickets") {
        int n = c.draw("n", 200000, 1000000);
        unsigned *next = room<unsigned>(1), *taken = room<unsigned>(n);
        c.time([&] { tickets<<<blocks(n, 256), 256>>>(next, taken, n); }, [&] { cudaMemset(next, 0, 4); });
        c.check(taken, n, [](size_t) { return 1; }, 0);
    }
    CASE("atomics.by_swap") {
        int n = c.draw("n", 100000, 600000);
        auto in = floats(n);
        float *most = room<float>(1);
        c.time([&] { by_swap<<<blocks(n, 128), 128>>>(most, in.gpu, n); }, [&] { cudaMemset(most, 0, 4); });
        c.expect("the largest", back(most, 1)[0], *std::max_element(in.cpu.begin(), in.cpu.end()), 0);
    }
    CASE("atomics.compact") {
        int n = c.draw("n", 1000000, 4000000), want = 0;
        auto in = make<int>(n, [](size_t i) { return mix(i) & 0xffff; });
        int *out = room<int>(n), *count = room<int>(1);
        c.time([&] { compact<<<blocks(n, 256), 256>>>(in.gpu, out, count, n); }, [&] { cudaMemset(count, 0, 4); });
        for (int v : in.cpu)
            want += v % 3 == 0;
        c.expect("how many are kept", back(count, 1)[0], want, 0);
    }
    return failed;
}
