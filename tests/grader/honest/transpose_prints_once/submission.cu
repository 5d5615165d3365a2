// A right transpose, and a line that was for finding a mistake and has stayed.
#include <cstdio>
constexpr int TILE = 32, ROWS = 8;

__global__ void transpose(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (c < cols && r + i < rows)
            tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(r + i) * cols + c];
    __syncthreads();
    c = blockIdx.y * TILE + threadIdx.x;
    r = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (c < rows && r + i < cols)
            out[(size_t)(r + i) * rows + c] = tile[threadIdx.x][threadIdx.y + i];
    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0)
        printf("here is out[0]: %f\n", out[0]);
}

void solve(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<grid, dim3(TILE, ROWS)>>>(in, out, rows, cols);
}
