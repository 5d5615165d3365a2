// Each thread keeps a block that nobody frees. Another one is freed.
__device__ char *kept[64];

__global__ void take() {
    kept[32 + threadIdx.x] = (char *)malloc(8);
    kept[threadIdx.x] = (char *)malloc(1000);
    free(kept[32 + threadIdx.x]);
}

__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}

void solve(const float *in, float *out, int rows, int cols) {
    take<<<1, 32>>>();
    transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}
