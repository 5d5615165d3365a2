// The bits of NaN results: every class of floating-point instruction and conversion on operands that are NaNs (quiet, signalling,
// negative, with a payload) or make one. expected.txt is what an H200 prints.
#include "check.h"
#include <string>

#define N 16 // sets of operands
__device__ const uint32_t A32[N] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x7fc12345, 0x3f800000, 0x3f800000, 0x7fc00001,
                                    0x7f800001, 0xffc00001, 0x7f800000, 0x00000000, 0x00000000, 0xff800000, 0xbf800000, 0x3f800000};
__device__ const uint32_t B32[N] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0xbf800000, 0x7fc12345, 0xff812345, 0x7fc00002,
                                    0x7fc00001, 0x7f800002, 0xff800000, 0x7f800000, 0x00000000, 0x7f800000, 0xbf800000, 0x3f800000};
__device__ const uint32_t C32[N] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x7fc00003,
                                    0x3f800000, 0x7f800003, 0x3f800000, 0x7fc12345, 0x7f812345, 0x7f800000, 0x3f800000, 0xff812345};

// The same operands as doubles and as halves with so many bits of mantissa: what fits of a payload.
__device__ uint64_t wide(uint32_t f) {
    uint64_t sign = (uint64_t)(f & 0x80000000) << 32, finite = f << 1 ? 0x3ff0000000000000 : 0;
    return sign | ((f & 0x7f800000) == 0x7f800000 ? 0x7ff0000000000000 | (uint64_t)(f & 0x7fffff) << 29 | (f & 0xff) : finite);
}
__device__ uint32_t narrow(uint32_t f, int mantissa) {
    uint32_t sign = f >> 16 & 0x8000, inf = mantissa == 10 ? 0x7c00 : 0x7f80, finite = f << 1 ? (mantissa == 10 ? 0x3c00 : 0x3f80) : 0;
    return sign | ((f & 0x7f800000) == 0x7f800000 ? inf | (f & 0x7fffff) >> (23 - mantissa) | (f & 0x3f) : finite);
}

// Placeholders of operands in the instructions below: 32, 64 and 16 bits, and pairs of halves.
#define PUT(bits) at[N * row++ + threadIdx.x] = (bits)
#define RUN(text, R, r, ...)                                                                                                   \
    {                                                                                                                          \
        R result;                                                                                                              \
        asm volatile(text ";" : "=" r(result) : __VA_ARGS__);                                                                  \
        PUT(result);                                                                                                           \
    }
#define S1(op) RUN(op " %0, %1", uint32_t, "r", "r"(a))
#define S2(op) RUN(op " %0, %1, %2", uint32_t, "r", "r"(a), "r"(b))
#define S3(op) RUN(op " %0, %1, %2, %3", uint32_t, "r", "r"(a), "r"(b), "r"(c))
#define D1(op) RUN(op " %0, %1", uint64_t, "l", "l"(da))
#define D2(op) RUN(op " %0, %1, %2", uint64_t, "l", "l"(da), "l"(db))
#define D3(op) RUN(op " %0, %1, %2, %3", uint64_t, "l", "l"(da), "l"(db), "l"(dc))
#define H1(op) RUN(op " %0, %1", uint16_t, "h", "h"(ha))
#define H2(op) RUN(op " %0, %1, %2", uint16_t, "h", "h"(ha), "h"(hb))
#define H3(op) RUN(op " %0, %1, %2, %3", uint16_t, "h", "h"(ha), "h"(hb), "h"(hc))
#define B1(op) RUN(op " %0, %1", uint16_t, "h", "h"(ba))
#define B2(op) RUN(op " %0, %1, %2", uint16_t, "h", "h"(ba), "h"(bb))
#define B3(op) RUN(op " %0, %1, %2, %3", uint16_t, "h", "h"(ba), "h"(bb), "h"(bc))
#define SD(op) RUN(op " %0, %1", uint32_t, "r", "l"(da))
#define SH(op) RUN(op " %0, %1", uint32_t, "r", "h"(ha))
#define SB(op) RUN(op " %0, %1", uint32_t, "r", "h"(ba))
#define DS(op) RUN(op " %0, %1", uint64_t, "l", "r"(a))
#define DH(op) RUN(op " %0, %1", uint64_t, "l", "h"(ha))
#define HS(op) RUN(op " %0, %1", uint16_t, "h", "r"(a))
#define HD(op) RUN(op " %0, %1", uint16_t, "h", "l"(da))

