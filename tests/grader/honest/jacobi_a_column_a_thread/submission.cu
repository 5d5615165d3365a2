// A thread a column, down all rows; the step is copied back each time. Right, and slow.
__global__ void step(const float *u, const float *f, float *v, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < 1 || c >= cols - 1)
        return;
    for (int r = 1; r < rows - 1; r++) {
        int i = r * cols + c;
        v[i] = (u[i - cols] + u[i + cols] + u[i - 1] + u[i + 1] + f[i]) / 4.0f;
    }
}
void solve(const float *start, const float *source, float *out, int rows, int cols, int steps) {
    size_t bytes = (size_t)rows * cols * sizeof(float);
    float *next;
    cudaMalloc(&next, bytes);
    cudaMemcpy(out, start, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(next, start, bytes, cudaMemcpyDeviceToDevice);
    for (int s = 0; s < steps; s++) {
        step<<<(cols + 127) / 128, 128>>>(out, source, next, rows, cols);
        cudaMemcpy(out, next, bytes, cudaMemcpyDeviceToDevice);
    }
    cudaFree(next);
}
