// A tile in shared memory: both sides run along rows. Reading a column of the tile puts all threads
// of a warp onto one bank.
constexpr int TILE = 32, ROWS = 8;

__global__ void transpose(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE];
    int c = blockIdx.x * TILE + threadIdx.x;
    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int r = blockIdx.y * TILE + i;
        if (r < rows && c < cols)
            tile[i][threadIdx.x] = in[r * cols + c];
    }
    __syncthreads();
    int r = blockIdx.y * TILE + threadIdx.x;
    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int k = blockIdx.x * TILE + i;
        if (k < cols && r < rows)
            out[k * rows + r] = tile[threadIdx.x][i];
    }
}

void solve(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<grid, dim3(TILE, ROWS)>>>(in, out, rows, cols);
}
