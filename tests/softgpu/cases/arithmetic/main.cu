// IEEE single and double precision: every rounding mode of every operation, conversions, and what PTX
// has beside them (.sat, .ftz, .NaN, testp, comparisons with NaN), bit for bit against the host.
#include "check.h"
#include <cfenv>

enum { FOPS = 33, DOPS = 31, COPS = 52 };

__global__ void singles(const float *in, float *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *o = out + i * FOPS;
    o[0] = __fadd_rn(a, b), o[1] = __fadd_rz(a, b), o[2] = __fadd_ru(a, b), o[3] = __fadd_rd(a, b);
    o[4] = __fmul_rn(a, b), o[5] = __fmul_rz(a, b), o[6] = __fmul_ru(a, b), o[7] = __fmul_rd(a, b);
    o[8] = __fdiv_rn(a, b), o[9] = __fdiv_rz(a, b), o[10] = __fdiv_ru(a, b), o[11] = __fdiv_rd(a, b);
    o[12] = __fmaf_rn(a, b, c), o[13] = __fmaf_rz(a, b, c), o[14] = __fmaf_ru(a, b, c), o[15] = __fmaf_rd(a, b, c);
    o[16] = __fsqrt_rn(a), o[17] = __fsqrt_rz(a), o[18] = __fsqrt_ru(a), o[19] = __fsqrt_rd(a);
    o[20] = __frcp_rn(a), o[21] = __frcp_rz(a), o[22] = __frcp_ru(a), o[23] = __frcp_rd(a);
    o[24] = __fsub_rn(a, b), o[25] = __fsub_rz(a, b), o[26] = __fsub_ru(a, b), o[27] = __fsub_rd(a, b);
    o[28] = floorf(a), o[29] = ceilf(a), o[30] = truncf(a), o[31] = rintf(a), o[32] = copysignf(a, b);
}

__global__ void doubles(const double *in, double *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    double a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *o = out + i * DOPS;
    o[0] = __dadd_rn(a, b), o[1] = __dadd_rz(a, b), o[2] = __dadd_ru(a, b), o[3] = __dadd_rd(a, b);
    o[4] = __dmul_rn(a, b), o[5] = __dmul_rz(a, b), o[6] = __dmul_ru(a, b), o[7] = __dmul_rd(a, b);
    o[8] = __ddiv_rn(a, b), o[9] = __ddiv_rz(a, b), o[10] = __ddiv_ru(a, b), o[11] = __ddiv_rd(a, b);
    o[12] = __fma_rn(a, b, c), o[13] = __fma_rz(a, b, c), o[14] = __fma_ru(a, b, c), o[15] = __fma_rd(a, b, c);
    o[16] = __dsqrt_rn(a), o[17] = __dsqrt_rz(a), o[18] = __dsqrt_ru(a), o[19] = __dsqrt_rd(a);
    o[20] = __drcp_rn(a), o[21] = __drcp_rz(a), o[22] = __drcp_ru(a), o[23] = __drcp_rd(a);
    o[24] = __double2float_rn(a), o[25] = __double2float_rz(a), o[26] = __double2float_ru(a), o[27] = __double2float_rd(a);
    o[28] = floor(a), o[29] = rint(a), o[30] = (double)(float)b;
}

