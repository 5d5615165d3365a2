// Kernels of the lab's predictions. A test compares the answers in steps.json with softgpu's counts.
__global__ void near_double(double *a) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    a[i] += 1;
}

__global__ void far(float *a) {
    int i = blockIdx.x + blockDim.x * threadIdx.x;
    a[i] += 1;
}

template <int shift> __global__ void offset(float *out, const float *in) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i] = in[i + shift];
}

__global__ void reversed(float *out, const float *in) {
    int i = threadIdx.x + blockIdx.x * blockDim.x, j = i / 32 * 32 + 31 - i % 32;
    out[i] = in[j];
}

template <int step> __global__ void stride(float *out, const float *in) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i] = in[i * step];
}

int main() {
    const int n = 1024 * 32;
    double *d;
    float *a, *b;
    cudaMalloc(&d, n * sizeof(double));
    cudaMalloc(&a, 32 * n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemset(d, 0, n * sizeof(double));
    cudaMemset(a, 0, 32 * n * sizeof(float));
    near_double<<<32, 1024>>>(d);
    far<<<32, 1024>>>(a);
    offset<3><<<32, 256>>>(b, a);
    reversed<<<32, 256>>>(b, a);
    stride<3><<<32, 256>>>(b, a);
    return cudaDeviceSynchronize();
}
