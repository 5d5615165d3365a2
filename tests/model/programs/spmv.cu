// Sparse matrix (CSR) times vector: a thread a row, a warp a row; even and skewed rows.
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

template <class K> void sparse(one_case &c, K kernel, int per_block, bool skewed) {
    int rows = c.draw("rows", 20000, 80000), each = c.draw("each", 10, 70);
    std::vector<int> starts(rows + 1);
    for (int i = 0; i < rows; i++)
        starts[i + 1] = starts[i] + (skewed ? (mix(i) % 64 == 0 ? 24 * each : each / 2) : each);
    int n = starts[rows];
    auto first = make<int>(rows + 1, [&](size_t i) { return starts[i]; });
    auto column = make<int>(n, [&](size_t i) { return mix(i) % rows; });
    auto value = floats(n), x = floats(rows);
    float *y = room<float>(rows);
    c.time([&] { kernel<<<blocks(rows, per_block), 256>>>(first.gpu, column.gpu, value.gpu, x.gpu, y, rows); });
    c.check(y, rows, [&](size_t i) {
        double sum = 0;
        for (int k = starts[i]; k < starts[i + 1]; k++)
            sum += value.cpu[k] * x.cpu[column.cpu[k]];
        return sum;
    });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("spmv.scalar") sparse(c, scalar, 256, false);
    CASE("spmv.scalar_skewed") sparse(c, scalar, 256, true);
    CASE("spmv.warp") sparse(c, by_warp, 8, false);
    CASE("spmv.warp_skewed") sparse(c, by_warp, 8, true);
    return failed;
}
