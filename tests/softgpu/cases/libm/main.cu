// The math library, which is PTX inside the program, against the host's: within the error that the CUDA
// programming guide documents (in units in the last place), and the exact cases exactly.
#include "check.h"

struct Function {
    const char *name;
    double ulp, lo, hi; // of arguments; lo > 0 and hi / lo > 1e3: spread evenly in exponent
};

#define UNARY(X)                                                                                   \
    X(sin, 2, -100, 100) X(cos, 2, -100, 100) X(tan, 4, -50, 50) X(asin, 4, -1, 1) X(acos, 2, -1, 1) \
    X(atan, 2, -50, 50) X(sinh, 3, -20, 20) X(cosh, 2, -20, 20) X(tanh, 2, -5, 5)                  \
    X(asinh, 3, -50, 50) X(acosh, 4, 1, 50) X(atanh, 3, -0.99, 0.99) X(exp, 2, -80, 80)            \
    X(exp2, 2, -120, 120) X(expm1, 2, -5, 20) X(log, 1, 1e-30, 1e30) X(log2, 1, 1e-30, 1e30)       \
    X(log10, 2, 1e-30, 1e30) X(log1p, 1, -0.9, 100) X(sqrt, 0, 1e-30, 1e30) X(cbrt, 1, -100, 100)  \
    X(erf, 2, -4, 4) X(erfc, 5, -4, 8) X(tgamma, 10, 0.1, 30) X(lgamma, 6, 0.1, 100)               \
    X(j0, 9, 0, 8) X(j1, 9, 0.1, 8) X(y0, 9, 1, 8) X(floor, 0, -1e6, 1e6) X(ceil, 0, -1e6, 1e6)    \
    X(trunc, 0, -1e6, 1e6) X(round, 0, -100, 100) X(rint, 0, -100, 100) X(logb, 0, 1e-30, 1e30)
#define BINARY(X)                                                                                  \
    X(pow, 4, 0.01, 50) X(atan2, 3, -50, 50) X(hypot, 3, -50, 50) X(fmod, 0, -100, 100)            \
    X(remainder, 0, -100, 100) X(fdim, 0, -10, 10) X(fmin, 0, -10, 10) X(fmax, 0, -10, 10)         \
    X(copysign, 0, -10, 10) X(nextafter, 0, -10, 10)

enum {
#define X(f, ...) U_##f,
    UNARY(X) U_COUNT
#undef X
};
enum {
#define X(f, ...) B_##f,
    BINARY(X) B_COUNT
#undef X
};
const Function unary[] = {
#define X(f, ...) {#f, __VA_ARGS__},
    UNARY(X)};
const Function binary[] = {BINARY(X)};
#undef X

__global__ void unary32(const float *x, float *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
#define X(F, ...) out[U_##F * n + i] = F##f(x[U_##F * n + i]);
    UNARY(X)
#undef X
}
__global__ void unary64(const double *x, double *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
#define X(F, ...) out[U_##F * n + i] = F(x[U_##F * n + i]);
    UNARY(X)
#undef X
}
__global__ void binary32(const float *x, const float *y, float *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
#define X(F, ...) out[B_##F * n + i] = F##f(x[B_##F * n + i], y[B_##F * n + i]);
    BINARY(X)
#undef X
}
__global__ void binary64(const double *x, const double *y, double *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
#define X(F, ...) out[B_##F * n + i] = F(x[B_##F * n + i], y[B_##F * n + i]);
    BINARY(X)
#undef X
}

long double reference1(int f, long double x) {
    switch (f) {
#define X(f, ...)                                                                                  \
    case U_##f:                                                                                    \
        return f##l(x);
        UNARY(X)
#undef X
    }
    return 0;
}
long double reference2(int f, long double x, long double y) {
    switch (f) {
#define X(f, ...)                                                                                  \
    case B_##f:                                                                                    \
        return f##l(x, y);
        BINARY(X)
#undef X
    }
    return 0;
}

template <class T> double ulps(T got, long double want) {
    T rounded = (T)want;
    if (std::isnan(got) || std::isnan(rounded))
        return std::isnan(got) && std::isnan(rounded) ? 0 : 1e30;
    if (got == rounded)
        return 0;
    if (std::isinf(got) || std::isinf(rounded))
        return 1e30;
    T up = std::nextafter(std::fabs(rounded), (T)INFINITY);
    return (double)(fabsl((long double)got - want) / ((long double)up - std::fabs(rounded)));
}

template <class T> T argument(const Function &f, Random &r) {
    double u = (double)(r.next() >> 11) / 9007199254740992.0;
    if (f.lo > 0 && f.hi / f.lo > 1e3)
        return (T)(f.lo * pow(f.hi / f.lo, u));
    return (T)(f.lo + (f.hi - f.lo) * u);
}

template <class T> void report(const char *type, const Function &f, double worst, T x, T y) {
    if (worst > f.ulp + 0.5) // what the guide counts from the rounded result
        printf("%s %s: %.2f ulp at %a %a, %.0f allowed\n", type, f.name, worst, (double)x, (double)y, f.ulp);
}

