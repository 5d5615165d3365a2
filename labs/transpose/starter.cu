// Lab: transpose a matrix.
//
//   in   rows x cols, row-major:  element (r, c) is in[r * cols + c]
//   out  cols x rows, row-major:  element (c, r) is out[c * rows + r]
//
// This starter compiles and writes something, but no transpose yet. Make it right first, then fast:
// README.md says what is measured.

__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = in[r * cols + c];
}

void solve(const float *in, float *out, int rows, int cols) {
    dim3 block(32, 8);
    dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    transpose<<<grid, block>>>(in, out, rows, cols);
}
