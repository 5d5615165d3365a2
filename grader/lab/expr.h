/* expr.h: the formulas of lab.json ("rows * cols", "(n + 255) / 256"). They have 64-bit integers,
 * the sizes of a test by name, + - * / % and parentheses, min(a, b) and max(a, b). */
#pragma once

#include "runtime/base/base.h"

#define GR_MAX_VARS 16

typedef struct gr_vars {
    const char *names[GR_MAX_VARS]; /* borrowed */
    int64_t values[GR_MAX_VARS];
    int n;
} gr_vars;

/* Computes a formula. False with *err: malformed, an unknown name, division by zero, or over 64
 * bits. */
bool gr_expr(const char *text, const gr_vars *vars, int64_t *value, wb_error *err);
