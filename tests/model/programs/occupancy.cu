// How many warps there are: shared memory, registers and spills, block sizes, few blocks and many tiny ones.
#include "timed.h"
using namespace timed;

__host__ __device__ inline float worked(float x, int rounds) {
    for (int k = 0; k < rounds; k++)
        x = x * 0.999f + 0.25f;
    return x;
}
__global__ void with_shared(const float *in, float *out, int n, int rounds) {
    extern __shared__ float t[];
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x) {
        t[threadIdx.x] = in[i];
        out[i] = worked(t[threadIdx.x], rounds);
    }
}
__global__ void work(const float *in, float *out, int n, int rounds) {
    int i = INDEX;
    if (i < n)
        out[i] = worked(in[i], rounds);
}

// COUNT sums a thread, chosen by a step the compiler does not know: registers, and beyond 255 spills.
template <int COUNT> __global__ void many_sums(const float *in, float *out, int n, int steps) {
    float sum[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        sum[k] = k;
    for (int s = 0; s < steps; s++) {
        float x = in[(INDEX + s * 977) % n];
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            sum[k] = sum[k] * x + sum[(k + 1) % COUNT];
    }
    float all = 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        all += sum[k] * (1.0f / COUNT);
    out[INDEX] = all;
}
__global__ void local_array(const unsigned char *in, int *out, int n, int each) {
    int bins[64];
    for (int k = 0; k < 64; k++)
        bins[k] = 0;
    for (int k = 0; k < each; k++)
        bins[in[(INDEX + (size_t)k * gridDim.x * blockDim.x) % n] & 63]++;
    int best = 0;
    for (int k = 0; k < 64; k++)
        best = max(best, bins[k]);
    out[INDEX] = best;
}

template <int COUNT> void sums(one_case &c) {
    int grid = c.draw("blocks", 200, 1200), steps = c.draw("steps", 20, 60), n = 100000;
    auto in = make<float>(n, [](size_t i) { return 0.4f * unit(i); });
    float *out = room<float>(grid * 128);
    c.time([&] { many_sums<COUNT><<<grid, 128>>>(in.gpu, out, n, steps); });
    c.check(out, grid * 128, [&](size_t i) {
        std::vector<float> sum(COUNT);
        for (int k = 0; k < COUNT; k++)
            sum[k] = k;
        for (int s = 0; s < steps; s++)
            for (int k = 0; k < COUNT; k++)
                sum[k] = sum[k] * in.cpu[(i + s * 977) % n] + sum[(k + 1) % COUNT];
        double all = 0;
        for (float v : sum)
            all += v / COUNT;
        return all;
    }, 0.01);
}
static void works(one_case &c, int grid, int threads, int rounds) {
    int n = grid * threads;
    auto in = floats(n);
    float *out = room<float>(n);
    c.time([&] { work<<<grid, threads>>>(in.gpu, out, n, rounds); });
    c.check(out, n, [&](size_t i) { return worked(in.cpu[i], rounds); });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("occupancy.shared") {
        int n = c.draw("n", 4000000, 12000000), kb = c.draw("kb", 20, 200), rounds = c.draw("rounds", 1, 20);
        auto in = floats(n);
        float *out = room<float>(n);
        must(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, kb * 1024), "shared memory");
        c.time([&] { with_shared<<<1056, 128, kb * 1024>>>(in.gpu, out, n, rounds); });
        c.check(out, n, [&](size_t i) { return worked(in.cpu[i], rounds); });
    }
    CASE("occupancy.sums_32") sums<32>(c);
    CASE("occupancy.sums_100") sums<100>(c);
    CASE("occupancy.sums_200") sums<200>(c);
    CASE("occupancy.sums_320") sums<320>(c);
    CASE("occupancy.local_array") {
        int n = 3000000, each = c.draw("each", 20, 100);
        auto in = make<unsigned char>(n, [](size_t i) { return mix(i); });
        int *out = room<int>(200 * 128);
        c.time([&] { local_array<<<200, 128>>>(in.gpu, out, n, each); });
        c.check(out, 200 * 128, [&](size_t i) {
            int bins[64] = {};
            for (int k = 0; k < each; k++)
                bins[in.cpu[(i + (size_t)k * 200 * 128) % n] & 63]++;
            return *std::max_element(bins, bins + 64);
        }, 0);
    }
    CASE("occupancy.one_block") works(c, 1, 1024, c.draw("rounds", 1000, 20000));
    CASE("occupancy.66_blocks") works(c, 66, 512, c.draw("rounds", 2000, 9000));
    CASE("occupancy.132_blocks") works(c, 132, 1024, c.draw("rounds", 800, 4000));
    CASE("occupancy.133_blocks") works(c, 133, 1024, c.draw("rounds", 800, 4000));
    CASE("occupancy.265_blocks") works(c, 265, 1024, c.draw("rounds", 800, 4000));
    CASE("occupancy.tiny_blocks") works(c, c.draw("blocks", 20000, 120000), 32, c.draw("rounds", 1, 100));
    CASE("occupancy.blocks_of_one") works(c, c.draw("blocks", 10000, 60000), 1, c.draw("rounds", 1, 30));
    CASE("occupancy.empty_blocks") works(c, c.draw("blocks", 20000, 60000), 64, 0);
    CASE("occupancy.odd_blocks") works(c, c.draw("blocks", 500, 3000), c.draw("threads", 33, 1000), c.draw("rounds", 50, 500));
    return failed;
}
