/* numbers.h: bits of numbers, and conversions between their formats. Handlers inline them for each
 * instruction set. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Functions that return the bits of a value as another type. */
#define SG_BITS(name, to, from)                                                                    \
    static inline to name(from value) {                                                            \
        to same;                                                                                   \
        memcpy(&same, &value, sizeof same);                                                        \
        return same;                                                                               \
    }
SG_BITS(sg_bits_f32, float, uint32_t)
SG_BITS(sg_bits_f64, double, uint64_t)
SG_BITS(sg_f32_bits, uint32_t, float)
SG_BITS(sg_f64_bits, uint64_t, double)

/* Converts binary16 to binary32 and back (round to nearest even) without branches; IEEE 754. */
static inline float sg_h2f(uint32_t h) {
    uint32_t sign = (h & 0x8000u) << 16, rest = h & 0x7fffu;
    /* Shifts exponent and mantissa up and scales by 2^112. Exact; subnormals become normal. */
    float scaled = sg_bits_f32(rest << 13) * 0x1p112f;
    uint32_t bits = rest >= 0x7c00u ? (rest << 13) | 0x7f800000u : sg_f32_bits(scaled);
    return sg_bits_f32(bits | sign);
}
static inline uint32_t sg_f2h(float f) {
    uint32_t bits = sg_f32_bits(f), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
    uint32_t normal = (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1)) >> 13;
    /* adding 0.5 makes the hardware round a subnormal result at the right bit */
    uint32_t tiny = sg_f32_bits(sg_bits_f32(rest) + 0.5f) - 0x3f000000u;
    uint32_t h = rest < 0x38800000u ? tiny : normal;
    return rest > 0x7f800000u ? 0x7fffu : (rest >= 0x47800000u ? 0x7c00u : h) | sign;
}
static inline float sg_b2f(uint32_t b) {
    return sg_bits_f32(b << 16);
}
static inline uint32_t sg_f2b(float f) {
    uint32_t bits = sg_f32_bits(f);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded & 0xffffu;
}
/* Converts to fp8 with `fraction` bits behind the point (PTX ISA, "Alternate Floating-Point Data
 * Formats"): round to nearest even, `most` instead of anything larger, 0x7f for NaN. `step` is the
 * reciprocal of the smallest subnormal. */
static inline uint32_t sg_f2fp8(float f, int fraction, float most, float step) {
    uint32_t sign = sg_f32_bits(f) >> 24 & 0x80u, bits = sg_f32_bits(fminf(fabsf(f), most));
    int drop = 23 - fraction;
    uint32_t bias = (127u << 23) - (fraction == 3 ? 7u << 23 : 15u << 23);
    uint32_t normal = (bits - bias + (1u << (drop - 1)) - 1 + (bits >> drop & 1)) >> drop;
    uint32_t tiny = (uint32_t)rintf(sg_bits_f32(bits) * step);
    uint32_t found = bits < bias + (1u << 23) ? tiny : normal;
    return f != f ? 0x7fu : found | sign;
}
static inline uint32_t sg_f2e4m3(float f) {
    return sg_f2fp8(f, 3, 448.0f, 0x1p9f);
}
static inline uint32_t sg_f2e5m2(float f) {
    return sg_f2fp8(f, 2, 57344.0f, 0x1p16f);
}
/* Converts fp8 to binary16, exactly. */
static inline uint32_t sg_e5m2h(uint32_t x) {
    return (x & 0x7fu) > 0x7cu ? 0x7fffu : (x & 0xffu) << 8;
}
static inline uint32_t sg_e4m3h(uint32_t x) {
    uint32_t h = sg_f2h(sg_h2f((x & 0x7fu) << 7) * 256.0f);
    return (x & 0x7fu) == 0x7fu ? 0x7fffu : h | (x & 0x80u) << 8;
}
