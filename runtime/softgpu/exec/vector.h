/* vector.h: aux data of memory instructions, and functions that execute them lane by lane. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

enum sg_atomic_op {
    SG_ATOM_ADD,
    SG_ATOM_MIN,
    SG_ATOM_MAX,
    SG_ATOM_AND,
    SG_ATOM_OR,
    SG_ATOM_XOR,
    SG_ATOM_EXCH,
    SG_ATOM_CAS,
    SG_ATOM_INC,
    SG_ATOM_DEC
};

typedef struct sg_atom {
    enum sg_atomic_op op;
    ptx_type type;
    ptx_space space;
    bool returns;      /* atom; false: red */
    bool asks;         /* the returned value is used */
    bool together;     /* ptxas combines those of a warp (SG_TRACE) */
    bool wide_address; /* the address register has 64 bits */
    uint32_t n;        /* 1, or the elements of a vector red */
    int32_t dst[8], b[8], c[8];
} sg_atom;

typedef struct sg_async { /* cp.async: from global to shared memory */
    bool wide_to, wide_from, has_size;
    uint32_t bytes;
} sg_async;

void sg_atomic(sg_warp *w, const sg_op *ip, char *r);
void sg_copy_async(sg_warp *w, const sg_op *ip, char *r);
