// Sparse matrix (CSR) times vector: a thread a row, eight lanes, a warp a row; even rows, skewed ones, and ones whose
// lengths are spread as distances between random numbers are, times a vector that L1 keeps.
#include "timed.h"
using namespace timed;

__global__ void scalar(const int *first, const int *column, const float *value, const float *x, float *y, int rows) {
    int row = INDEX;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

__global__ void by_warp(const int *first, const int *column, const float *value, const float *x, float *y, int rows) {
    int row = INDEX / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = first[row] + lane; k < first[row + 1]; k += 32)
        sum += value[k] * x[column[k]];
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

__global__ void by_eight(const int *first, const int *column, const float *value, const float *x, float *y, int rows) {
    int row = INDEX / 8, lane = threadIdx.x % 8;
    float sum = 0;
    if (row < rows)
        for (int k = first[row] + lane; k < first[row + 1]; k += 8)
            sum += value[k] * x[column[k]];
    for (int d = 4; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (row < rows && lane == 0)
        y[row] = sum;
}

struct matrix {
    array<int> first, column;
    array<float> value, x;
    int rows;
};

template <class K> void times(one_case &c, K kernel, int per_block, int threads, const matrix &m) {
    float *y = room<float>(m.rows);
    c.time([&] { kernel<<<blocks(m.rows, per_block), threads>>>(m.first.gpu, m.column.gpu, m.value.gpu, m.x.gpu, y, m.rows); });
    c.check(y, m.rows, [&](size_t i) {
        double sum = 0;
        for (int k = m.first.cpu[i]; k < m.first.cpu[i + 1]; k++)
            sum += m.value.cpu[k] * m.x.cpu[m.column.cpu[k]];
        return sum;
    });
}

template <class L> matrix rows_of(int rows, int columns, L length) {
    std::vector<int> starts(rows + 1);
    for (int i = 0; i < rows; i++)
        starts[i + 1] = starts[i] + length(i);
    int n = starts[rows];
    return {make<int>(rows + 1, [&](size_t i) { return starts[i]; }), make<int>(n, [&](size_t i) { return mix(i) % columns; }),
            floats(n), floats(columns), rows};
}

template <class K> void sparse(one_case &c, K kernel, int per_block, bool skewed) {
    int rows = c.draw("rows", 20000, 80000), each = c.draw("each", 10, 70);
    times(c, kernel, per_block, 256, rows_of(rows, rows, [=](int i) { return skewed ? (mix(i) % 64 == 0 ? 24 * each : each / 2) : each; }));
}

template <class K> void spread(one_case &c, K kernel, int per_block) {
    int rows = c.draw("rows", 20000, 40000), each = c.draw("each", 60, 140), columns = c.draw("columns", 2000, 6000);
    times(c, kernel, per_block, 128, rows_of(rows, columns, [=](int i) { return (int)(-each * std::log(1 - unit(i))); }));
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("spmv.scalar") sparse(c, scalar, 256, false);
    CASE("spmv.scalar_skewed") sparse(c, scalar, 256, true);
    CASE("spmv.warp") sparse(c, by_warp, 8, false);
    CASE("spmv.warp_skewed") sparse(c, by_warp, 8, true);
    CASE("spmv.scalar_spread") spread(c, scalar, 128);
    CASE("spmv.eight_spread") spread(c, by_eight, 16);
    return failed;
}
