/* types.h: what arguments of solve() are made of: the types of numbers and of structs of them, and
 * how inputs are drawn and results are compared. Plain data that the trusted programs share. */
#ifndef GRADER_TYPES_H
#define GRADER_TYPES_H

#include "runtime/base/base.h"

#define GR_MAX_ARGS 12
#define GR_MAX_FIELDS 8 /* of a struct */
#define GR_MAX_SETS 6   /* kinds of values that a lab draws */

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
/* Element i as a double, which holds all but a long beyond 2^53; and the nearest one stored. */
double gr_type_get(gr_type type, const void *data, int64_t i);
void gr_type_set(gr_type type, void *data, int64_t i, double value);
/* The least and the largest whole number that it holds, and all between; a double's, 2^53. */
double gr_type_least(gr_type type);
double gr_type_most(gr_type type);
double gr_type_rounding(gr_type type); /* u: half a unit in the last place of 1; whole types: 0 */

typedef enum gr_role {
    GR_INPUT,  /* const T *: must not be changed */
    GR_OUTPUT, /* T *: holds poison when solve() is called */
    GR_INOUT,  /* T * */
    GR_SIZE,   /* int */
    GR_SCALAR, /* T by value */
    GR_ROLES
} gr_role;
extern const char *const gr_role_names[GR_ROLES];

/* How a result is compared with what the lab's reference gives. */
typedef enum gr_by {
    GR_BY_EXACT,     /* the same number; NaN for NaN */
    GR_BY_BITS,      /* the same bits */
    GR_BY_MULTISET,  /* the same elements in any order */
    GR_BY_CHECK,     /* the lab's own check() says */
    GR_BY_ERROR,     /* off by absolute + relative |expected| at most */
    GR_BY_CONDITION, /* off by factor u magnitude at most; the reference tells the magnitude */
    GR_BYS
} gr_by;
extern const char *const gr_by_names[GR_BYS];

typedef struct gr_bound {
    gr_by by;
    double relative, absolute, factor;
} gr_bound;

/* One number of an element: of a struct, or the element itself (name ""). */
typedef struct gr_field {
    char name[24];
    gr_type type;
    uint32_t offset; /* bytes */
    gr_bound bound;  /* of results */
} gr_field;

/* How numbers are drawn. */
typedef enum gr_draw {
    GR_DRAW_UNIFORM, /* real numbers of [a, b); where c of them, and no more than GR_SHAPED_TERMS,
                        are added up, such that fewer bits lose always in one direction */
    GR_DRAW_NORMAL,  /* mean a, deviation b */
    GR_DRAW_WHOLE,   /* whole numbers of a..b */
    GR_DRAW_SPARSE,  /* zero, and with probability c a number of a..b */
    GR_DRAW_PERMUTATION, /* 0..count-1, each once */
    GR_DRAW_OFFSETS,     /* from 0 up to b, never falling: where the rows of a sparse matrix begin;
                            the larger c, the less even */
    GR_DRAW_TEXT,        /* letters, blanks and line ends as often as English has them */
    GR_DRAW_BITS,        /* any bits */
    GR_DRAW_TERMS, /* whole numbers that add up exactly in any order, and only with all bits */
    GR_DRAWS
} gr_draw;
extern const char *const gr_draw_names[GR_DRAWS];

/* A kind of values: the number of one of the lab's sets. */
typedef int gr_values;

typedef enum gr_order { GR_ANY_ORDER, GR_UP, GR_DOWN, GR_ORDERS } gr_order;
extern const char *const gr_order_names[GR_ORDERS];

/* A sum of more terms than this, added one by one, cuts them as short as TF32 does. */
enum { GR_SHAPED_TERMS = 1024 };

/* With everything chosen. */
typedef struct gr_fill {
    gr_draw draw;
    gr_order order;
    double a, b, c;
} gr_fill;

#endif
