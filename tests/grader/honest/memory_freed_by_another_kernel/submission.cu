// A launch allocates a row's buffer, and a later one frees it.
__device__ char *kept;

__global__ void take() {
    kept = (char *)malloc(1000);
}

__global__ void give() {
    free(kept);
}

__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}

void solve(const float *in, float *out, int rows, int cols) {
    take<<<1, 1>>>();
    transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
    give<<<1, 1>>>();
}
