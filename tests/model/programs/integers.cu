// Whole numbers: hashes, bit counts, divisions, 64-bit products, primes.
#include "timed.h"
using namespace timed;

__host__ __device__ inline unsigned hashed(unsigned x, int rounds) {
    for (int k = 0; k < rounds; k++)
        x = mix(x + k);
    return x;
}
__host__ __device__ inline unsigned divided(unsigned x, unsigned d, int rounds) {
    unsigned sum = 0;
    for (int k = 0; k < rounds; k++, d++)
        sum += (x + k) % d + (x ^ k) / d;
    return sum;
}
__host__ __device__ inline unsigned wide(unsigned x, int rounds) {
    unsigned long long v = x + 1ull;
    for (int k = 0; k < rounds; k++)
        v = v * 6364136223846793005ull + (v >> 33);
    return (unsigned)(v >> 32);
}
__global__ void hash(unsigned *out, int n, int rounds) {
    int i = INDEX;
    if (i < n)
        out[i] = hashed(i, rounds);
}
__global__ void divide(unsigned *out, int n, unsigned d, int rounds) {
    int i = INDEX;
    if (i < n)
        out[i] = divided(i, d, rounds);
}
__global__ void multiply_wide(unsigned *out, int n, int rounds) {
    int i = INDEX;
    if (i < n)
        out[i] = wide(i, rounds);
}
__global__ void bits(const unsigned *in, unsigned *out, int n, int rounds) {
    int i = INDEX;
    if (i >= n)
        return;
    unsigned v = in[i], sum = 0;
    for (int k = 0; k < rounds; k++)
        sum += __popc(v ^ k) + __clz(v >> (k & 7));
    out[i] = sum;
}
__global__ void primes(unsigned *count, int n) {
    int i = 2 * INDEX + 3;
    bool prime = i < n;
    for (int d = 3; prime && d * d <= i; d += 2)
        prime = i % d != 0;
    if (prime)
        atomicAdd(count, 1);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    for (int way = 0; way < 3; way++) {
        const char *names[] = {"integers.hash", "integers.divide", "integers.wide"};
        CASE(names[way]) {
            int n = c.draw("n", 200000, 600000), rounds = c.draw("rounds", 30, 150);
            unsigned *out = room<unsigned>(n), d = c.draw("d", 3, 1000);
            c.time([&] {
                way == 0 ? hash<<<blocks(n, 256), 256>>>(out, n, rounds) : way == 1 ? divide<<<blocks(n, 256), 256>>>(out, n, d, rounds) : multiply_wide<<<blocks(n, 256), 256>>>(out, n, rounds);
            });
            c.check(out, n, [&](size_t i) { return way == 0 ? hashed(i, rounds) : way == 1 ? divided(i, d, rounds) : wide(i, rounds); }, 0);
        }
    }
    CASE("integers.bits") {
        int n = c.draw("n", 200000, 900000), rounds = c.draw("rounds", 30, 150);
        auto in = make<unsigned>(n, [](size_t i) { return mix(i); });
        unsigned *out = room<unsigned>(n);
        c.time([&] { bits<<<blocks(n, 256), 256>>>(in.gpu, out, n, rounds); });
        c.check(out, n, [&](size_t i) {
            unsigned v = in.cpu[i], sum = 0;
            for (int k = 0; k < rounds; k++)
                sum += __builtin_popcount(v ^ k) + (v >> (k & 7) ? __builtin_clz(v >> (k & 7)) : 32);
            return sum;
        }, 0);
    }
    CASE("integers.primes") {
        unsigned *count = room<unsigned>(1);
        c.time([&] { primes<<<blocks(500000, 256), 256>>>(count, 1000000); }, [&] { cudaMemset(count, 0, 4); });
        c.expect("odd primes below a million", back(count, 1)[0], 78497, 0);
    }
    return failed;
}
