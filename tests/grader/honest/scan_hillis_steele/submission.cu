// Hillis and Steele in blocks of 512, the blocks' sums by the same function again.
enum { B = 512 };
__global__ void scan_block(const int *in, int *out, int *sums, int n) {
    __shared__ int s[2][B];
    int i = blockIdx.x * B + threadIdx.x, from = 0;
    s[0][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int x = s[from][threadIdx.x];
        if (threadIdx.x >= d)
            x += s[from][threadIdx.x - d];
        from = 1 - from;
        s[from][threadIdx.x] = x;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[from][threadIdx.x];
    if (sums && threadIdx.x == B - 1)
        sums[blockIdx.x] = s[from][B - 1];
}
__global__ void add_before(int *out, const int *sums, int n) {
    int i = blockIdx.x * B + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}
static void scan(const int *in, int *out, int n) {
    int blocks = (n + B - 1) / B;
    if (blocks <= 1) {
        scan_block<<<1, B>>>(in, out, nullptr, n);
        return;
    }
    int *sums, *scanned;
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMalloc(&scanned, blocks * sizeof(int));
    scan_block<<<blocks, B>>>(in, out, sums, n);
    scan(sums, scanned, blocks);
    add_before<<<blocks, B>>>(out, scanned, n);
    cudaFree(sums);
    cudaFree(scanned);
}
void solve(const int *in, int *out, int n) {
    if (n > 0)
        scan(in, out, n);
}
