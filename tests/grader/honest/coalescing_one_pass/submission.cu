// Reads the matrix once: tiles of 32 x 32, both sums by atomics.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void clear(float *a, int n, float *b, int k) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n || i < k; i += gridDim.x * blockDim.x) {
        if (i < n)
            a[i] = 0;
        if (i < k)
            b[i] = 0;
    }
}
__global__ void both(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    __shared__ float of_cols[8][32];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int c = blockIdx.x * 32 + threadIdx.x;
    float down = 0;
    for (int k = 0; k < 32; k++) {
        int r = blockIdx.y * 256 + k * 8 + threadIdx.y;
        float x = r < rows && c < cols ? m[r * cols + c] : 0;
        down += x;
        for (int d = warp.size() / 2; d > 0; d /= 2)
            x += warp.shfl_down(x, d);
        if (warp.thread_rank() == 0 && r < rows)
            atomicAdd(row_sums + r, x);
    }
    of_cols[threadIdx.y][threadIdx.x] = down;
    __syncthreads();
    if (threadIdx.y == 0 && c < cols) {
        float x = 0;
        for (int k = 0; k < 8; k++)
            x += of_cols[k][threadIdx.x];
        atomicAdd(col_sums + c, x);
    }
}
void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    clear<<<8, 256>>>(row_sums, rows, col_sums, cols);
    both<<<dim3((cols + 31) / 32, (rows + 255) / 256), dim3(32, 8)>>>(m, row_sums, col_sums, rows, cols);
}
