// Shared and constant memory: bank conflicts of every degree, wide accesses, broadcasts, atomics, a transform in place.
#include "timed.h"
using namespace timed;

__constant__ float table[1024];

__global__ void strided(float *out, int step, int rounds) {
    __shared__ float t[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        t[k] = k;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < rounds; k++)
        sum += t[(threadIdx.x * step + k) & 1023];
    out[INDEX] = sum;
}
__global__ void strided_stores(float *out, int step, int rounds) {
    __shared__ volatile float t[1024];
    for (int k = 0; k < rounds; k++)
        t[(threadIdx.x * step + k) & 1023] = k;
    __syncthreads();
    out[INDEX] = t[threadIdx.x] >= 0;
}
__global__ void wide(float *out, int rounds) {
    __shared__ float4 t[256];
    t[threadIdx.x] = make_float4(1, 2, 3, threadIdx.x);
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < rounds; k++) {
        float4 v = t[(threadIdx.x + k) & 255];
        sum += v.x + v.y * v.z + v.w;
    }
    out[INDEX] = sum;
}
__global__ void doubles(float *out, int rounds) {
    __shared__ double t[512];
    for (int k = threadIdx.x; k < 512; k += 256)
        t[k] = k;
    __syncthreads();
    double sum = 0;
    for (int k = 0; k < rounds; k++)
        sum += t[(threadIdx.x * 2 + k) & 511];
    out[INDEX] = sum;
}
__global__ void polynomial(const float *in, float *out, int terms, int divergent) {
    float x = in[INDEX], y = 0;
    for (int k = 0; k < terms; k++)
        y = y * x + table[(k + (divergent ? threadIdx.x * divergent : 0)) & 1023];
    out[INDEX] = y;
}
__global__ void counters(unsigned *out, int rounds, int bins) {
    __shared__ unsigned t[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        t[k] = 0;
    __syncthreads();
    for (int k = 0; k < rounds; k++)
        atomicAdd(&t[(threadIdx.x * 5 + k) % bins], 1);
    __syncthreads();
    unsigned sum = 0;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        sum += t[k];
    atomicAdd(out, sum);
}
// Walsh and Hadamard's transform of 1024 values a block.
__global__ void hadamard(const float *in, float *out) {
    __shared__ float t[1024];
    int i = threadIdx.x, base = blockIdx.x * 1024;
    t[i] = in[base + i], t[i + 512] = in[base + i + 512];
    for (int d = 1; d < 1024; d *= 2) {
        __syncthreads();
        int a = 2 * i - (i & (d - 1));
        float x = t[a], y = t[a + d];
        t[a] = x + y, t[a + d] = x - y;
    }
    __syncthreads();
    out[base + i] = t[i], out[base + i + 512] = t[i + 512];
}

template <class F> void sums(one_case &c, F launch, const std::function<double(size_t, int)> &want) {
    int grid = c.draw("blocks", 300, 1500), rounds = c.draw("rounds", 50, 250);
    float *out = room<float>(grid * 256);
    c.time([&] { launch(grid, out, rounds); });
    c.check(out, grid * 256, [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < rounds; k++)
            sum += want(i % 256, k);
        return sum;
    });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    for (int step : {0, 1, 2, 4, 8, 16, 32}) {
        std::string name = "shared.step_" + std::to_string(step);
        CASE(name.c_str()) sums(c, [=](int g, float *out, int r) { strided<<<g, 256>>>(out, step, r); }, [=](size_t i, int k) { return (i * step + k) & 1023; });
    }
    CASE("shared.step_drawn") {
        int step = c.draw("step", 3, 300);
        sums(c, [=](int g, float *out, int r) { strided<<<g, 256>>>(out, step, r); }, [=](size_t i, int k) { return (i * step + k) & 1023; });
    }
    CASE("shared.stores") {
        int grid = c.draw("blocks", 300, 1500), rounds = 1024 + c.draw("rounds", 0, 200), step = c.draw("step", 1, 32);
        float *out = room<float>(grid * 256);
        c.time([&] { strided_stores<<<grid, 256>>>(out, step, rounds); });
        c.check(out, grid * 256, [](size_t) { return 1; }, 0);
    }
    CASE("shared.wide") sums(c, [](int g, float *out, int r) { wide<<<g, 256>>>(out, r); }, [](size_t i, int k) { return 7 + ((i + k) & 255); });
    CASE("shared.doubles") sums(c, [](int g, float *out, int r) { doubles<<<g, 256>>>(out, r); }, [](size_t i, int k) { return (2 * i + k) & 511; });
    for (int divergent = 0; divergent < 2; divergent++)
        CASE(divergent ? "shared.constant_divergent" : "shared.constant") {
            int grid = c.draw("blocks", 300, 1500), terms = c.draw("terms", 20, 200), by = divergent ? c.draw("by", 1, 50) : 0;
            auto in = make<float>(grid * 256, [](size_t i) { return 0.5f * unit(i); });
            float *out = room<float>(grid * 256), host[1024];
            for (int k = 0; k < 1024; k++)
                host[k] = 1 + k % 5;
            cudaMemcpyToSymbol(table, host, sizeof host);
            c.time([&] { polynomial<<<grid, 256>>>(in.gpu, out, terms, by); });
            c.check(out, grid * 256, [&](size_t i) {
                double y = 0;
                for (int k = 0; k < terms; k++)
                    y = y * in.cpu[i] + host[(k + i % 256 * by) & 1023];
                return y;
            });
        }
    CASE("shared.counters") {
        int grid = c.draw("blocks", 200, 1000), rounds = c.draw("rounds", 20, 100), bins = c.draw("bins", 1, 1024);
        unsigned *out = room<unsigned>(1);
        c.time([&] { counters<<<grid, 256>>>(out, rounds, bins); }, [&] { cudaMemset(out, 0, 4); });
        c.expect("the count", back(out, 1)[0], 256.0 * grid * rounds, 0);
    }
    CASE("shared.hadamard") {
        int grid = c.draw("blocks", 500, 3000);
        auto in = make<float>((size_t)grid * 1024, [](size_t i) { return mix(i) % 16; });
        float *out = room<float>(in.size());
        c.time([&] { hadamard<<<grid, 512>>>(in.gpu, out); });
        c.check(out, in.size(), [&](size_t i) {
            double sum = 0;
            for (size_t k = 0; k < 1024; k++)
                sum += (__builtin_popcount(k & i % 1024) & 1 ? -1 : 1) * in.cpu[i / 1024 * 1024 + k];
            return sum;
        });
    }
    return failed;
}
