/* cost.cuh: models the time of 11_parts, in microseconds, for a kind of tiles and a number of parts
 * of k, to choose the fastest. gemm/cost.cuh explains the terms:
 *
 *   round(j) = start + T max(latency, j pace) + j edge
 *
 * for j blocks on a multiprocessor and T steps. Rounds follow one another, while memory moves each
 * matrix once. The two are combined by the root of the sum of squares (TF32: the fourth root of the
 * sum of fourth powers). With squares, a kind that computes less counts even if memory is the
 * limit. Then comes a launch and, for several parts, a second one that adds them.
 *
 * Rows that are no multiples of 64 bytes are "crooked": a step's rows cross more L2 lines, so steps
 * and memory take longer.
 *
 * Fitted to random shapes (8 to 16384 a side, cold L2): 1,152 in 16 bits and 868 in double on an
 * H100, 400 in TF32 on an H200. Median error 3.4, 3.8 and 4.7 %, nine of ten within 9, 10 and 13 %.
 * In 16 bits the choice takes 2.0 % longer than the fastest (geometric mean), in double 1.4 %. */
#pragma once

#include "gemm/cost.cuh"
#include "tensor.cuh"

/* The added share of time if rows of A or B are crooked. */
struct crooked_rows {
    double a, b;
};

/* For a type of elements: a launch; the second launch, its time per megabyte of sums and per part;
 * bytes per microsecond of memory; the cost of crooked rows for steps and for memory; true for
 * squares, not fourth powers. */
struct type_times {
    double launch, adding, adding_megabyte, adding_part, memory_pace;
    crooked_rows step, memory;
    bool squares;
};

/* A launch for the model. */
struct kind_sizes {
    int rows, cols, step, resident, sum_bytes;
};

/* Combines computing and memory, which overlap. The larger one dominates, more sharply with fourth
 * powers. */
static inline double joined(const type_times &type, double x, double y) {
    return type.squares ? sqrt(x * x + y * y) : sqrt(sqrt(x * x * x * x + y * y * y * y));
}

/* Returns the factor for crooked rows of k x n and m x k elements. */
static inline double crooked(const crooked_rows &more, int n, int k, int element) {
    return 1 + ((long long)k * element % 64 ? more.a : 0) +
           ((long long)n * element % 64 ? more.b : 0);
}

/* Returns the microseconds in which the three matrices cross memory once. */
static inline double crossing_time(const type_times &type, int m, int n, int k, int element) {
    double elements = (double)m * k + (double)k * n + (double)m * n;
    return element * elements / type.memory_pace * crooked(type.memory, n, k, element);
}

/* Returns the time of a batch of products with these tiles and k in `parts` parts. element:
 * bytes. */
static inline double parts_time(const type_times &type, const tile_times &times,
                                const kind_sizes &kind, int element, int m, int n, int k, int batch,
                                long long parts, int processors) {
    long long tiles = whole(m, kind.rows) * whole(n, kind.cols) * batch, blocks = tiles * parts;
    long long steps = whole(whole(k > 0 ? k : 1, kind.step), parts);
    double slowly = (double)steps * crooked(type.step, n, k, element);
    double computing = rounds_time(times, slowly, blocks, kind.resident, processors);
    double time =
        type.launch + joined(type, computing, batch * crossing_time(type, m, n, k, element));
    if (parts > 1)
        time +=
            type.adding + type.adding_part * (double)parts +
            type.adding_megabyte * (double)blocks * kind.rows * kind.cols * kind.sum_bytes * 1e-6;
    return time;
}

/* Persistent blocks on Hopper (7_persistent, 8_stream_k, 9_tf32 and 10_by_size's small tiles): a
 * launch; a round of their largest tiles; each element of k in it. Fitted in the same way. */
struct stay_times {
    double launch, round, depth;
    crooked_rows step;
};
static inline double stay_time(const stay_times &times, const type_times &type, double rounds,
                               int m, int n, int k, int element, int batch = 1) {
    double depth = k * times.depth * crooked(times.step, n, k, element);
    return times.launch + joined(type, rounds * (times.round + depth),
                                 batch * crossing_time(type, m, n, k, element));
}

/* Return the time of 11_parts with its own choice, on `processors` multiprocessors. */
double wbk_gemm_parts_time_bf16(int m, int n, int k, int processors, int batch = 1,
                                row_starts starts = AT_PIECES);
double wbk_gemm_parts_time_tf32(int m, int n, int k, int processors, row_starts starts = AT_PIECES);

/* The same for 18_wgmma_parts in 16 bits and TF32; infinite if it is not to be used. */
double wbk_gemm_wgmma_parts_time_sixteen(int m, int n, int k, int processors);
double wbk_gemm_wgmma_parts_time_tf32(int m, int n, int k, int processors);

/* 18_wgmma_parts for any n and any C, and its time (infinite if this device lacks wgmma). B has
 * rows of b_cols elements, the first n of which count. A, B, k and b_cols are as 18_wgmma_parts
 * needs them; k > 0, alpha is not 0. */
#define WBK_LOOSE(type, suffix)                                                                    \
    cudaError_t wbk_gemm_wgmma_parts_loose_##suffix(const type *A, const type *B, int b_cols,      \
                                                    type *C, int m, int n, int k, float alpha,     \
                                                    float beta, cudaStream_t stream)
WBK_LOOSE(wbk_bfloat16, bf16);
WBK_LOOSE(wbk_half, fp16);
WBK_LOOSE(float, tf32);
double wbk_gemm_wgmma_parts_loose_time_sixteen(int m, int n, int k, int processors);
double wbk_gemm_wgmma_parts_loose_time_tf32(int m, int n, int k, int processors);

/* The same for 19_direct in 16 bits; infinite if it is not to be used. */
double wbk_gemm_direct_time(int m, int n, int k, int processors, row_starts starts = AT_PIECES);

/* The same for 20_shallow in 16 bits; infinite if k is too deep. */
double wbk_gemm_shallow_time(int m, int n, int k);

/* A batch's distances in elements between the matrices of consecutive products. 0 for A or B:
 * shared by all. */
struct batch_strides {
    long long a, b, c;
};
/* 11_parts for a batch of products. */
#define WBK_PARTS_BATCHED(type)                                                                    \
    cudaError_t wbk_gemm_parts_batched(const type *A, const type *B, type *C, int m, int n, int k, \
                                       float alpha, float beta, int batch,                         \
                                       const batch_strides &strides, cudaStream_t stream)
WBK_PARTS_BATCHED(wbk_bfloat16);
WBK_PARTS_BATCHED(wbk_half);
WBK_PARTS_BATCHED(float);