__global__ void conversions(const double *in, long long *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    double d = in[i];
    float f = (float)d;
    long long l = in[i] > 9e18 || in[i] < -9e18 || d != d ? 77 : (long long)in[i], *o = out + i * COPS;
    int n = (int)l;
    o[0] = __float2int_rn(f), o[1] = __float2int_rz(f), o[2] = __float2int_ru(f), o[3] = __float2int_rd(f);
    o[4] = __float2uint_rn(f), o[5] = __float2uint_rz(f), o[6] = __float2uint_ru(f), o[7] = __float2uint_rd(f);
    o[8] = __float2ll_rn(f), o[9] = __float2ll_rz(f), o[10] = __float2ll_ru(f), o[11] = __float2ll_rd(f);
    o[12] = __float2ull_rn(f), o[13] = __float2ull_rz(f), o[14] = __float2ull_ru(f), o[15] = __float2ull_rd(f);
    o[16] = __double2int_rn(d), o[17] = __double2int_rz(d), o[18] = __double2int_ru(d), o[19] = __double2int_rd(d);
    o[20] = __double2uint_rn(d), o[21] = __double2uint_rz(d), o[22] = __double2ll_rn(d), o[23] = __double2ll_rz(d);
    o[24] = __double2ll_ru(d), o[25] = __double2ll_rd(d), o[26] = __double2ull_rn(d), o[27] = __double2ull_rz(d);
    o[28] = __float_as_int(__int2float_rn(n)), o[29] = __float_as_int(__int2float_rz(n));
    o[30] = __float_as_int(__int2float_ru(n)), o[31] = __float_as_int(__int2float_rd(n));
    o[32] = __float_as_int(__ll2float_rn(l)), o[33] = __float_as_int(__ll2float_rz(l));
    o[34] = __float_as_int(__ll2float_ru(l)), o[35] = __float_as_int(__ll2float_rd(l));
    o[36] = __double_as_longlong(__ll2double_rn(l)), o[37] = __double_as_longlong(__ll2double_rz(l));
    o[38] = __double_as_longlong(__ll2double_ru(l)), o[39] = __double_as_longlong(__ll2double_rd(l));
    o[40] = __float_as_int(__ull2float_rn((unsigned long long)l)), o[41] = __double_as_longlong(__ull2double_ru((unsigned long long)l));
    o[42] = __float_as_int(__uint2float_rz((unsigned)n)), o[43] = __double_as_longlong(__uint2double_rn((unsigned)n));
    o[44] = (signed char)n, o[45] = (unsigned short)l;
    short s;
    asm("cvt.sat.s16.s32 %0, %1;" : "=h"(s) : "r"(n));
    o[46] = s;
    unsigned u;
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(u) : "r"(n));
    o[47] = u;
    unsigned short us;
    asm("cvt.rzi.s16.f64 %0, %1;" : "=h"(s) : "d"(d));
    asm("cvt.rzi.u16.f64 %0, %1;" : "=h"(us) : "d"(d));
    o[48] = s, o[49] = us;
    asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(s) : "f"(f));
    asm("cvt.rzi.u16.f32 %0, %1;" : "=h"(us) : "f"(f));
    o[50] = s, o[51] = us;
}

template <class F> float with(int mode, F f) {
    fesetround(mode);
    volatile float r = f();
    fesetround(FE_TONEAREST);
    return r;
}
template <class F> double with_double(int mode, F f) {
    fesetround(mode);
    volatile double r = f();
    fesetround(FE_TONEAREST);
    return r;
}
const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

// CUDA gives the nearest value for one that does not fit. NaN gives 0 if neither the source is a double nor the
// result has 64 bits, else the highest bit alone, as on an H200.
long long to_integer(double v, int mode, double lo, double hi, long long min, long long max, long long nan) {
    if (std::isnan(v))
        return nan;
    fesetround(mode);
    volatile double r = nearbyint(v);
    fesetround(FE_TONEAREST);
    return r < lo ? min : r >= hi ? max : (lo == 0 && hi > 1e19 ? (long long)(unsigned long long)r : (long long)r);
}
long long i32(double v, int m, long long nan) {
    return to_integer(v, m, -2147483648.0, 2147483648.0, INT32_MIN, INT32_MAX, nan);
}
long long u32(double v, int m, long long nan) {
    return to_integer(v, m, 0, 4294967296.0, 0, UINT32_MAX, nan);
}
long long i64(double v, int m) {
    return to_integer(v, m, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN, INT64_MAX, INT64_MIN);
}
long long u64(double v, int m) {
    return to_integer(v, m, 0, 18446744073709551616.0, 0, -1, INT64_MIN);
}
int bits(float f) {
    int i;
    memcpy(&i, &f, 4);
    return i;
}
long long bits(double d) {
    long long i;
    memcpy(&i, &d, 8);
    return i;
}

float random_float(Random &r) {
    unsigned u = (unsigned)r.next();
    if (r.next() % 4)
        u = (u & 0x80ffffff) | (unsigned)(100 + r.next() % 54) << 23;
    float f;
    memcpy(&f, &u, 4);
    const float edges[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 1e-45f, 1.17549435e-38f, 3.4e38f, 0.5f, 2.5f, 16777216};
    return r.next() % 10 && !std::isnan(f) ? f : edges[r.next() % 13]; // no signalling NaN
}
double random_double(Random &r) {
    unsigned long long u = r.next();
    if (r.next() % 4)
        u = (u & 0x800fffffffffffffull) | (unsigned long long)(1000 + r.next() % 60) << 52;
    double d;
    memcpy(&d, &u, 8);
    const double edges[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 5e-324, 2.2250738585072014e-308, 1.7e308, 0.5, 2.5, 1e-39};
    return r.next() % 10 && !std::isnan(d) ? d : edges[r.next() % 13];
}

