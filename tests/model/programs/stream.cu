// Streams: what is read once and written once, in elements of several sizes.
#include "timed.h"
using namespace timed;

template <class T> __global__ void copy(const T *in, T *out, size_t n) {
    size_t i = INDEX;
    if (i < n)
        out[i] = in[i];
}

__global__ void scale_in_place(float *x, size_t n, float by) {
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = x[i] * by;
}

__global__ void triad(const double *a, const double *b, double *out, size_t n) {
    size_t i = INDEX;
    if (i < n)
        out[i] = a[i] + 3.0 * b[i];
}

__global__ void fill(float4 *out, size_t n) {
    size_t i = INDEX;
    if (i < n)
        out[i] = make_float4(i, 1, 2, 3);
}

__global__ void four_inputs(const float *a, const float *b, const float *p, const float *q, float *out, size_t n) {
    size_t i = INDEX;
    if (i < n)
        out[i] = a[i] * b[i] + p[i] * q[i];
}

template <class T> void a_copy(one_case &c, size_t n, unsigned threads) {
    auto in = make<T>(n, [](size_t i) { return (T)(mix(i) & 0xff); });
    T *out = room<T>(n);
    c.time([&] { copy<<<blocks(n, threads), threads>>>(in.gpu, out, n); });
    c.check(out, n, [&](size_t i) { return in.cpu[i]; });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("stream.copy_float") a_copy<float>(c, c.draw("n", 4000000, 16000000), 32 * c.draw("warps", 2, 32));
    CASE("stream.copy_byte") a_copy<unsigned char>(c, c.draw("n", 4000000, 16000000), 256);
    CASE("stream.copy_short") a_copy<short>(c, c.draw("n", 4000000, 16000000), 32 * c.draw("warps", 2, 32));
    CASE("stream.copy_double") a_copy<double>(c, c.draw("n", 4000000, 12000000), 512);
    CASE("stream.copy_float4") {
        size_t n = c.draw("n", 1000000, 4000000);
        auto in = floats(4 * n);
        float *out = room<float>(4 * n);
        c.time([&] { copy<<<blocks(n, 256), 256>>>((const float4 *)in.gpu, (float4 *)out, n); });
        c.check(out, 4 * n, [&](size_t i) { return in.cpu[i]; });
    }
    CASE("stream.in_place") {
        size_t n = c.draw("n", 4000000, 12000000);
        auto x = floats(n);
        c.time([&] { scale_in_place<<<132 * 4, 512>>>(x.gpu, n, 3.0f); },
               [&] { cudaMemcpy(x.gpu, x.cpu.data(), n * sizeof(float), cudaMemcpyHostToDevice); });
        c.check(x.gpu, n, [&](size_t i) { return 3 * x.cpu[i]; });
    }
    CASE("stream.triad_double") {
        size_t n = c.draw("n", 3000000, 8000000);
        auto a = make<double>(n, unit), b = make<double>(n, [](size_t i) { return i % 7; });
        double *out = room<double>(n);
        c.time([&] { triad<<<blocks(n, 128), 128>>>(a.gpu, b.gpu, out, n); });
        c.check(out, n, [&](size_t i) { return a.cpu[i] + 3 * b.cpu[i]; });
    }
    CASE("stream.fill") {
        size_t n = c.draw("n", 1000000, 6000000);
        float4 *out = room<float4>(n);
        c.time([&] { fill<<<blocks(n, 256), 256>>>(out, n); });
        c.check((float *)out, 4 * n, [](size_t i) { return i % 4 ? (float)(i % 4) : (float)(i / 4); });
    }
    CASE("stream.four_inputs") {
        size_t n = c.draw("n", 2000000, 6000000);
        auto a = floats(4 * n);
        float *out = room<float>(n), *g = a.gpu, *h = a.cpu.data();
        c.time([&] { four_inputs<<<blocks(n, 256), 256>>>(g, g + n, g + 2 * n, g + 3 * n, out, n); });
        c.check(out, n, [&](size_t i) { return h[i] * h[i + n] + h[i + 2 * n] * h[i + 3 * n]; });
    }
    return failed;
}
