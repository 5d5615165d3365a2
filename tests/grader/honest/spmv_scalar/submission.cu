// CSR, a thread a row, with a loop over the grid.
__global__ void spmv_csr(int n, const int *ptr, const int *idx, const float *val, const float *x, float *y) {
    for (int row = blockDim.x * blockIdx.x + threadIdx.x; row < n; row += blockDim.x * gridDim.x) {
        float dot = 0.0f;
        int begin = ptr[row], end = ptr[row + 1];
        for (int j = begin; j < end; j++)
            dot += val[j] * x[idx[j]];
        y[row] = dot;
    }
}
void solve(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols, int entries) {
    spmv_csr<<<264, 128>>>(rows, starts, columns, values, x, y);
}