__global__ void ptx_forms(const float *in, float *out, int *ints) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *o = out + i * 10;
#define F2(k, op) asm(op " %0, %1, %2;" : "=f"(o[k]) : "f"(a), "f"(b))
    F2(0, "add.sat.f32");
    F2(1, "mul.ftz.f32");
    F2(2, "add.ftz.f32");
    F2(3, "min.f32");
    F2(4, "max.NaN.f32");
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(o[5]) : "f"(a), "f"(b), "f"(c));
    asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(o[6]) : "f"(a), "f"(b), "f"(c));
    asm("cvt.rzi.sat.f32.f32 %0, %1;" : "=f"(o[7]) : "f"(a));
    asm("abs.ftz.f32 %0, %1;" : "=f"(o[8]) : "f"(a));
    asm("neg.f32 %0, %1;" : "=f"(o[9]) : "f"(a));
    int r = 0, t;
#define P2(k, op) asm("{.reg .pred p; setp." op ".f32 p, %1, %2; selp.b32 %0, 1, 0, p;}" : "=r"(t) : "f"(a), "f"(b)); r |= t << k
    P2(0, "eq"); P2(1, "ne"); P2(2, "lt"); P2(3, "le"); P2(4, "gt"); P2(5, "ge"); P2(6, "equ"); P2(7, "neu");
    P2(8, "ltu"); P2(9, "leu"); P2(10, "gtu"); P2(11, "geu"); P2(12, "num"); P2(13, "nan");
#define T1(k, op) asm("{.reg .pred p; testp." op ".f32 p, %1; selp.b32 %0, 1, 0, p;}" : "=r"(t) : "f"(a)); r |= t << k
    T1(14, "finite"); T1(15, "infinite"); T1(16, "number"); T1(17, "notanumber"); T1(18, "normal"); T1(19, "subnormal");
    asm("{.reg .pred p, q; setp.gt.f32 p, %1, 0f00000000; setp.lt.and.f32 p|q, %1, %2, p; selp.b32 %0, 1, 0, q;}" : "=r"(t) : "f"(a), "f"(b));
    r |= t << 20;
    asm("set.lt.u32.f32 %0, %1, %2;" : "=r"(t) : "f"(a), "f"(b));
    r |= (t == -1) << 21;
    asm("slct.s32.f32 %0, 1, 0, %1;" : "=r"(t) : "f"(a));
    r |= t << 22;
    ints[i] = r;
}

float flush(float f) {
    return std::fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}
float saturate(float f) {
    return std::isnan(f) || f <= 0 ? 0 : f > 1 ? 1 : f;
}

