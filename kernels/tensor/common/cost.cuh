/* cost.cuh: how long 11_parts takes with tiles of a kind and k in so many parts, in microseconds;
 * what is fastest is then calculated, as in gemm/cost.cuh, whose page says what the terms are:
 *
 *     round(j) = start + T max(latency, j pace) + j edge
 *
 * for j blocks on a multiprocessor and T steps; rounds follow one another, while memory moves each
 * matrix once; the fourth root of the sum of fourth powers joins the two. Then a launch, and where
 * k is in several parts a second one that adds them up.
 *
 * Fitted to two thirds of 450 (bf16), 400 (TF32, double) random shapes (8 to 16384 a side,
 * log-uniform, rows of multiples of 16 bytes) on an H200, cold L2, every kind with several numbers
 * of parts; on the other third the median error is 5.2, 4.7 and 4.7 %, nine of ten within 17, 13
 * and 13 %, of the blocks that stay 8 and 7 % (27, 18). What is chosen takes 2 % longer there than
 * the fastest of all (geometric mean), one in twenty 10 to 12 % or more. */
#ifndef WARPBOOK_TENSOR_COST_CUH
#define WARPBOOK_TENSOR_COST_CUH

#include <math.h>

#include "warpbook.h"

/* The model's four times of a kind of tiles, in microseconds. */
struct kind_times {
    double latency, pace, edge, start;
};

/* Of a type of elements: a launch; the second one, what it takes for a megabyte of sums and for
 * each part in turn; bytes that cross between memory and the device in a microsecond. */
struct type_times {
    double launch, adding, adding_megabyte, adding_part, memory_pace;
};

/* A launch as the model sees it. */
struct kind_sizes {
    int rows, cols, step, resident, sum_bytes;
};

/* ceil(a / b) for positive numbers */
static inline long long whole(long long a, long long b) {
    return (a + b - 1) / b;
}

static inline double fourth_root_of_sum(double x, double y) {
    return sqrt(sqrt(x * x * x * x + y * y * y * y));
}

/* Microseconds that the three matrices take to cross once. */
static inline double crossing_time(const type_times &type, double m, double n, double k,
                                   double element) {
    return element * (m * k + k * n + m * n) / type.memory_pace;
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
    double computing = (double)rounds * round_time(times, (double)steps, kind.resident) +
                       round_time(times, (double)steps, last);
    double time =
        type.launch + fourth_root_of_sum(computing, batch * crossing_time(type, m, n, k, element));
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
};
static inline double stay_time(const stay_times &times, const type_times &type, double rounds,
                               int m, int n, int k, int element, int batch = 1) {
    return times.launch + fourth_root_of_sum(rounds * (times.round + k * times.depth),
                                             batch * crossing_time(type, m, n, k, element));
}

/* What 11_parts takes on a device of so many multiprocessors, with what it would choose. */
double wbk_gemm_parts_time_bf16(int m, int n, int k, int processors, int batch = 1);
double wbk_gemm_parts_time_tf32(int m, int n, int k, int processors);

/* The same of 18_wgmma_parts, of 16 bits and TF32; infinite where it is not to be taken. */
double wbk_gemm_wgmma_parts_time_sixteen(int m, int n, int k, int processors);
double wbk_gemm_wgmma_parts_time_tf32(int m, int n, int k, int processors);

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
