// fp8: each of the 65,536 halves, and floats around every number of the formats, to both formats
// and back, beside the conversions that cuda_fp8.h makes on the host; and matrices of fp8 on tensor
// cores, beside sums in double precision.
#include "check.h"
#include <cuda_fp8.h>

template <class T> __global__ void of_halves(unsigned char *to, float *back) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x(__ushort_as_half((unsigned short)i));
    to[i] = x.__x;
    back[i] = float(x);
}
template <class T> __global__ void of_floats(const float *in, unsigned char *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = T(in[i]).__x;
}
template <class T2> __global__ void of_pairs(const float2 *in, unsigned short *to, float2 *back) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T2 x(in[i]);
    to[i] = x.__x;
    back[i] = float2(x);
}
__global__ void positive(const float *in, unsigned short *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short pair;
    asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;"
        : "=h"(pair)
        : "f"(in[2 * i + 1]), "f"(in[2 * i]));
    to[i] = pair;
}

static bool is_nan(unsigned char x, bool e5m2) {
    return (x & 0x7f) > (e5m2 ? 0x7c : 0x7e);
}

template <class T, class T2> void check(const char *name, bool e5m2) {
    const int n = 65536;
    unsigned char *to = device<unsigned char>(n);
    float *back = device<float>(n);
    int wrong[4] = {0};
    of_halves<T><<<n / 256, 256>>>(to, back);
    LAUNCHED;
    auto got = fetch(to, n);
    auto gb = fetch(back, n);
    for (int i = 0; i < n; i++) {
        T want(__ushort_as_half((unsigned short)i));
        bool nan = is_nan(want.__x, e5m2);
        wrong[0] += nan ? !is_nan(got[i], e5m2) : got[i] != want.__x;
        wrong[1] += nan ? !std::isnan(gb[i]) : gb[i] != float(want);
    }
    std::vector<float> in;
    unsigned state = 20261128;
    for (int i = 0; i < n;
         i++) { // a number of the format, or one half way to the next, moved by a bit or two
        T low, high;
        low.__x = (unsigned char)i;
        high.__x = (unsigned char)(i + 1);
        float x = i & 256 ? float(low) : (float(low) + float(high)) / 2;
        state = state * 1664525 + 1013904223;
        unsigned bits;
        memcpy(&bits, &x, 4);
        bits += (state >> 28) % 5 - 2;
        memcpy(&x, &bits, 4);
        in.push_back(i < 1000 ? (float)ldexp(1 + (state >> 8) / 16777216.0, i % 60 - 30) : x);
    }
    float *floats = device(in);
    of_floats<T><<<n / 256, 256>>>(floats, to);
    LAUNCHED;
    got = fetch(to, n);
    unsigned short *pairs = device<unsigned short>(n / 2);
    float2 *both = device<float2>(n / 2);
    of_pairs<T2><<<n / 512, 256>>>((const float2 *)floats, pairs, both);
    LAUNCHED;
    auto gp = fetch(pairs, n / 2);
    for (int i = 0; i < n; i++) {
        T want(in[i]);
        bool nan = is_nan(want.__x, e5m2);
        unsigned char half = (unsigned char)(gp[i / 2] >> 8 * (i & 1));
        wrong[2] += nan ? !is_nan(got[i], e5m2) : got[i] != want.__x;
        wrong[3] += nan ? !is_nan(half, e5m2) : half != want.__x;
    }
    printf("%s %d %d %d %d wrong\n", name, wrong[0], wrong[1], wrong[2], wrong[3]);
}

// D = A B + C with A of 16 x 32 and B of 32 x 8; the layout is the PTX ISA's for m16n8k32 of 8-bit
// types.
#define PRODUCT(name, type_a, type_b)                                                              \
    __global__ void name(const unsigned *a, const unsigned *b, float *c) {                         \
        int lane = threadIdx.x;                                                                    \
        float d[4] = {1, 2, 3, 4};                                                                 \
        asm("mma.sync.aligned.m16n8k32.row.col.f32." type_a "." type_b                             \
            ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                 \
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                       \
            : "r"(a[lane]), "r"(a[32 + lane]), "r"(a[64 + lane]), "r"(a[96 + lane]), "r"(b[lane]), \
              "r"(b[32 + lane]));                                                                  \
        for (int k = 0; k < 4; k++)                                                                \
            c[4 * lane + k] = d[k];                                                                \
    }
PRODUCT(product_4_4, "e4m3", "e4m3")
PRODUCT(product_5_4, "e5m2", "e4m3")

template <class A, class B, class Kernel> void product(const char *name, Kernel kernel) {
    std::vector<unsigned char> a(512), b(256); // by register, lane, byte
    unsigned state = 7;
    for (auto *v : {&a, &b})
        for (auto &x : *v) {
            state = state * 1664525 + 1013904223;
            x = (unsigned char)((state >> 24) & 0xbf); // below 2 (e4m3) and 2 (e5m2): sums are
                                                       // exact in single precision
        }
    float *c = device<float>(128);
    kernel<<<1, 32>>>((const unsigned *)device(a), (const unsigned *)device(b), c);
    LAUNCHED;
    auto got = fetch(c, 128);
    std::vector<float> want(128);
    for (int lane = 0; lane < 32; lane++)
        for (int k = 0; k < 4; k++) {
            int row = lane / 4 + 8 * (k / 2), col = lane % 4 * 2 + k % 2;
            double sum = k + 1;
            for (int i = 0; i < 32; i++) {
                A x;
                B y;
                x.__x = a[(row / 8 + 2 * (i / 16)) * 128 + (row % 8 * 4 + i % 16 / 4) * 4 + i % 4];
                y.__x = b[i / 16 * 128 + (col * 4 + i % 16 / 4) * 4 + i % 4];
                sum += (double)float(x) * (double)float(y);
            }
            want[4 * lane + k] = (float)sum;
        }
    same(name, got, want);
}

int main() {
    check<__nv_fp8_e4m3, __nv_fp8x2_e4m3>("e4m3", false);
    check<__nv_fp8_e5m2, __nv_fp8x2_e5m2>("e5m2", true);
    std::vector<float> in = {1.1f, -3.4f, -0.0f, 500, -1e30f, 0.001f, NAN, -NAN};
    unsigned short *to = device<unsigned short>(4);
    positive<<<1, 4>>>(device(in), to);
    LAUNCHED;
    same("relu", fetch(to, 4), std::vector<unsigned short>{0x0039, 0x7e00, 0x0100, 0x7f7f});
    product<__nv_fp8_e4m3, __nv_fp8_e4m3>("e4m3 e4m3", product_4_4);
    product<__nv_fp8_e5m2, __nv_fp8_e4m3>("e5m2 e4m3", product_5_4);
}
