// One pipe at a time: independent and dependent chains of each kind of operation.
#include "timed.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
using namespace timed;

template <class T, int CHAINS> __global__ void multiply_add(T *out, int rounds, T by, T plus) {
    T v[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        v[k] = (T)(threadIdx.x + k);
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < CHAINS * 8; k++)
            v[k % CHAINS] = v[k % CHAINS] * by + plus;
    T sum = 0;
    for (int k = 0; k < CHAINS; k++)
        sum += v[k];
    out[INDEX] = sum;
}
template <class T2, class T> __global__ void halves(float *out, int rounds, T by, T plus) {
    T2 v[4], b = {by, by}, p = {plus, plus};
    for (int k = 0; k < 4; k++)
        v[k] = {plus, by};
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 32; k++)
            v[k % 4] = __hfma2(v[k % 4], b, p);
    out[INDEX] = (float)v[0].x + (float)v[1].y + (float)v[2].x + (float)v[3].y;
}
template <int KIND> __global__ void special(float *out, int rounds) {
    float x = 1 + threadIdx.x * 0.001f, y = 2;
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (KIND == 0)
                x = rsqrtf(x + 0.5f), y = rsqrtf(y + 0.25f);
            else if (KIND == 1)
                x = x * 0.5f + 1.0f / (x + y);
            else
                x = __int2float_rn(__float2int_rn(x * 3.7f)) * 0.25f;
    out[INDEX] = x + y;
}

template <class T, int CHAINS> void chains(one_case &c, int grid_low, int grid_high, int threads) {
    int grid = c.draw("blocks", grid_low, grid_high), rounds = c.draw("rounds", 50, 250);
    T by = (T)(sizeof(T) > 1 ? 1 : 1), plus = (T)3, *out = room<T>(grid * threads);
    c.time([&] { multiply_add<T, CHAINS><<<grid, threads>>>(out, rounds, by, plus); });
    c.check(out, grid * threads, [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < CHAINS; k++)
            sum += i % threads + k + 24.0 * rounds;
        return sum;
    });
}
template <class T2, class T> void half_chains(one_case &c) {
    int grid = c.draw("blocks", 300, 1500), rounds = c.draw("rounds", 10, 60);
    float *out = room<float>(grid * 256);
    c.time([&] { halves<T2, T><<<grid, 256>>>(out, rounds, (T)0.5f, (T)1.0f); });
    c.check(out, grid * 256, [](size_t) { return 8; }, 0.01);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("peak.float_8") chains<float, 8>(c, 400, 1500, 256);
    CASE("peak.float_1") chains<float, 1>(c, 400, 1500, 256);
    CASE("peak.float_1_few_warps") chains<float, 1>(c, 132, 132, 64);
    CASE("peak.float_4_few_warps") chains<float, 4>(c, 132, 264, 128);
    CASE("peak.double_4") chains<double, 4>(c, 200, 800, 256);
    CASE("peak.double_1") chains<double, 1>(c, 132, 264, 128);
    CASE("peak.integer_4") chains<int, 4>(c, 400, 1500, 256);
    CASE("peak.long_2") chains<long long, 2>(c, 200, 800, 256);
    CASE("peak.half2") half_chains<__half2, __half>(c);
    CASE("peak.bfloat2") half_chains<__nv_bfloat162, __nv_bfloat16>(c);
    for (int kind = 0; kind < 3; kind++) {
        const char *names[] = {"peak.rsqrt", "peak.divide", "peak.convert"};
        CASE(names[kind]) {
            int grid = c.draw("blocks", 300, 1200), rounds = c.draw("rounds", 10, 60);
            float *out = room<float>(grid * 256);
            c.time([&] { (kind == 0 ? special<0> : kind == 1 ? special<1> : special<2>)<<<grid, 256>>>(out, rounds); });
            c.check(out, grid * 256, [&](size_t i) {
                float x = 1 + i % 256 * 0.001f, y = 2;
                for (int k = 0; k < 8 * rounds; k++)
                    if (kind == 0)
                        x = 1 / sqrtf(x + 0.5f), y = 1 / sqrtf(y + 0.25f);
                    else
                        x = kind == 1 ? x * 0.5f + 1 / (x + y) : rintf(x * 3.7f) * 0.25f;
                return x + y;
            }, 0.01);
        }
    }
    return failed;
}
