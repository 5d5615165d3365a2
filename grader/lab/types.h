/* types.h: the types of solve()'s arguments: numbers, and structs of numbers. Also how inputs are
 * drawn and results compared. Plain data that the trusted programs share. */
#pragma once

#include "runtime/base/base.h"

#define GR_MAX_ARGS 12
#define GR_MAX_FIELDS 8 /* in a struct */
#define GR_MAX_SETS 6   /* kinds of values that a lab may draw */

typedef enum gr_type {
    GR_INT,
    GR_FLOAT,
    GR_DOUBLE,
    GR_HALF, /* IEEE binary16, __half */
    GR_BYTE, /* unsigned char */
    GR_UINT,
    GR_LONG, /* 64 bits */
    GR_TYPES
} gr_type;
extern const char *const gr_type_names[GR_TYPES];
extern const char *const gr_type_cxx[GR_TYPES]; /* their names in C++ */
size_t gr_type_size(gr_type type);
bool gr_type_is_whole(gr_type type);
/* Return element i as a double, which rounds a long beyond 2^53; and store the nearest value. */
double gr_type_get(gr_type type, const void *data, int64_t i);
void gr_type_set(gr_type type, void *data, int64_t i, double value);
/* Return the range in which all whole numbers can be stored, but at most 2^53 as in a double. */
double gr_type_least(gr_type type);
double gr_type_most(gr_type type);
double
gr_type_rounding(gr_type type); /* u: half a unit in the last place of 1; 0 for whole types */

typedef enum gr_role {
    GR_INPUT,  /* const T *: must not be changed */
    GR_OUTPUT, /* T *: holds poison when solve() is called */
    GR_INOUT,  /* T * */
    GR_SIZE,   /* int */
    GR_SCALAR, /* T by value */
    GR_ROLES
} gr_role;
extern const char *const gr_role_names[GR_ROLES];
static inline bool gr_is_input(gr_role role) {
    return role == GR_INPUT || role == GR_INOUT;
}
static inline bool gr_is_result(gr_role role) {
    return role == GR_OUTPUT || role == GR_INOUT;
}
static inline bool gr_is_array(gr_role role) {
    return role < GR_SIZE;
}

/* The rule that compares a result with the reference's. */
typedef enum gr_by {
    GR_BY_EXACT,     /* the same number; NaN for NaN */
    GR_BY_BITS,      /* the same bits */
    GR_BY_MULTISET,  /* the same elements in any order */
    GR_BY_CHECK,     /* as the lab's own check() decides */
    GR_BY_ERROR,     /* at most absolute + relative |expected| off */
    GR_BY_CONDITION, /* at most factor u magnitude off; the reference gives the magnitude */
    GR_BYS
} gr_by;
extern const char *const gr_by_names[GR_BYS];

typedef struct gr_bound {
    gr_by by;
    double relative, absolute, factor;
} gr_bound;

/* One number of an element: a field of a struct, or the element itself (name ""). */
typedef struct gr_field {
    char name[24];
    gr_type type;
    uint32_t offset; /* bytes */
    gr_bound bound;  /* for results */
} gr_field;

/* The distribution of drawn numbers. */
typedef enum gr_draw {
    GR_DRAW_UNIFORM,     /* real numbers in [a, b). If c of them are summed, and c is at most
                            GR_SHAPED_TERMS, narrower formats always round in one direction */
    GR_DRAW_NORMAL,      /* mean a, deviation b */
    GR_DRAW_WHOLE,       /* whole numbers in a..b */
    GR_DRAW_SPARSE,      /* zero, or with probability c a number in a..b */
    GR_DRAW_PERMUTATION, /* 0..count-1, each once */
    GR_DRAW_OFFSETS, /* from 0 to b, never falling, like row starts; less even with a larger c */
    GR_DRAW_TEXT,    /* letters, blanks and line ends with the frequencies of English */
    GR_DRAW_BITS,    /* any bits */
    GR_DRAW_TERMS,   /* whole numbers whose sum is exact in any order, but only with all bits */
    GR_DRAWS
} gr_draw;
extern const char *const gr_draw_names[GR_DRAWS];

/* A kind of values: the index of one of the lab's sets. */
typedef int gr_values;

typedef enum gr_order { GR_ANY_ORDER, GR_UP, GR_DOWN, GR_ORDERS } gr_order;
extern const char *const gr_order_names[GR_ORDERS];

/* A sequential sum of more terms than this loses as many bits as TF32 does. */
enum { GR_SHAPED_TERMS = 1024 };

/* A draw with all choices made. */
typedef struct gr_fill {
    gr_draw draw;
    gr_order order;
    double a, b, c;
} gr_fill;
