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

static inline double element_get(const void *array, wbk_type type, size_t i) {
    if (type == WBK_BF16)
        return (double)element_from_bf16(((const uint16_t *)array)[i]);
    return type == WBK_F64 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

static inline void element_put(void *array, wbk_type type, size_t i, double value) {
    if (type == WBK_F64)
        ((double *)array)[i] = value;
    else if (type == WBK_BF16)
        ((uint16_t *)array)[i] = element_to_bf16((float)value);
    else
        ((float *)array)[i] = (float)value;
}

#endif
