__global__ void scan(const int *in, int *out, int n) {
    __shared__ int s[1024];
    int i = blockIdx.x * 1024 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    for (int d = 1; d < 1024; d *= 2) {
        __syncthreads();
        int before = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += before;
    }
    if (i < n)
        out[i] = s[threadIdx.x];
}

void solve(const int *in, int *out, int n) {
    if (n > 0)
        scan<<<(n + 1023) / 1024, 1024>>>(in, out, n);
}
