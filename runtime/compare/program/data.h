/* data.h: inputs that make a wrong answer show, and the right answers, by the CPU in fp64. */
#ifndef WARPBOOK_COMPARE_DATA_H
#define WARPBOOK_COMPARE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compare/program/elements.h"
#include "runtime/compare/program/subject.h"

typedef enum data_mode {
    DATA_EXACT,   /* integers for which every order of summation gives the same bits; patterns with
                     NaN payloads and -0 where data only moves; of a histogram bytes that are
                     equally frequent; of a softmax rows whose results are 0 or one over a whole
                     number */
    DATA_REAL,    /* random reals, judged against fp64 within a rounding-error bound; of a histogram
                     bytes of which a few are far more frequent than the others */
    DATA_IGNORED, /* A and B of a product hold NaN and infinities only: for an alpha of 0 */
    DATA_MODES
} data_mode;

const char *data_mode_name(data_mode mode);

/* Fills the inputs of a kernel of this shape: a and b, and c as it is before the call. */
void data_fill(const wbk_kernel *kernel, data_mode mode, const arguments *sizes, uint64_t seed,
               void *a, void *b, void *c);

/* Number i of the stream `seed`: a generator without state (Steele, Lea and Flood's SplitMix64). */
static inline uint64_t data_random(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Whether `result`, c after the call, is right, given the inputs (judge.c). Every element counts,
 * save in a GEMM on reals (or of bf16) that would take more than a second: there every row and
 * column at least once. On failure text says which element, what it is and what it should be. alpha
 * and beta are whole numbers where mode is DATA_EXACT. *error becomes the largest error of a
 * product's elements over |alpha| sum |a b| + |beta c|, 0 for other shapes. */
bool data_check(const wbk_kernel *kernel, data_mode mode, const arguments *sizes, const void *a,
                const void *b, const void *c_before, const void *result, char *text, size_t size,
                double *error);

#endif
