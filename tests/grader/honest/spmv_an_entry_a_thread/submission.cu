// An entry a thread: its row by bisection, the sum by an atomic. Right, and slow.
__device__ int row_of(const int *starts, int rows, int entry) {
    int low = 0, high = rows;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (starts[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}
__global__ void add_entries(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int entries) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries)
        atomicAdd(&y[row_of(starts, rows, i)], values[i] * x[columns[i]]);
}
void solve(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols, int entries) {
    cudaMemsetAsync(y, 0, rows * sizeof(float));
    if (entries > 0)
        add_entries<<<(entries + 255) / 256, 256>>>(starts, columns, values, x, y, rows, entries);
}
