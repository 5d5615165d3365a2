// Several copies of the bins a block, as many as the launch makes room for.
extern __shared__ int copies[];
__global__ void hist(const uchar4 *data, const unsigned char *rest, int *bins, int n4, int n_rest, int n_copies) {
    for (int i = threadIdx.x; i < 256 * n_copies; i += blockDim.x)
        copies[i] = 0;
    __syncthreads();
    int *mine = copies + 256 * (threadIdx.x / 32 % n_copies);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
        uchar4 d = data[i];
        atomicAdd(mine + d.x, 1);
        atomicAdd(mine + d.y, 1);
        atomicAdd(mine + d.z, 1);
        atomicAdd(mine + d.w, 1);
    }
    if (blockIdx.x == 0 && threadIdx.x < n_rest)
        atomicAdd(mine + rest[threadIdx.x], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        int sum = 0;
        for (int k = 0; k < n_copies; k++)
            sum += copies[256 * k + b];
        atomicAdd(bins + b, sum);
    }
}
void solve(const unsigned char *data, int *bins, int n) {
    const int n_copies = 8;
    cudaMemset(bins, 0, 256 * sizeof *bins);
    hist<<<264, 512, n_copies * 256 * sizeof(int)>>>((const uchar4 *)data, data + n / 4 * 4, bins, n / 4, n % 4, n_copies);
}
