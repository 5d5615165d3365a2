// Sorting networks: bitonic and odd-even in shared memory, and one bitonic step over global memory.
#include "timed.h"
using namespace timed;

__global__ void bitonic(const unsigned *in, unsigned *out) {
    __shared__ unsigned t[1024];
    unsigned i = threadIdx.x, base = blockIdx.x * 1024;
    t[i] = in[base + i], t[i + 512] = in[base + i + 512];
    for (unsigned size = 2; size <= 1024; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            __syncthreads();
            unsigned a = 2 * i - (i & (step - 1)), b = a + step;
            bool up = (a & size) == 0;
            if ((t[a] > t[b]) == up) {
                unsigned v = t[a];
                t[a] = t[b], t[b] = v;
            }
        }
    __syncthreads();
    out[base + i] = t[i], out[base + i + 512] = t[i + 512];
}

__global__ void odd_even(const unsigned *in, unsigned *out) {
    __shared__ unsigned t[256];
    unsigned i = threadIdx.x;
    t[i] = in[INDEX];
    for (int round = 0; round < 256; round++) {
        __syncthreads();
        unsigned a = 2 * i + round % 2;
        if (i < 128 && a + 1 < 256 && t[a] > t[a + 1]) {
            unsigned v = t[a];
            t[a] = t[a + 1], t[a + 1] = v;
        }
    }
    __syncthreads();
    out[INDEX] = t[i];
}

__global__ void one_step(const unsigned *in, unsigned *out, unsigned n, unsigned step) {
    unsigned i = INDEX;
    if (i >= n / 2)
        return;
    unsigned a = 2 * i - (i & (step - 1)), b = a + step, x = in[a], y = in[b];
    out[a] = min(x, y), out[b] = max(x, y);
}

static void sort_blocks(one_case &c, bool is_bitonic, int low, int high) {
    int grid = c.draw("blocks", low, high), each = is_bitonic ? 1024 : 256;
    auto in = make<unsigned>((size_t)grid * each, [](size_t i) { return mix(i); });
    unsigned *out = room<unsigned>(in.size());
    c.time([&] { is_bitonic ? bitonic<<<grid, 512>>>(in.gpu, out) : odd_even<<<grid, 256>>>(in.gpu, out); });
    auto want = in.cpu;
    for (int b = 0; b < grid; b++)
        std::sort(want.begin() + b * each, want.begin() + (b + 1) * each);
    c.check(out, want.size(), [&](size_t i) { return want[i]; }, 0);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("sort.bitonic") sort_blocks(c, true, 500, 1500);
    CASE("sort.odd_even") sort_blocks(c, false, 300, 1200);
    CASE("sort.step") {
        unsigned n = 1u << 23, step = 1u << c.draw("log_step", 0, 20);
        auto in = make<unsigned>(n, [](size_t i) { return mix(i); });
        unsigned *out = room<unsigned>(n);
        c.time([&] { one_step<<<n / 512, 256>>>(in.gpu, out, n, step); });
        c.check(out, n, [&](size_t i) {
            unsigned other = in.cpu[i ^ step];
            return i & step ? std::max(in.cpu[i], other) : std::min(in.cpu[i], other);
        }, 0);
    }
    return failed;
}
