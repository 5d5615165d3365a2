/* elements.h: elements of every type as doubles, which hold all their values, so that inputs and
 * checks are written once. */
#ifndef WARPBOOK_COMPARE_ELEMENTS_H
#define WARPBOOK_COMPARE_ELEMENTS_H

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

/* To the nearest, ties to even; a NaN stays one. */
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

/* The bits of a double above zero, of which so many behind the point are kept, to the nearest, ties
 * to even: exponent and fraction. For there are millions of elements, and frexp takes its time. */
static inline uint32_t element_shortened(double size, int kept) {
    uint64_t bits, one = (uint64_t)1 << (52 - kept);
    memcpy(&bits, &size, sizeof bits);
    return (uint32_t)((bits + one / 2 - 1 + (bits / one & 1)) / one);
}

/* A half has 5 bits of exponent and 10 of fraction. Below 2^-14 numbers are 2^-24 apart. */
static inline double element_from_f16(uint16_t bits) {
    uint32_t wide = (uint32_t)(bits & 0x7fff) << 13;
    if ((bits & 0x7fff) >= 0x400 &&
        (bits & 0x7fff) < 0x7c00) /* most: a float's bits, but for 112 */
        return (double)element_from_bits((uint32_t)(bits & 0x8000) << 16 | (wide + (112u << 23)));
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

/* To the nearest, ties to even; from 65520 on infinity. */
static inline uint16_t element_to_f16(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    if (size == 0) /* of B's elements nearly all, where k is large */
        return sign;
    if (size >= 0x1p-14) /* most others */
        return (uint16_t)(sign | (element_shortened(size, 10) - (1008u << 10)));
    int exponent;
    frexp(size, &exponent); /* size is in [2^(exponent - 1), 2^exponent) */
    exponent = size == 0 || exponent < -13 ? -13 : exponent;
    double units = rint(ldexp(size, 11 - exponent)); /* 2048 where it goes up to the next power */
    return (uint16_t)(sign | (((exponent + 13) << 10) + (int)units));
}

/* e4m3: four bits of exponent, three behind the point, from 2^-6 down numbers are 2^-9 apart; all
 * ones are NaN, and infinity there is none. */
static inline double element_from_fp8(uint8_t bits) {
    uint32_t wide = (uint32_t)(bits & 0x7f) << 20;
    if ((bits & 0x7f) >= 8 && (bits & 0x7f) < 0x7f) /* most */
        return (double)element_from_bits((uint32_t)(bits & 0x80) << 24 | (wide + (120u << 23)));
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double size = (bits & 127) == 127 ? NAN
                  : exponent == 0     ? ldexp(fraction, -9)
                                      : ldexp(8 + fraction, exponent - 10);
    return bits >> 7 ? -size : size;
}

/* To the nearest, ties to even; what is above 448 becomes that, what is not finite a NaN. */
static inline uint8_t element_to_fp8(double value) {
    uint8_t sign = signbit(value) ? 0x80 : 0;
    double size = fmin(fabs(value), 448);
    if (!isfinite(value))
        return sign | 0x7f;
    if (size == 0)
        return sign;
    if (size >= 0x1p-6) /* most */
        return (uint8_t)(sign | (element_shortened(size, 3) - (1016u << 3)));
    int exponent;
    frexp(size, &exponent); /* size is in [2^(exponent - 1), 2^exponent) */
    exponent = size == 0 || exponent < -5 ? -5 : exponent;
    double units = rint(ldexp(size, 4 - exponent)); /* 16 where it goes up to the next power */
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

#endif
