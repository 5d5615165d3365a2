/* rows.h: the registry's rows by file, in teaching order. Only registry.c reads them here. */
#ifndef WARPBOOK_ROWS_H
#define WARPBOOK_ROWS_H

#include "kernels/registry.h"

/* A group of rows. */
typedef struct wbk_rows {
    const wbk_kernel *rows;
    size_t n;
} wbk_rows;

extern const wbk_rows WBK_ROWS_MEMORY;     /* labs about memory: coalescing to softmax */
extern const wbk_rows WBK_ROWS_PRODUCTS;   /* products, on tensor cores and without */
extern const wbk_rows WBK_ROWS_REFERENCES; /* references */

/* A row's launchers for one type, or for two. */
#define FLOAT(launcher)                                                                            \
    { [WBK_F32] = launcher }
#define DOUBLE(launcher)                                                                           \
    { [WBK_F64] = launcher }
#define BF16(launcher)                                                                             \
    { [WBK_BF16] = launcher }
#define FP8(launcher)                                                                              \
    { [WBK_FP8] = launcher }
#define BYTES(launcher)                                                                            \
    { [WBK_BYTE] = launcher }
#define BOTH(launcher)                                                                             \
    { [WBK_F32] = launcher "_f32", [WBK_F64] = launcher "_f64" }

#endif
