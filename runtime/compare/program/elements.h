/* elements.h: converts elements of every type to doubles, which represent them all, so that inputs
 * and checks need one version. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/registry.h"

/* A bfloat16 is the upper half of a float. */
static inline float element_from_bf16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Rounds to the nearest, ties to even. A NaN stays one. */
static inline uint16_t element_to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float element_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns exponent and fraction of a positive double, rounded to `kept` fraction bits, to the
 * nearest, ties to even. There are millions of elements, and frexp is slow. */
static inline uint32_t element_shortened(double size, int kept) {
    uint64_t bits, one = (uint64_t)1 << (52 - kept);
    memcpy(&bits, &size, sizeof bits);
    return (uint32_t)((bits + one / 2 - 1 + (bits / one & 1)) / one);
}

/* A half has 5 exponent and 10 fraction bits. Below 2^-14 the spacing is 2^-24. */
static inline double element_from_f16(uint16_t bits) {
    uint32_t wide = (uint32_t)(bits & 0x7fff) << 13;
    if ((bits & 0x7fff) >= 0x400 &&
        (bits & 0x7fff) < 0x7c00) /* the usual case: float's exponent has a bias 112 larger */
        return (double)element_from_bits((uint32_t)(bits & 0x8000) << 16 | (wide + (112u << 23)));
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

/* Rounds to the nearest, ties to even; from 65520 on to infinity. */
static inline uint16_t element_to_f16(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    if (size == 0) /* nearly all of B's elements for a large k */
        return sign;
    if (size >= 0x1p-14) /* the usual case */
        return (uint16_t)(sign | (element_shortened(size, 10) - (1008u << 10)));
    int exponent;
    frexp(size, &exponent); /* size is in [2^(exponent - 1), 2^exponent) */
    exponent = size == 0 || exponent < -13 ? -13 : exponent;
    double units = rint(ldexp(size, 11 - exponent)); /* 2048 at the next power */
    return (uint16_t)(sign | (((exponent + 13) << 10) + (int)units));
}

/* e4m3: 4 exponent and 3 fraction bits. From 2^-6 down the spacing is 2^-9. All ones are NaN; there
 * is no infinity. */
static inline double element_from_fp8(uint8_t bits) {
    uint32_t wide = (uint32_t)(bits & 0x7f) << 20;
    if ((bits & 0x7f) >= 8 && (bits & 0x7f) < 0x7f) /* the usual case */
        return (double)element_from_bits((uint32_t)(bits & 0x80) << 24 | (wide + (120u << 23)));
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double size = (bits & 127) == 127 ? NAN
                  : exponent == 0     ? ldexp(fraction, -9)
                                      : ldexp(8 + fraction, exponent - 10);
    return bits >> 7 ? -size : size;
}

/* Rounds to the nearest, ties to even. Clips at 448; infinities become NaN. */
static inline uint8_t element_to_fp8(double value) {
    uint8_t sign = signbit(value) ? 0x80 : 0;
    double size = fmin(fabs(value), 448);
    if (!isfinite(value))
        return sign | 0x7f;
    if (size == 0)
        return sign;
    if (size >= 0x1p-6) /* the usual case */
        return (uint8_t)(sign | (element_shortened(size, 3) - (1016u << 3)));
    int exponent;
    frexp(size, &exponent); /* size is in [2^(exponent - 1), 2^exponent) */
    exponent = size == 0 || exponent < -5 ? -5 : exponent;
    double units = rint(ldexp(size, 4 - exponent)); /* 16 at the next power */
    return (uint8_t)(sign | (((exponent + 5) << 3) + (int)units));
}

static inline double element_get(const void *array, wbk_type type, size_t i) {
    if (type == WBK_F16)
        return element_from_f16(((const uint16_t *)array)[i]);
    if (type == WBK_BYTE)
        return ((const unsigned char *)array)[i];
    if (type == WBK_FP8)
        return element_from_fp8(((const uint8_t *)array)[i]);
    if (type == WBK_BF16)
        return (double)element_from_bf16(((const uint16_t *)array)[i]);
    return type == WBK_F64 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

static inline void element_put(void *array, wbk_type type, size_t i, double value) {
    if (type == WBK_F64)
        ((double *)array)[i] = value;
    else if (type == WBK_BF16)
        ((uint16_t *)array)[i] = element_to_bf16((float)value);
    else if (type == WBK_F16)
        ((uint16_t *)array)[i] = element_to_f16(value);
    else if (type == WBK_BYTE)
        ((unsigned char *)array)[i] = (unsigned char)value;
    else if (type == WBK_FP8)
        ((uint8_t *)array)[i] = element_to_fp8(value);
    else
        ((float *)array)[i] = (float)value;
}