int main() {
    const int n = 4096;
    Random random(11);
    std::vector<float> f(3 * n), wf(n * FOPS);
    std::vector<double> d(3 * n), wd(n * DOPS);
    for (auto &v : f)
        v = random_float(random);
    for (auto &v : d)
        v = random_double(random);
    for (int i = 0; i < n; i++) {
        volatile float a = f[3 * i], b = f[3 * i + 1], c = f[3 * i + 2];
        volatile double x = d[3 * i], y = d[3 * i + 1], z = d[3 * i + 2];
        for (int m = 0; m < 4; m++) {
            float *o = &wf[i * FOPS + m];
            o[0] = with(modes[m], [&] { return a + b; });
            o[4] = with(modes[m], [&] { return a * b; });
            o[8] = with(modes[m], [&] { return a / b; });
            o[12] = with(modes[m], [&] { return fmaf(a, b, c); });
            o[16] = with(modes[m], [&] { return sqrtf(a); });
            o[20] = with(modes[m], [&] { return 1 / a; });
            o[24] = with(modes[m], [&] { return a - b; });
            double *p = &wd[i * DOPS + m];
            p[0] = with_double(modes[m], [&] { return x + y; });
            p[4] = with_double(modes[m], [&] { return x * y; });
            p[8] = with_double(modes[m], [&] { return x / y; });
            p[12] = with_double(modes[m], [&] { return fma(x, y, z); });
            p[16] = with_double(modes[m], [&] { return sqrt(x); });
            p[20] = with_double(modes[m], [&] { return 1 / x; });
            p[24] = with(modes[m], [&] { return (float)x; });
        }
        float *o = &wf[i * FOPS];
        o[28] = floorf(a), o[29] = ceilf(a), o[30] = truncf(a), o[31] = rintf(a), o[32] = copysignf(a, b);
        double *p = &wd[i * DOPS];
        p[28] = floor(x), p[29] = rint(x), p[30] = (float)y;
    }
    float *of = device<float>(n * FOPS), *df = device(f);
    singles<<<n / 128, 128>>>(df, of);
    LAUNCHED;
    same("singles", fetch(of, n * FOPS), wf);
    double *od = device<double>(n * DOPS), *dd = device(d);
    doubles<<<n / 128, 128>>>(dd, od);
    LAUNCHED;
    same("doubles", fetch(od, n * DOPS), wd);

    std::vector<long long> wc(n * COPS);
    std::vector<double> in(n);
    for (int i = 0; i < n; i++) {
        double v = d[i];
        if (i % 3)
            v = ldexp((double)((long long)random.next() >> 11), -(int)(random.next() % 66)) * (i % 2 ? 1 : 0.5);
        in[i] = v;
        float s = (float)v;
        long long l = v > 9e18 || v < -9e18 || v != v ? 77 : (long long)v, *o = &wc[i * COPS];
        int k = (int)l;
        for (int m = 0; m < 4; m++) {
            o[m] = i32(s, modes[m], 0), o[4 + m] = u32(s, modes[m], 0), o[8 + m] = i64(s, modes[m]), o[12 + m] = u64(s, modes[m]);
            o[16 + m] = i32(v, modes[m], INT32_MIN);
            volatile int vk = k;
            volatile long long vl = l;
            o[28 + m] = bits(with(modes[m], [&] { return (float)vk; }));
            o[32 + m] = bits(with(modes[m], [&] { return (float)vl; }));
            o[36 + m] = bits(with_double(modes[m], [&] { return (double)vl; }));
        }
        for (int m = 0; m < 2; m++)
            o[20 + m] = u32(v, modes[m], 0x80000000), o[26 + m] = u64(v, modes[m]);
        for (int m = 0; m < 4; m++)
            o[22 + m] = i64(v, modes[m]);
        volatile unsigned long long ul = (unsigned long long)l;
        volatile unsigned un = (unsigned)k;
        o[40] = bits((float)ul), o[41] = bits(with_double(FE_UPWARD, [&] { return (double)ul; }));
        o[42] = bits(with(FE_TOWARDZERO, [&] { return (float)un; })), o[43] = bits((double)un);
        o[44] = (signed char)k, o[45] = (unsigned short)l;
        for (int m = 0; m < 2; m++) {
            double from = m ? s : v;
            o[48 + 2 * m] = to_integer(from, FE_TOWARDZERO, -32768, 32768, -32768, 32767, m ? 0 : -32768);
            o[49 + 2 * m] = to_integer(from, FE_TOWARDZERO, 0, 65536, 0, 65535, m ? 0 : 32768);
        }
        o[46] = k < -32768 ? -32768 : k > 32767 ? 32767 : k, o[47] = k < 0 ? 0 : k > 255 ? 255 : k;
    }
    long long *oc = device<long long>(n * COPS);
    conversions<<<n / 128, 128>>>(device(in), oc);
    LAUNCHED;
    auto gc = fetch(oc, n * COPS);
    int shown = 0;
    for (int i = 0; i < n * COPS; i++)
        if (gc[i] != wc[i] && shown++ < 8)
            printf("conversion %d of %a (float %a): got %#llx, want %#llx\n", i % COPS, in[i / COPS],
                   (float)in[i / COPS], gc[i], wc[i]);
    printf("conversions: %d wrong\n", shown);

    std::vector<float> wo(n * 10);
    std::vector<int> wi(n);
    for (int i = 0; i < n; i++) {
        float a = f[3 * i], b = f[3 * i + 1], c = f[3 * i + 2], *o = &wo[i * 10];
        o[0] = saturate(a + b), o[1] = flush(flush(a) * flush(b)), o[2] = flush(flush(a) + flush(b));
        o[3] = a == 0 && b == 0 ? (std::signbit(a) ? a : b) : fminf(a, b);
        o[4] = std::isnan(a) || std::isnan(b) ? NAN : a == 0 && b == 0 ? (std::signbit(a) ? b : a) : fmaxf(a, b);
        o[5] = saturate(fmaf(a, b, c)), o[6] = flush(fmaf(flush(a), flush(b), flush(c)));
        o[7] = saturate(truncf(a)), o[8] = fabsf(flush(a)), o[9] = -a;
        bool un = std::isnan(a) || std::isnan(b);
        bool p[23] = {a == b, !un && a != b, a < b, a <= b, a > b, a >= b, un || a == b, un || a != b,
                      un || a < b, un || a <= b, un || a > b, un || a >= b, !un, un, std::isfinite(a),
                      std::isinf(a), !std::isnan(a), std::isnan(a), std::isnormal(a) || a == 0,
                      std::fpclassify(a) == FP_SUBNORMAL, !(a < b) && a > 0, a < b, a >= 0};
        for (int k = 0; k < 23; k++)
            wi[i] |= p[k] << k;
    }
    float *fo = device<float>(n * 10);
    int *io = device<int>(n);
    ptx_forms<<<n / 128, 128>>>(df, fo, io);
    LAUNCHED;
    same("ptx floats", fetch(fo, n * 10), wo);
    same("ptx predicates", fetch(io, n), wi);
}
