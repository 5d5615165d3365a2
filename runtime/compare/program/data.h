/* data.h: inputs that reveal wrong results, and the right results, by the CPU in fp64. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compare/program/elements.h"
#include "runtime/compare/program/subject.h"

typedef enum data_mode {
    /* integers whose sum has the same bits in every order; patterns with NaN payloads and -0 for
     * shapes that only move data; equally frequent bytes for a histogram; rows with results 0 or
     * 1/n for a softmax */
    DATA_EXACT,
    /* random reals, compared with fp64 within a rounding-error bound; for a histogram bytes of
     * which a few are far more frequent */
    DATA_REAL,
    DATA_IGNORED, /* a product's A and B are NaN and infinities, for alpha 0 */
    DATA_MODES
} data_mode;

const char *data_mode_name(data_mode mode);

/* Fills the inputs of a kernel of this shape: a, b, and c before the call. */
void data_fill(const wbk_kernel *kernel, data_mode mode, const arguments *sizes, uint64_t seed,
               void *a, void *b, void *c);

/* Returns number i of the stream `seed`, without state (Steele, Lea and Flood's SplitMix64). */
static inline uint64_t data_random(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Returns true if `result`, c after the call, is right for the inputs (judge.c). Checks every
 * element, but of a GEMM on reals (or bf16) that would take over a second only some, in every row
 * and column. On failure text names the element, its value and the right one. For DATA_EXACT alpha
 * and beta must be whole numbers. *error gets the largest error of a product's elements over
 * |alpha| sum |a b| + |beta c|, 0 for other shapes. */
bool data_check(const wbk_kernel *kernel, data_mode mode, const arguments *sizes, const void *a,
                const void *b, const void *c_before, const void *result, char *text, size_t size,
                double *error);
