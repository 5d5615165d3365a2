/* data.h: inputs that make a wrong answer show, and the right answers, by the CPU in fp64. */
#ifndef WARPBOOK_COMPARE_DATA_H
#define WARPBOOK_COMPARE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compare/program/subject.h"

typedef enum data_mode {
    DATA_EXACT, /* integers for which every order of summation gives the same bits; patterns with
                   NaN payloads and -0 where data only moves */
    DATA_REAL,  /* random reals, judged against fp64 within a rounding-error bound */
    DATA_MODES
} data_mode;

const char *data_mode_name(data_mode mode);

/* The largest |a b| of a product's DATA_EXACT inputs. */
double data_largest_product(wbk_type type);

/* Fills the inputs of a kernel of this shape: a and b, and c as it is before the call. */
void data_fill(const wbk_kernel *kernel, data_mode mode, const arguments *sizes, uint64_t seed,
               void *a, void *b, void *c);

/* Whether `result`, c after the call, is right, given the inputs. Every element is checked while
 * that takes about a second; of a larger GEMM, every row and column at least once. On failure
 * text says which element, what it is and what it should be. */
bool data_check(const wbk_kernel *kernel, data_mode mode, const arguments *sizes, const void *a,
                const void *b, const void *c_before, const void *result, char *text, size_t size);

#endif