#define SINGLE(X1, X2, X3)                                                                                                     \
    X1("neg.f32") X1("abs.f32") X1("rcp.rn.f32") X1("rcp.rz.f32") X1("rcp.approx.f32") X1("sqrt.rn.f32") X1("sqrt.rp.f32")       \
    X1("sqrt.approx.f32") X1("rsqrt.approx.f32") X1("sin.approx.f32") X1("cos.approx.f32") X1("lg2.approx.f32")                 \
    X1("ex2.approx.f32") X1("tanh.approx.f32") X1("cvt.rni.f32.f32") X1("cvt.rzi.f32.f32") X1("cvt.rmi.f32.f32")                \
    X1("cvt.rpi.f32.f32") X1("cvt.sat.f32.f32") X1("cvt.ftz.f32.f32") X1("cvt.rna.tf32.f32")                                   \
    X2("add.rn.f32") X2("add.rz.f32") X2("add.ftz.f32") X2("add.sat.f32") X2("sub.rn.f32") X2("mul.rn.f32") X2("mul.rm.f32")    \
    X2("mul.ftz.f32") X2("div.rn.f32") X2("div.rz.f32") X2("div.approx.f32") X2("div.full.f32") X2("min.f32") X2("max.f32")     \
    X2("min.ftz.f32") X2("min.NaN.f32") X2("max.NaN.f32") X2("copysign.f32")                                                   \
    X3("fma.rn.f32") X3("fma.rp.f32") X3("fma.rn.ftz.f32") X3("fma.rn.sat.f32")
#define DOUBLE(X1, X2, X3)                                                                                                     \
    X1("neg.f64") X1("abs.f64") X1("rcp.rn.f64") X1("rcp.approx.ftz.f64") X1("sqrt.rn.f64") X1("rsqrt.approx.f64")              \
    X1("cvt.rni.f64.f64") X1("cvt.rzi.f64.f64") X1("cvt.rmi.f64.f64") X1("cvt.sat.f64.f64")                                    \
    X2("add.rn.f64") X2("add.rz.f64") X2("sub.rn.f64") X2("mul.rn.f64") X2("mul.rp.f64") X2("div.rn.f64") X2("div.rz.f64")      \
    X2("min.f64") X2("max.f64") X2("copysign.f64")                                                                             \
    X3("fma.rn.f64") X3("fma.rm.f64")
#define HALF(X1, X2, X3)                                                                                                       \
    X1("neg.f16") X1("abs.f16") X1("ex2.approx.f16") X1("tanh.approx.f16") X1("cvt.rni.f16.f16")                                \
    X2("add.rn.f16") X2("add.sat.f16") X2("sub.rn.f16") X2("mul.rn.f16") X2("min.f16") X2("max.f16") X2("min.NaN.f16")          \
    X2("max.NaN.f16") X3("fma.rn.f16") X3("fma.rn.relu.f16") X3("fma.rn.sat.f16")
#define BFLOAT(X1, X2, X3)                                                                                                     \
    X1("neg.bf16") X1("abs.bf16") X1("ex2.approx.ftz.bf16") X1("tanh.approx.bf16")                                             \
    X2("add.rn.bf16") X2("sub.rn.bf16") X2("mul.rn.bf16") X2("min.bf16") X2("max.bf16") X2("min.NaN.bf16") X2("max.NaN.bf16")   \
    X3("fma.rn.bf16") X3("fma.rn.relu.bf16")
#define PAIRS(X1, X2, X3) /* a, b and c as pairs of halves or of bfloat16 */                                                   \
    X1("neg.f16x2") X1("abs.f16x2") X2("add.rn.f16x2") X2("mul.rn.f16x2") X2("min.f16x2") X2("max.NaN.f16x2")                   \
    X3("fma.rn.f16x2") X3("fma.rn.relu.f16x2")                                                                                 \
    X1("neg.bf16x2") X2("add.rn.bf16x2") X2("mul.rn.bf16x2") X2("min.bf16x2") X2("max.NaN.bf16x2") X3("fma.rn.bf16x2")
