// Rows: a warp each, neighbouring threads on neighbouring elements, joined by shuffles. Columns:
// neighbouring threads on neighbouring columns; the rows are cut into pieces, so that a tall matrix
// keeps a whole device busy, and the pieces are added by a second, small kernel.
constexpr int WARPS = 8, PIECE = 64;

__global__ void sum_rows(const float *__restrict__ m, float *sums, int rows, int cols) {
    int r = blockIdx.x * WARPS + threadIdx.y;
    if (r >= rows)
        return;
    const float *row = m + (size_t)r * cols;
    float sum = 0;
#pragma unroll 8
    for (int c = threadIdx.x; c < cols; c += 32)
        sum += row[c];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        sums[r] = sum;
}

__global__ void sum_pieces(const float *__restrict__ m, float *pieces, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * PIECE;
    if (c >= cols)
        return;
    int n = min(PIECE, rows - first);
    const float *at = m + (size_t)first * cols + c;
    float sum = 0;
#pragma unroll 8
    for (int i = 0; i < n; i++, at += cols)
        sum += *at;
    pieces[(size_t)blockIdx.y * cols + c] = sum;
}

__global__ void add_pieces(const float *__restrict__ pieces, float *sums, int n, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += pieces[(size_t)i * cols + c];
    sums[c] = sum;
}

void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    sum_rows<<<(rows + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(m, row_sums, rows, cols);
    int n = (rows + PIECE - 1) / PIECE;
    dim3 grid((cols + 127) / 128, n);
    float *pieces;
    cudaMalloc(&pieces, (size_t)n * cols * sizeof *pieces);
    sum_pieces<<<grid, 128>>>(m, pieces, rows, cols);
    add_pieces<<<(cols + 127) / 128, 128>>>(pieces, col_sums, n, cols);
    cudaFree(pieces);
}