template <class T, class K1, class K2> void check(const char *type, K1 one, K2 two) {
    const int n = 256;
    Random random(5);
    std::vector<T> x(U_COUNT * n), a(B_COUNT * n), b(B_COUNT * n);
    for (int f = 0; f < U_COUNT; f++)
        for (int i = 0; i < n; i++)
            x[f * n + i] = argument<T>(unary[f], random);
    for (int f = 0; f < B_COUNT; f++)
        for (int i = 0; i < n; i++) {
            a[f * n + i] = argument<T>(binary[f], random);
            b[f * n + i] = f == B_pow ? (T)((int)(random.next() % 2000) - 1000) / 200 : argument<T>(binary[f], random);
        }
    T *o1 = device<T>(U_COUNT * n), *o2 = device<T>(B_COUNT * n);
    one<<<n / 64, 64>>>(device(x), o1, n);
    two<<<n / 64, 64>>>(device(a), device(b), o2, n);
    LAUNCHED;
    auto g1 = fetch(o1, U_COUNT * n), g2 = fetch(o2, B_COUNT * n);
    for (int f = 0; f < U_COUNT; f++) {
        double worst = 0;
        T at = 0;
        for (int i = 0; i < n; i++) {
            double e = ulps(g1[f * n + i], reference1(f, x[f * n + i]));
            // Near the zeros of the Bessel functions the guide bounds the absolute error.
            if (f == U_j0 || f == U_j1 || f == U_y0)
                e = fabsl(g1[f * n + i] - reference1(f, x[f * n + i])) < (sizeof(T) == 4 ? 2.2e-6 : 5e-12) ? 0 : e;
            if (e > worst)
                worst = e, at = x[f * n + i];
        }
        report(type, unary[f], worst, at, (T)0);
    }
    for (int f = 0; f < B_COUNT; f++) {
        double worst = 0;
        int at = 0;
        for (int i = f * n; i < f * n + n; i++) {
            long double want = f == B_nextafter ? (long double)std::nextafter(a[i], b[i]) : reference2(f, a[i], b[i]);
            double e = ulps(g2[i], want);
            if (e > worst)
                worst = e, at = i;
        }
        report(type, binary[f], worst, a[at], b[at]);
    }
    printf("%s done\n", type);
}

// Without a counterpart on the host, or approximate by design: absolute and relative bounds.
__global__ void others(const float *x, float *out, int n) {
    int i = threadIdx.x;
    float v = x[i], s, c;
    sincosf(v, &s, &c);
    out[i] = s * s + c * c - 1;
    sincospif(v, &s, &c);
    out[n + i] = fabsf(s - sinpif(v)) + fabsf(c - cospif(v));
    out[2 * n + i] = __sinf(v) - sinf(v);
    out[3 * n + i] = __expf(v) / expf(v) - 1;
    out[4 * n + i] = __logf(v + 4) - logf(v + 4);
    out[5 * n + i] = __fdividef(v, 3.7f) * 3.7f - v;
    out[6 * n + i] = rsqrtf(v + 4) * sqrtf(v + 4) - 1;
    out[7 * n + i] = normcdff(v) - 0.5f * erfcf(-v * 0.70710678f);
    out[8 * n + i] = erfinvf(erff(v * 0.5f)) - v * 0.5f;
    out[9 * n + i] = __powf(v + 4, 1.5f) / powf(v + 4, 1.5f) - 1;
    out[10 * n + i] = rcbrtf(v + 4) * cbrtf(v + 4) - 1;
    out[11 * n + i] = norm3df(v, 1, 2) - sqrtf(v * v + 5);
    out[12 * n + i] = __tanf(v * 0.3f) - tanf(v * 0.3f);
    float t;
    asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(v));
    out[13 * n + i] = (t - tanhf(v)) / 30;
    int e, q;
    float m = frexpf(v, &e);
    out[14 * n + i] = ldexpf(m, e) - v + (modff(v, &m) + m - v) + (remquof(v, 0.5f, &q) - remainderf(v, 0.5f));
    double d = v, sd, cd;
    sincos(d, &sd, &cd);
    out[15 * n + i] = (float)(sd * sd + cd * cd - 1 + (rsqrt(d + 4) * sqrt(d + 4) - 1) + (exp10(d) / pow(10.0, d) - 1));
    out[16 * n + i] = (ilogbf(v) - (int)logbf(v)) + lroundf(v) - roundf(v) + (llrintf(v) - rintf(v)) + !signbit(-fabsf(v));
}

// Very large arguments take the slow path of the trigonometric functions.
__global__ void large(float *f, double *d) {
    int i = threadIdx.x;
    f[i] = sinf(1e5f * (i + 1) * (i + 7)) + cosf(3e30f / (i + 1));
    d[i] = sin(1e15 * (i + 1)) + cos(1e300 / (i + 1));
}

int main() {
    check<float>("single", unary32, binary32);
    check<double>("double", unary64, binary64);
    const int n = 128, kinds = 17;
    std::vector<float> x(n);
    for (int i = 0; i < n; i++)
        x[i] = -3 + 6.0f * (i + 0.5f) / n;
    float *out = device<float>(n * kinds);
    others<<<1, n>>>(device(x), out, n);
    LAUNCHED;
    auto o = fetch(out, n * kinds);
    for (int k = 0; k < kinds; k++) {
        double worst = 0;
        for (int i = 0; i < n; i++)
            worst = std::fmax(worst, std::isnan(o[k * n + i]) ? 9 : std::fabs(o[k * n + i]));
        if (worst > 4e-6)
            printf("other %d is off by %g\n", k, worst);
    }
    float *lf = device<float>(64);
    double *ld = device<double>(64);
    large<<<1, 64>>>(lf, ld);
    LAUNCHED;
    auto gf = fetch(lf, 64);
    auto gd = fetch(ld, 64);
    int wrong = 0;
    for (int i = 0; i < 64; i++) {
        float a = 1e5f * (i + 1) * (i + 7), b = 3e30f / (i + 1);
        wrong += !(std::fabs(gf[i] - (sin((double)a) + cos((double)b))) < 5e-7);
        wrong += !(std::fabs(gd[i] - (sin(1e15 * (i + 1)) + cos(1e300 / (i + 1)))) < 1e-15);
    }
    printf("large arguments: %d wrong\n", wrong);
}
