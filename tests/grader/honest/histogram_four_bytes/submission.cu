// Words of four bytes; what is left over one by one. Arrays from cudaMalloc lie on 256 bytes.
__device__ __forceinline__ void count(unsigned *local, unsigned word) {
    atomicAdd(local + (word & 255), 1u);
    atomicAdd(local + (word >> 8 & 255), 1u);
    atomicAdd(local + (word >> 16 & 255), 1u);
    atomicAdd(local + (word >> 24), 1u);
}
__global__ void hist4(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    const unsigned *words = reinterpret_cast<const unsigned *>(data);
    int n4 = n / 4, id = blockIdx.x * 256 + threadIdx.x;
    for (int i = id; i < n4; i += gridDim.x * 256)
        count(local, words[i]);
    if (id < n - 4 * n4)
        atomicAdd(local + data[4 * n4 + id], 1u);
    __syncthreads();
    atomicAdd(bins + threadIdx.x, local[threadIdx.x]);
}
void solve(const unsigned char *data, int *bins, int n) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(int));
    hist4<<<528, 256>>>(data, (unsigned *)bins, n);
}
