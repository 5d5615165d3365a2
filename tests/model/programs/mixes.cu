// Kernels drawn from the seed: some streams with strides, some arithmetic, a tile or none, shared memory that leaves less room, atomics at the
// end of a block or none, in blocks of any size.
#include "timed.h"
using namespace timed;

struct recipe {
    int streams, step, flops, chains, tile_rounds, atomics, doubles;
};

__global__ void mixed(const float *in, float *out, unsigned *count, int n, recipe r) {
    extern __shared__ float t[];
    int i = INDEX, width = blockDim.x;
    float x = 0;
    if (i < n)
        for (int s = 0; s < r.streams; s++)
            x += in[((size_t)s * n + i) * (s == 0 ? r.step : 1)];
    for (int k = 0; k < r.tile_rounds; k++) {
        t[threadIdx.x] = x;
        __syncthreads();
        x = 0.5f * (x + t[(threadIdx.x + k + 1) % width]);
        __syncthreads();
    }
    float y = 1;
    if (r.chains == 1)
        for (int k = 0; k < r.flops; k++)
            x = x * 0.5f + 1;
    else
        for (int k = 0; k < r.flops; k++)
            x = x * 0.5f + 1, y = y * 0.25f + 1;
    double z = x;
    for (int k = 0; k < r.doubles; k++)
        z = z * 0.5 + 1;
    if (i < n)
        out[i] = (float)z + (r.chains == 1 ? 0 : y);
    if (r.atomics == 1 && i < n)
        atomicAdd(&count[i % 64], 1);
    if (r.atomics == 2 && threadIdx.x == 0)
        atomicAdd(count, 1);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    for (int number = 1; number <= 16; number++) {
        std::string name = "mixes." + std::to_string(number);
        CASE(name.c_str()) {
            recipe r = {};
            r.streams = c.draw("streams", 1, 4);
            r.step = c.draw("strided", 0, 2) ? 1 : c.draw("step", 2, 12);
            r.flops = c.draw("computes", 0, 1) ? c.draw("flops", 1, 150) : 0;
            r.chains = c.draw("chains", 1, 2);
            r.tile_rounds = c.draw("tiles", 0, 1) ? c.draw("rounds", 1, 12) : 0;
            r.atomics = c.draw("atomics", 0, 4);
            r.doubles = c.draw("precise", 0, 3) ? 0 : c.draw("doubles", 1, 40);
            int threads = 32 * c.draw("warps", 1, 32), n = c.draw("n", 800000, 6000000), kb = c.draw("large", 0, 2) ? 4 : c.draw("kb", 4, 100);
            auto in = floats((size_t)n * std::max(r.streams, r.step + 1));
            float *out = room<float>(n);
            unsigned *count = room<unsigned>(64);
            must(cudaFuncSetAttribute(mixed, cudaFuncAttributeMaxDynamicSharedMemorySize, kb * 1024), "shared memory");
            c.time([&] { mixed<<<blocks(n, threads), threads, kb * 1024>>>(in.gpu, out, count, n, r); }, [&] { cudaMemset(count, 0, 256); });
            size_t whole = (size_t)n / threads * threads; // the last block's other lanes bring zeros; leave it out
            c.check(out, whole, [&](size_t i) {
                size_t first = i / threads * threads;
                std::vector<float> x(threads), t;
                for (int k = 0; k < threads; k++)
                    for (int s = 0; s < r.streams; s++)
                        x[k] += in.cpu[((size_t)s * n + first + k) * (s == 0 ? r.step : 1)];
                for (int k = 0; k < r.tile_rounds; k++) {
                    t = x;
                    for (int j = 0; j < threads; j++)
                        x[j] = 0.5f * (t[j] + t[(j + k + 1) % threads]);
                }
                float v = x[i - first], y = 1;
                for (int k = 0; k < r.flops; k++)
                    v = v * 0.5f + 1, y = y * 0.25f + 1;
                double z = v;
                for (int k = 0; k < r.doubles; k++)
                    z = z * 0.5 + 1;
                return z + (r.chains == 1 ? 0 : y);
            });
        }
    }
    return failed;
}
