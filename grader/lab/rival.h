/* rival.h: the rival that speed is compared with. It is the device's own copy, a row of
 * kernels/registry.h (a library's call or a kernel of the set), or a source file of the lab with
 * its own solve(). */
#ifndef GRADER_LAB_RIVAL_H
#define GRADER_LAB_RIVAL_H

#include "kernels/registry.h"
#include "runtime/base/base.h"

typedef enum gr_rival_kind {
    GR_RIVAL_COPY,
    GR_RIVAL_CALL,   /* a row of the registry; libraries have measured times for each size */
    GR_RIVAL_SOURCE, /* a file beside lab.json */
    GR_RIVALS
} gr_rival_kind;

enum { GR_RIVAL_SIZES = 3 };

/* The rival as lab.json describes it. */
typedef struct gr_rival_spec {
    gr_rival_kind kind;
    char name[64]; /* the row's or the file's */
    wbk_type type;
    int n_sizes;
    char *sizes[GR_RIVAL_SIZES]; /* formulas: m, n, k as far as the row has them */
    char scalars[2][32];         /* names of the arguments for alpha and beta; "": 1 and 0 */
} gr_rival_spec;

#endif
