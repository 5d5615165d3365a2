// says: Did it take another row's?
__global__ void side_by_side(const int *columns, const float *values, const float *x, float *y, int rows, int longest) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = 0; k < longest; k++) {
        int at = k * longest + r;                                               // where entry k of row r lies
        if (columns[at] >= 0) sum += values[at] * x[columns[at]];                                    // a place without an entry has the column -1
    }
    y[r] = sum;
}