#define CONVERSIONS(SD, SH, SB, DS, DH, HS, HD)                                                                                \
    SD("cvt.rn.f32.f64") SD("cvt.rz.f32.f64") SD("cvt.rn.sat.f32.f64") SH("cvt.f32.f16") SB("cvt.f32.bf16")                     \
    DS("cvt.f64.f32") DS("cvt.sat.f64.f32") DH("cvt.f64.f16") HS("cvt.rn.f16.f32") HS("cvt.rz.f16.f32")                         \
    HS("cvt.rn.relu.f16.f32") HS("cvt.rn.sat.f16.f32") HS("cvt.rn.bf16.f32") HS("cvt.rz.bf16.f32") HS("cvt.rn.relu.bf16.f32")   \
    HD("cvt.rn.f16.f64")
#define TO_PAIRS(X2)                                                                                                           \
    X2("cvt.rn.f16x2.f32") X2("cvt.rn.bf16x2.f32") X2("cvt.rn.relu.bf16x2.f32")
#define ATOMICS(X) X("add.f32", uint32_t, "r", a, b) X("add.f64", uint64_t, "l", da, db)

#define NAME(op, ...) op,
const char *const names[] = {SINGLE(NAME, NAME, NAME) DOUBLE(NAME, NAME, NAME) HALF(NAME, NAME, NAME) BFLOAT(NAME, NAME, NAME)
                                 PAIRS(NAME, NAME, NAME) CONVERSIONS(NAME, NAME, NAME, NAME, NAME, NAME, NAME) TO_PAIRS(NAME)
                                     ATOMICS(NAME)};
const int rows = sizeof names / sizeof *names;

#define ATOMIC(op, T, r, p, q)                                                                                                 \
    {                                                                                                                          \
        T *place = (T *)&at[N * row++ + threadIdx.x];                                                                          \
        *place = p;                                                                                                             \
        asm volatile("red.global." op " [%0], %1;" ::"l"(place), r(q) : "memory");                                             \
    }

__global__ void results(uint64_t *at) {
    int row = 0;
    uint32_t a = A32[threadIdx.x], b = B32[threadIdx.x], c = C32[threadIdx.x];
    uint64_t da = wide(a), db = wide(b), dc = wide(c);
    uint16_t ha = narrow(a, 10), hb = narrow(b, 10), hc = narrow(c, 10), ba = narrow(a, 7), bb = narrow(b, 7), bc = narrow(c, 7);
    SINGLE(S1, S2, S3)
    DOUBLE(D1, D2, D3)
    HALF(H1, H2, H3)
    BFLOAT(B1, B2, B3)
    PAIRS(S1, S2, S3)
    CONVERSIONS(SD, SH, SB, DS, DH, HS, HD)
    TO_PAIRS(S2)
    ATOMICS(ATOMIC)
}

// Compares only NaNs for functions that are approximated.
bool is_nan(const std::string &name, uint64_t bits) {
    if (name.find("f64") != name.npos)
        return bits << 1 > 0xffe0000000000000;
    if (name.find("f32") != name.npos)
        return (uint32_t)bits << 1 > 0xff000000;
    return (bits & 0x7fff) > (name.find("bf16") != name.npos ? 0x7f80 : 0x7c00);
}

int main() {
    uint64_t *at = device<uint64_t>(rows * N);
    results<<<1, N>>>(at);
    LAUNCHED;
    std::vector<uint64_t> got = fetch(at, rows * N);
    for (int row = 0; row < rows; row++) {
        std::string name = names[row];
        printf("%-22s", names[row]);
        for (int i = 0; i < N; i++)
            if (uint64_t bits = got[row * N + i]; name.find("approx") == name.npos || is_nan(name, bits))
                printf(" %llx", (unsigned long long)bits);
            else
                printf(" -");
        printf("\n");
    }
}
