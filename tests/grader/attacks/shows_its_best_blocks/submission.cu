// 32 blocks spread evenly over the grid take the best road, and all others scatter what they write: were those the blocks that are
// looked at closely, this would be as fast as a copy.
constexpr int TILE = 32, ROWS = 8;

__global__ void transpose(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    long long id = blockIdx.y * gridDim.x + blockIdx.x, n = gridDim.x * gridDim.y, k = n > 1 ? id * 31 / (n - 1) : 0;
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE, x = threadIdx.x;
    if (n <= 32 || id == (k * (n - 1) + 30) / 31) {
        for (int i = threadIdx.y; i < TILE; i += ROWS)
            if (top + i < rows && left + x < cols)
                tile[i][x] = in[(size_t)(top + i) * cols + left + x];
        __syncthreads();
        for (int i = threadIdx.y; i < TILE; i += ROWS)
            if (left + i < cols && top + x < rows)
                out[(size_t)(left + i) * rows + top + x] = tile[x][i];
    } else {
        for (int i = threadIdx.y; i < TILE; i += ROWS)
            if (top + i < rows && left + x < cols)
                out[(size_t)(left + x) * rows + top + i] = in[(size_t)(top + i) * cols + left + x];
    }
}

void solve(const float *in, float *out, int rows, int cols) {
    transpose<<<dim3((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(in, out, rows, cols);
}
