// says: those that lie above it
__constant__ float weight[5];                                        // the check fills it in

__global__ void walk_down(const float *in, float *out, int rows, int cols) {   // a thread a column, and 32 of its rows
    int c = blockIdx.x * blockDim.x + threadIdx.x, top = blockIdx.y * 32;
    if (c >= cols) return;
    float near[5];                                                   // rows r - 2 to r + 2 of this column
    for (int k = 0; k < 4; k++) {
        int y = top - 2 + k;
        near[k + 1] = top == 0 && y >= 0 ? in[y * cols + c] : 0;
    }
#pragma unroll 4
    for (int r = top; r < top + 32 && r < rows; r++) {
        for (int k = 0; k < 4; k++) near[k] = near[k + 1];
        near[4] = r + 2 < rows ? in[(r + 2) * cols + c] : 0;
        float sum = 0;
        for (int k = 0; k < 5; k++) sum += weight[k] * near[k];
        out[r * cols + c] = sum;
    }
}
