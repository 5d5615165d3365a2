// half and bfloat16: arithmetic, comparison, conversion and the pairs of them, against single
// precision rounded once, which is exact for these formats.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { OPS = 24 };

template <class T> struct Traits;
template <> struct Traits<__half> {
    typedef __half2 two;
    static __host__ __device__ __half make(float f) {
        return __float2half_rn(f);
    }
    static __host__ __device__ float value(__half h) {
        return __half2float(h);
    }
};
template <> struct Traits<__nv_bfloat16> {
    typedef __nv_bfloat162 two;
    static __host__ __device__ __nv_bfloat16 make(float f) {
        return __float2bfloat16_rn(f);
    }
    static __host__ __device__ float value(__nv_bfloat16 h) {
        return __bfloat162float(h);
    }
};

template <class T> __global__ void run(const float *in, float *out) {
    typedef Traits<T> t;
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    T a = t::make(in[3 * i]), b = t::make(in[3 * i + 1]), c = t::make(in[3 * i + 2]);
    float *o = out + i * OPS;
    o[0] = t::value(a + b);
    o[1] = t::value(a - b);
    o[2] = t::value(a * b);
    o[3] = t::value(a / b);
    o[4] = t::value(__hfma(a, b, c));
    o[5] = t::value(-a);
    o[6] = t::value(__habs(a));
    o[7] = t::value(__hmin(a, b));
    o[8] = t::value(__hmax(a, b));
    o[9] = a < b;
    o[10] = a == a;
    o[11] = __hgeu(a, b);
    o[12] = __hisnan(a);
    o[13] = t::value(hsqrt(__habs(a)));
    o[14] = t::value(hfloor(a));
    o[15] = t::value(hrint(a));
    o[16] = t::value(__hadd_sat(a, b));
    o[17] = t::value(__hfma_relu(a, b, c));
    typename t::two p = {a, b}, q = {b, c}, r = __hfma2(p, q, p);
    o[18] = t::value(r.x);
    o[19] = t::value(r.y);
    r = __hadd2(p, q);
    o[20] = t::value(r.x);
    o[21] = t::value(__hmul2(p, q).y);
    o[22] = __hbne2(p, q);
    o[23] = t::value(__hmax2(p, q).x);
}

template <class T> void check(const char *name, float scale) {
    typedef Traits<T> t;
    const int n = 1024;
    std::vector<float> in(3 * n), want(n * OPS);
    Random random(3);
    for (auto &v : in) {
        v = ((int)(random.next() % 2001) - 1000) / 64.0f;
        if (random.next() % 50 == 0)
            v = random.next() % 2 ? NAN : INFINITY;
        if (random.next() % 20 == 0)
            v *= scale;
    }
    for (int i = 0; i < n; i++) {
        T ta = t::make(in[3 * i]), tb = t::make(in[3 * i + 1]), tc = t::make(in[3 * i + 2]);
        float a = t::value(ta), b = t::value(tb), c = t::value(tc), *o = &want[i * OPS];
        auto round = [](double v) { // once: the step through float is to odd, which loses nothing
            float f = (float)v;
            if (std::isfinite(f) && f != v) {
                f = std::fabs((double)f) > std::fabs(v) ? std::nextafter(f, 0.0f) : f;
                unsigned bits;
                memcpy(&bits, &f, 4);
                bits |= 1;
                memcpy(&f, &bits, 4);
            }
            return t::value(t::make(f));
        };
        o[0] = round(a + b);
        o[1] = round(a - b);
        o[2] = round(a * b);
        o[3] = round(a / b);
        o[4] = round(fma((double)a, b, c));
        o[5] = -a;
        o[6] = fabsf(a);
        o[7] = fminf(a, b);
        o[8] = fmaxf(a, b);
        o[9] = a < b;
        o[10] = a == a;
        o[11] = !(a < b);
        o[12] = std::isnan(a);
        o[13] = round(sqrtf(fabsf(a)));
        o[14] = round(floorf(a));
        o[15] = round(rintf(a));
        float s = round(a + b);
        o[16] = std::isnan(s) || s < 0 ? 0 : s > 1 ? 1 : s;
        s = round(fma((double)a, b, c));
        o[17] = s < 0 ? 0 : s;
        o[18] = round(fma((double)a, b, a));
        o[19] = round(fma((double)b, c, b));
        o[20] = round(a + b);
        o[21] = round(b * c);
        o[22] = a != b && b != c && !std::isnan(a) && !std::isnan(b) && !std::isnan(c);
        o[23] = fmaxf(a, b);
    }
    float *out = device<float>(n * OPS);
    run<T><<<n / 64, 64>>>(device(in), out);
    LAUNCHED;
    auto got = fetch(out, n * OPS);
    for (int i = 0, shown = 0; i < n * OPS; i++) {
        int k = i % OPS;
        bool zero = (k == 7 || k == 8 || k == 23 || k == 17 || k == 16) && got[i] == 0 && want[i] == 0;
        if (!(got[i] == want[i] && std::signbit(got[i]) == std::signbit(want[i])) && !zero &&
            !(std::isnan(got[i]) && std::isnan(want[i])) && shown++ < 5)
            printf("%s op %d of %g %g %g: got %g, want %g\n", name, k, in[i / OPS * 3], in[i / OPS * 3 + 1],
                   in[i / OPS * 3 + 2], got[i], want[i]);
    }
    printf("%s done\n", name);
}

