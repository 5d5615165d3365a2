__global__ void scale_columns(float *m, const float *by, int rows, int cols) {
    int number = threadIdx.x + blockDim.x * threadIdx.y;   // 0 to 255; a warp is 32 of them in a row
    int c = blockIdx.x * 32 + number % 32, r = blockIdx.y * 8 + number / 32;
    if (r < rows && c < cols) m[(size_t)r * cols + c] *= by[c];
}
