/* types.c: numbers of every type that an argument may have. */
#include "grader/lab/types.h"

#include <math.h>

const char *const gr_type_names[GR_TYPES] = {"int",  "float", "double", "half",
                                             "byte", "uint",  "long"};
const char *const gr_type_cxx[GR_TYPES] = {"int",           "float",        "double",   "__half",
                                           "unsigned char", "unsigned int", "long long"};
const char *const gr_role_names[GR_ROLES] = {"input", "output", "inout", "size", "scalar"};
const char *const gr_by_names[GR_BYS] = {"exact", "bits",  "multiset",
                                         "check", "error", "condition"};
const char *const gr_draw_names[GR_DRAWS] = {"uniform", "normal", "whole", "sparse", "permutation",
                                             "offsets", "text",   "bits",  "terms"};
const char *const gr_order_names[GR_ORDERS] = {"any", "up", "down"};

size_t gr_type_size(gr_type type) {
    static const size_t sizes[GR_TYPES] = {4, 4, 8, 2, 1, 4, 8};
    return sizes[type];
}

bool gr_type_is_whole(gr_type type) {
    return type == GR_INT || type == GR_BYTE || type == GR_UINT || type == GR_LONG;
}

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(mantissa | 1024, exponent - 25);
    return bits >> 15 ? -value : value;
}

/* Rounds to the nearest, ties to even: rint() does so, in units of the last place. */
static uint16_t half_bits(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    if (isnan(value))
        return 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    if (size < 0x1p-14)
        return sign | (uint16_t)rint(ldexp(size, 24));
    frexp(size, &exponent);                             /* size in [2^(exponent - 1), 2^exponent) */
    double mantissa = rint(ldexp(size, 11 - exponent)); /* 1024..2048; 2048 carries by itself */
    return sign | (uint16_t)((uint16_t)(exponent + 13) * 1024 + (uint16_t)mantissa);
}

double gr_type_get(gr_type type, const void *data, int64_t i) {
    switch (type) {
    case GR_INT:
        return ((const int32_t *)data)[i];
    case GR_FLOAT:
        return ((const float *)data)[i];
    case GR_HALF:
        return half_value(((const uint16_t *)data)[i]);
    case GR_BYTE:
        return ((const uint8_t *)data)[i];
    case GR_UINT:
        return ((const uint32_t *)data)[i];
    case GR_LONG:
        return (double)((const int64_t *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

void gr_type_set(gr_type type, void *data, int64_t i, double value) {
    switch (type) {
    case GR_INT:
        ((int32_t *)data)[i] = (int32_t)value;
        return;
    case GR_FLOAT:
        ((float *)data)[i] = (float)value;
        return;
    case GR_HALF:
        ((uint16_t *)data)[i] = half_bits(value);
        return;
    case GR_BYTE:
        ((uint8_t *)data)[i] = (uint8_t)value;
        return;
    case GR_UINT:
        ((uint32_t *)data)[i] = (uint32_t)value;
        return;
    case GR_LONG:
        ((int64_t *)data)[i] = (int64_t)value;
        return;
    default:
        ((double *)data)[i] = value;
        return;
    }
}

double gr_type_most(gr_type type) {
    static const double most[GR_TYPES] = {INT32_MAX, 0x1p24,     0x1p53, 2048,
                                          UINT8_MAX, UINT32_MAX, 0x1p53};
    return most[type];
}

double gr_type_least(gr_type type) {
    if (type == GR_BYTE || type == GR_UINT)
        return 0;
    return type == GR_INT ? INT32_MIN : -gr_type_most(type);
}

double gr_type_rounding(gr_type type) {
    return type == GR_FLOAT ? 0x1p-24 : type == GR_DOUBLE ? 0x1p-53 : type == GR_HALF ? 0x1p-11 : 0;
}
