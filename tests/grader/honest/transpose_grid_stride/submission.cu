// A thread an element in a loop over all of them, as in the first lecture.
__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int n = rows * cols;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int r = i / cols, c = i % cols;
        out[c * rows + r] = in[i];
    }
}
void solve(const float *in, float *out, int rows, int cols) {
    int blocks = (rows * cols + 255) / 256;
    transpose<<<blocks < 2048 ? blocks : 2048, 256>>>(in, out, rows, cols);
}
