/* mma.h: matrix instructions and their aux data. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

enum sg_mma_kind {
    SG_MMA_SYNC,
    SG_WMMA_MMA,
    SG_WMMA_LOAD,
    SG_WMMA_STORE,
    SG_LDMATRIX,
    SG_STMATRIX
};

typedef struct sg_fragment { /* a matrix distributed over the registers of a warp */
    ptx_type type;
    uint32_t rows, cols;
    uint32_t n; /* per lane */
    int32_t places[16];
} sg_fragment;

typedef struct sg_matrix {
    enum sg_mma_kind kind;
    uint32_t m, n, k;
    bool saturate;
    sg_fragment a, b, c, d; /* loads fill d, stores take d */
    char operand;           /* of a tile: a, b or c (d) */
    bool column_major, transposed;
    ptx_space space;
    bool wide_address;
    int32_t stride; /* a place, in elements; -1: the matrix's own width */
} sg_matrix;

void sg_mma(sg_warp *w, const sg_op *ip, char *r); /* aux: an sg_matrix */
