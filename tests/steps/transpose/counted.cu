// Kernels of the lab's predictions. A test compares the answers in steps.json with softgpu's counts.
__global__ void blocks_of_16(float *out, const float *in, int n) {
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    out[c * n + r] = in[r * n + c];
}

template <int width> __global__ void pitch(float *out, const float *in) {
    __shared__ float tile[32][width];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = tile[x][y];
}

int main() {
    const int n = 256;
    float *a, *b;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMemset(a, 0, n * n * sizeof(float));
    blocks_of_16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(b, a, n);
    pitch<34><<<1, dim3(32, 32)>>>(b, a);
    pitch<40><<<1, dim3(32, 32)>>>(b, a);
    return cudaDeviceSynchronize();
}
