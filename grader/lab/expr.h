/* expr.h: the small formulas of lab.json ("rows * cols", "(n + 255) / 256"): 64-bit integers, the
 * sizes of a test as names, + - * / % and parentheses, min(a, b) and max(a, b). */
#ifndef GRADER_EXPR_H
#define GRADER_EXPR_H

#include "runtime/base/base.h"

#define GR_MAX_VARS 16

typedef struct gr_vars {
    const char *names[GR_MAX_VARS]; /* borrowed */
    int64_t values[GR_MAX_VARS];
    int n;
} gr_vars;

/* False with a sentence when the text is no formula, names what vars does not hold, divides by
 * zero or leaves 64 bits. */
bool gr_expr(const char *text, const gr_vars *vars, int64_t *value, wb_error *err);

#endif
