/* rival.h: what speed is measured by: the device's own copy, a library's call or a kernel of the
 * set by its row in kernels/registry.h, or a source file of the lab's own with a solve() of its
 * own. */
#ifndef GRADER_LAB_RIVAL_H
#define GRADER_LAB_RIVAL_H

#include "kernels/registry.h"
#include "runtime/base/base.h"

typedef enum gr_rival_kind {
    GR_RIVAL_COPY,
    GR_RIVAL_CALL,   /* a row of the registry: of libraries the times are known by size */
    GR_RIVAL_SOURCE, /* a file beside lab.json */
    GR_RIVALS
} gr_rival_kind;

enum { GR_RIVAL_SIZES = 3 };

/* As lab.json has it. */
typedef struct gr_rival_spec {
    gr_rival_kind kind;
    char name[64]; /* of the row, or of the file */
    wbk_type type;
    int n_sizes;
    char *sizes[GR_RIVAL_SIZES]; /* formulas: m, n, k as far as the row has them */
    char scalars[2][32];         /* the arguments that are its alpha and beta; "": 1 and 0 */
} gr_rival_spec;

#endif
