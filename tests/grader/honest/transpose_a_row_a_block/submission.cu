// Reads along rows, writes down columns: right, and slow.
__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int r = blockIdx.x;
    const float *row = in + (long long)r * cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[(long long)c * rows + r] = row[c];
}
void solve(const float *in, float *out, int rows, int cols) {
    transpose<<<rows, 128>>>(in, out, rows, cols);
    if (cudaGetLastError() != cudaSuccess)
        printf("launch failed\n");
}
