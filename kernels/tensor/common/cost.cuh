/* cost.cuh: how long 11_parts takes with tiles of a kind and k in so many parts, in microseconds;
 * what is fastest is then calculated, as in gemm/cost.cuh, whose page says what the terms are:
 *
 *     round(j) = start + T max(latency, j pace) + j edge
 *
 * for j blocks on a multiprocessor and T steps; rounds follow one another, while memory moves each
 * matrix once; the root of the sum of squares joins the two (TF32: the fourth root of the sum of
 * fourth powers, as there). Squares let a kind count that computes less where memory decides: with
 * fourth powers kinds were chosen for 8 columns that took half as long again. Then a launch, and
 * where k is in several parts a second one that adds them up.
 *
 * Rows that are no multiples of 64 bytes are crooked: what a step fetches of them lies across more
 * lines of the L2 cache, so steps take longer, and so does memory.
 *
 * Fitted to random shapes (8 to 16384 a side, log-uniform), cold L2, every kind with several
 * numbers of parts: 1,152 in 16 bits and 868 in double on an H100, of which a third took no part at
 * first, 400 in TF32 on an H200. Median error 3.4, 3.8 and 4.7 %, nine of ten within 9, 10 and 13
 * %, of 18_wgmma_parts 3.9 (12), of blocks that stay 4.6 and 7 % (15, 18). What is chosen in 16
 * bits takes 2.0 % longer on the third than the fastest of all (geometric mean), in double 1.4 %.
 * Fitted to fewer shapes and without what crooked rows cost it was 4.8 % in 16 bits. */
#ifndef WARPBOOK_TENSOR_COST_CUH
#define WARPBOOK_TENSOR_COST_CUH

#include <math.h>

#include "warpbook.h"

/* The model's four times of a kind of tiles, in microseconds. */
struct kind_times {
    double latency, pace, edge, start;
};

/* How much more something takes, of 1, where rows of A or B are crooked: no multiples of 64 bytes,
 * so that pieces of them lie across more lines of the L2 cache. */
struct crooked_rows {
    double a, b;
};

/* Of a type of elements: a launch; the second one, what it takes for a megabyte of sums and for
 * each part in turn; bytes that cross between memory and the device in a microsecond; what crooked
 * rows cost a step, and what they cost memory; whether squares are added, not fourth powers. */
struct type_times {
    double launch, adding, adding_megabyte, adding_part, memory_pace;
    crooked_rows step, memory;
    bool squares;
};

/* A launch as the model sees it. */
struct kind_sizes {
    int rows, cols, step, resident, sum_bytes;
};

/* ceil(a / b) for positive numbers */
static inline long long whole(long long a, long long b) {
    return (a + b - 1) / b;
}

/* Computing and memory's part, which work at once: the larger decides, sharply by fourth powers. */
static inline double joined(const type_times &type, double x, double y) {
    return type.squares ? sqrt(x * x + y * y) : sqrt(sqrt(x * x * x * x + y * y * y * y));
}

/* What k x n elements of so many bytes, and m x k, make of it. */
static inline double crooked(const crooked_rows &more, int n, int k, int element) {
    return 1 + ((long long)k * element % 64 ? more.a : 0) +
           ((long long)n * element % 64 ? more.b : 0);
}

/* Microseconds that the three matrices take to cross once. */
static inline double crossing_time(const type_times &type, int m, int n, int k, int element) {
    double elements = (double)m * k + (double)k * n + (double)m * n;
    return element * elements / type.memory_pace * crooked(type.memory, n, k, element);
}

static inline double round_time(const kind_times &times, double steps, double blocks) {
    if (blocks <= 0)
        return 0;
    return times.start + steps * fmax(times.latency, blocks * times.pace) + blocks * times.edge;
}

/* The time of a batch of products, elements of so many bytes, with tiles of this kind, k in `parts`
 * parts. */
static inline double parts_time(const type_times &type, const kind_times &times,
                                const kind_sizes &kind, int element, int m, int n, int k, int batch,
                                long long parts, int processors) {
    long long tiles = whole(m, kind.rows) * whole(n, kind.cols) * batch, blocks = tiles * parts;
    long long steps = whole(whole(k > 0 ? k : 1, kind.step), parts);
    long long at_once = (long long)kind.resident * processors, rounds = blocks / at_once;
    double last = (double)whole(blocks - rounds * at_once, processors);
    double slowly = (double)steps * crooked(type.step, n, k, element);
    double computing =
        (double)rounds * round_time(times, slowly, kind.resident) + round_time(times, slowly, last);
    double time =
        type.launch + joined(type, computing, batch * crossing_time(type, m, n, k, element));
    if (parts > 1)
        time +=
            type.adding + type.adding_part * (double)parts +
            type.adding_megabyte * (double)blocks * kind.rows * kind.cols * kind.sum_bytes * 1e-6;
    return time;
}

/* Blocks that stay, on Hopper (7_persistent, 8_stream_k, 9_tf32 and 10_by_size's small tiles): a
 * launch; a round of their largest tiles, and each element of k in it; fitted likewise. */
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

/* What 11_parts takes on a device of so many multiprocessors, with what it would choose. */
double wbk_gemm_parts_time_bf16(int m, int n, int k, int processors, int batch = 1);
double wbk_gemm_parts_time_tf32(int m, int n, int k, int processors);

/* The same of 18_wgmma_parts, of 16 bits and TF32; infinite where it is not to be taken. */
double wbk_gemm_wgmma_parts_time_sixteen(int m, int n, int k, int processors);
double wbk_gemm_wgmma_parts_time_tf32(int m, int n, int k, int processors);

/* Of 19_direct, of 16 bits; infinite where it is not to be taken. */
double wbk_gemm_direct_time(int m, int n, int k, int processors);

/* Where a batch's matrices lie: those of each product so many elements past those of the one
 * before, A's or B's 0: the same in all. */
struct batch_strides {
    long long a, b, c;
};
/* 11_parts for a batch of products. */
#define WBK_PARTS_BATCHED(type, suffix)                                                            \
    cudaError_t wbk_gemm_parts_batched_##suffix(const type *A, const type *B, type *C, int m,      \
                                                int n, int k, float alpha, float beta, int batch,  \
                                                const batch_strides &strides, cudaStream_t stream)
WBK_PARTS_BATCHED(wbk_bfloat16, bf16);
WBK_PARTS_BATCHED(wbk_half, fp16);
WBK_PARTS_BATCHED(float, tf32);

#endif
