// A template for tiles, with helpers.
template <typename T> struct Matrix {
    T *data;
    int rows, cols;
    __host__ __device__ bool has(int r, int c) const { return r < rows && c < cols; }
    __device__ T &operator()(int r, int c) const { return data[static_cast<size_t>(r) * cols + c]; }
};
template <int TILE, int ROWS, typename T> __global__ void transposeKernel(Matrix<const T> in, Matrix<T> out) {
    __shared__ T tile[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (in.has(r + i, c))
            tile[threadIdx.y + i][threadIdx.x] = in(r + i, c);
    __syncthreads();
    c = blockIdx.y * TILE + threadIdx.x, r = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (out.has(r + i, c))
            out(r + i, c) = tile[threadIdx.x][threadIdx.y + i];
}
static int ceilDiv(int a, int b) { return (a + b - 1) / b; }
void solve(const float *in, float *out, int rows, int cols) {
    constexpr int TILE = 32, ROWS = 8;
    dim3 grid(ceilDiv(cols, TILE), ceilDiv(rows, TILE)), block(TILE, ROWS);
    transposeKernel<TILE, ROWS, float><<<grid, block>>>({in, rows, cols}, {out, cols, rows});
}