// Every half there is, to float, int and back; every rounding mode.
__global__ void conversions(float *to_float, int *to_int, unsigned short *back, unsigned short *modes,
                            unsigned short *bf) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    __half h = __ushort_as_half((unsigned short)i);
    float f = __half2float(h);
    to_float[i] = f;
    to_int[i] = __half2int_rz(h);
    back[i] = __half_as_ushort(__float2half_rn(f));
    float x = f * 1.0007f;
    modes[4 * i] = __half_as_ushort(__float2half_rn(x));
    modes[4 * i + 1] = __half_as_ushort(__float2half_rz(x));
    modes[4 * i + 2] = __half_as_ushort(__float2half_ru(x));
    modes[4 * i + 3] = __half_as_ushort(__float2half_rd(x));
    bf[i] = __bfloat16_as_ushort(__float2bfloat16_rn(x));
}

int main() {
    check<__half>("half", 2000);
    check<__nv_bfloat16>("bfloat16", 1e5f); // sums stay exact in a double
    const int n = 65536;
    float *f = device<float>(n);
    int *ints = device<int>(n);
    unsigned short *back = device<unsigned short>(n), *modes = device<unsigned short>(4 * n),
                   *bf = device<unsigned short>(n);
    conversions<<<n / 256, 256>>>(f, ints, back, modes, bf);
    LAUNCHED;
    auto gf = fetch(f, n);
    auto gi = fetch(ints, n);
    auto gb = fetch(back, n), gm = fetch(modes, 4 * n), gbf = fetch(bf, n);
    int wrong[5] = {0};
    for (int i = 0; i < n; i++) {
        __half h = __ushort_as_half((unsigned short)i);
        float want = __half2float(h);
        bool nan = std::isnan(want);
        wrong[0] += nan ? !std::isnan(gf[i]) : memcmp(&gf[i], &want, 4) != 0;
        wrong[1] += !nan && !std::isinf(want) && gi[i] != (int)want;
        wrong[2] += !nan && gb[i] != i;
        float x = want * 1.0007f;
        __half m[4] = {__float2half_rn(x), __float2half_rz(x), __float2half_ru(x), __float2half_rd(x)};
        for (int k = 0; k < 4; k++)
            wrong[3] += !nan && gm[4 * i + k] != __half_as_ushort(m[k]);
        wrong[4] += !nan && gbf[i] != __bfloat16_as_ushort(__float2bfloat16_rn(x));
    }
    printf("conversions %d %d %d %d %d wrong\n", wrong[0], wrong[1], wrong[2], wrong[3], wrong[4]);
}
