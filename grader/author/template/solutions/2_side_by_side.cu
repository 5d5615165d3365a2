// Neighbouring threads read neighbouring elements.
__global__ void axpy(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

void solve(const float *x, float *y, float a, int n) {
    axpy<<<(n + 255) / 256, 256>>>(x, y, a, n);
}
