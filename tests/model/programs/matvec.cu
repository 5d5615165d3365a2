// Matrix times vector: a thread, a warp, a block a row; and columns.
#include "timed.h"
using namespace timed;

__global__ void thread_a_row(const float *m, const float *x, float *y, int rows, int columns) {
    int row = INDEX;
    float sum = 0;
    if (row >= rows)
        return;
    for (int k = 0; k < columns; k++)
        sum += m[(size_t)row * columns + k] * x[k];
    y[row] = sum;
}

__global__ void warp_a_row(const float *m, const float *x, float *y, int rows, int columns) {
    int row = INDEX / 32, lane = threadIdx.x % 32;
    float sum = 0;
    if (row >= rows)
        return;
    for (int k = lane; k < columns; k += 32)
        sum += m[(size_t)row * columns + k] * x[k];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

__global__ void block_a_row(const float *m, const float *x, float *y, int rows, int columns) {
    __shared__ float t[256];
    float sum = 0;
    for (int k = threadIdx.x; k < columns; k += 256)
        sum += m[(size_t)blockIdx.x * columns + k] * x[k];
    t[threadIdx.x] = sum;
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            t[threadIdx.x] += t[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = t[0];
}

__global__ void columns_first(const float *m, const float *x, float *y, int rows, int columns) {
    int row = INDEX;
    float sum = 0;
    if (row >= rows)
        return;
    for (int k = 0; k < columns; k++)
        sum += m[(size_t)k * rows + row] * x[k];
    y[row] = sum;
}

template <class K> void product(one_case &c, K kernel, int per_block, unsigned threads, bool turned = false) {
    int rows = c.draw("rows", 1000, 6000), columns = c.draw("columns", 1000, 2500);
    auto m = floats((size_t)rows * columns), x = floats(columns);
    float *y = room<float>(rows);
    c.time([&] { kernel<<<blocks(rows, per_block), threads>>>(m.gpu, x.gpu, y, rows, columns); });
    c.check(y, rows, [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < columns; k++)
            sum += m.cpu[turned ? (size_t)k * rows + i : i * columns + k] * x.cpu[k];
        return sum;
    });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("matvec.thread_a_row") product(c, thread_a_row, 128, 128);
    CASE("matvec.warp_a_row") product(c, warp_a_row, 8, 256);
    CASE("matvec.block_a_row") product(c, block_a_row, 1, 256);
    CASE("matvec.columns") product(c, columns_first, 64, 64, true);
    return failed;
}
