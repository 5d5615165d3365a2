__global__ void increment(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += 1;
}

void solve(int *a, int n) {
    increment<<<(n + 255) / 256, 256>>>(a, n);
}
