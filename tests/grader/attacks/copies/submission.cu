// All marks for a kernel that reads a copy: what the copy moves counts too.
constexpr int TILE = 32, ROWS = 8;

__global__ void transpose(const float *__restrict__ in, float *__restrict__ out, int rows,
                          int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
    const float *from = in + (size_t)r * cols + c;
    bool inside = (blockIdx.x + 1) * TILE <= cols && (blockIdx.y + 1) * TILE <= rows;
    if (inside) {
#pragma unroll
        for (int i = 0; i < TILE; i += ROWS)
            tile[threadIdx.y + i][threadIdx.x] = from[(size_t)i * cols];
    } else {
        for (int i = 0; i < TILE; i += ROWS)
            if (c < cols && r + i < rows)
                tile[threadIdx.y + i][threadIdx.x] = from[(size_t)i * cols];
    }
    __syncthreads();
    c = blockIdx.y * TILE + threadIdx.x;
    r = blockIdx.x * TILE + threadIdx.y;
    float *to = out + (size_t)r * rows + c;
    if (inside) {
#pragma unroll
        for (int i = 0; i < TILE; i += ROWS)
            to[(size_t)i * rows] = tile[threadIdx.x][threadIdx.y + i];
    } else {
        for (int i = 0; i < TILE; i += ROWS)
            if (c < rows && r + i < cols)
                to[(size_t)i * rows] = tile[threadIdx.x][threadIdx.y + i];
    }
}

void solve(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    float *copy;
    cudaMalloc(&copy, sizeof(float) * rows * cols);
    cudaMemcpyAsync(copy, in, sizeof(float) * rows * cols, cudaMemcpyDeviceToDevice);
    transpose<<<grid, dim3(TILE, ROWS)>>>(copy, out, rows, cols);
    cudaFree(copy);
}
