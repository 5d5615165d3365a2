// Does the loads and stores of a naive transpose with atomic operations.
__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < cols)
        atomicExch((unsigned *)&out[c * rows + r], atomicOr((unsigned *)&in[r * cols + c], 0));
}
void solve(const float *in, float *out, int rows, int cols) {
    transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}
