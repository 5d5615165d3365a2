// Special functions: Black-Scholes, sines in two precisions, powers.
#include "timed.h"
using namespace timed;

__host__ __device__ float normal(float x) {
    return 0.5f * erfcf(-x * 0.70710678f);
}
__host__ __device__ float call_price(float s, float x, float t) {
    float r = 0.02f, v = 0.3f, root = sqrtf(t), d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root);
    return s * normal(d1) - x * expf(-r * t) * normal(d1 - v * root);
}

__global__ void options_price(const float *s, const float *x, const float *t, float *out, int n) {
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x)
        out[i] = call_price(s[i], x[i], t[i]);
}

__global__ void fast_waves(const float *in, float *out, int n, int terms) {
    int i = INDEX;
    if (i >= n)
        return;
    float sum = 0, x = in[i];
    for (int k = 1; k <= terms; k++)
        sum += __sinf(k * x) * __cosf(x + k);
    out[i] = sum;
}

__global__ void waves(const float *in, float *out, int n, int terms) {
    int i = INDEX;
    if (i >= n)
        return;
    float sum = 0, x = in[i];
    for (int k = 1; k <= terms; k++)
        sum += sinf(k * x) * cosf(x + k);
    out[i] = sum;
}

__global__ void powers(const float *in, float *out, int n) {
    int i = INDEX;
    if (i < n)
        out[i] = powf(in[i] + 0.5f, 2.2f) + tanhf(in[i]) + log2f(in[i] + 1);
}

__global__ void double_functions(const float *in, double *out, int n) {
    int i = INDEX;
    if (i < n)
        out[i] = exp((double)in[i]) / sqrt(in[i] + 1.0);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("functions.black_scholes") {
        int n = c.draw("n", 1000000, 5000000);
        auto s = make<float>(n, [](size_t i) { return 20 + 20 * unit(i); }), x = make<float>(n, [](size_t i) { return 20 + 20 * unit(i + 7); });
        auto t = make<float>(n, [](size_t i) { return 0.2f + 3 * unit(i + 9); });
        float *out = room<float>(n);
        c.time([&] { options_price<<<1056, 128>>>(s.gpu, x.gpu, t.gpu, out, n); });
        c.check(out, n, [&](size_t i) { return call_price(s.cpu[i], x.cpu[i], t.cpu[i]); }, 0.05);
    }
    for (int fast = 0; fast < 2; fast++)
        CASE(fast ? "functions.fast_waves" : "functions.waves") {
            int n = c.draw("n", 700000, 2000000), terms = c.draw("terms", 4, 24);
            auto in = floats(n);
            float *out = room<float>(n);
            c.time([&] { (fast ? fast_waves : waves)<<<blocks(n, 256), 256>>>(in.gpu, out, n, terms); });
            auto got = back(out, n);
            for (int i = 0; i < n; i += n / 100) {
                double sum = 0;
                for (int k = 1; k <= terms; k++)
                    sum += sin(k * (double)in.cpu[i]) * cos(in.cpu[i] + (double)k);
                c.expect("1 + a sum of waves", 1 + got[i] - sum, 1, 0.01);
            }
        }
    CASE("functions.powers") {
        int n = c.draw("n", 2000000, 7000000);
        auto in = floats(n);
        float *out = room<float>(n);
        c.time([&] { powers<<<blocks(n, 256), 256>>>(in.gpu, out, n); });
        c.check(out, n, [&](size_t i) { float x = in.cpu[i]; return pow(x + 0.5, 2.2) + tanh(x) + log2(x + 1); });
    }
    CASE("functions.double") {
        int n = c.draw("n", 2000000, 7000000);
        auto in = floats(n);
        double *out = room<double>(n);
        c.time([&] { double_functions<<<blocks(n, 256), 256>>>(in.gpu, out, n); });
        c.check(out, n, [&](size_t i) { return exp((double)in.cpu[i]) / sqrt(in.cpu[i] + 1.0); });
    }
    return failed;
}
