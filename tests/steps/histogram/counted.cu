// Kernels of the lab's predictions. A test compares the answers in steps.json with softgpu's counts and this output.
#include <cstdio>

__global__ void raise(int *bins) {
    bins[7] = bins[7] + 1; // one warp: all lanes read, then all write
}

__global__ void longest_line(int *bins, const unsigned char *text) {
    atomicAdd(&bins[text[threadIdx.x]], 1);
}

__global__ void brought_home(int *bins, const unsigned char *text, int n) {
    __shared__ int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&mine[text[i]], 1);
    __syncthreads();
    if (mine[threadIdx.x] > 0) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void every_eighth(int *bins) {
    __shared__ int mine[256];
    for (int v = threadIdx.x; v < 256; v += 32) mine[v] = 0;
    __syncwarp();
    atomicAdd(&mine[threadIdx.x * 8], 1);
    __syncwarp();
    bins[threadIdx.x] = mine[threadIdx.x * 8];
}

__global__ void copy_a_lane(int *bins, int v) {
    __shared__ int mine[32 * 64];
    for (int w = threadIdx.x; w < 32 * 64; w += 32) mine[w] = 0;
    __syncwarp();
    atomicAdd(&mine[threadIdx.x * 64 + v], 1);
    __syncwarp();
    bins[threadIdx.x] = mine[threadIdx.x * 64 + v];
}

__global__ void wide_loads(int *bins, const uint4 *in, int n) {
    unsigned all = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 16; i += gridDim.x * 256) {
        uint4 q = in[i];
        all |= q.x | q.y | q.z | q.w;
    }
    if (all == 1) bins[0] = 1; // never true, but it keeps the loads
}

int main() {
    const int n = 1 << 20;
    unsigned char *text;
    int *bins;
    cudaMallocManaged(&text, n);
    cudaMallocManaged(&bins, 256 * sizeof(int));
    cudaMemset(bins, 0, 256 * sizeof(int));
    raise<<<1, 32>>>(bins);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("raised %d\n", bins[7]);
    for (int i = 0; i < 32; i++) text[i] = i < 8 ? 'a' : i < 20 ? 'b' : 'c' + i - 20;
    longest_line<<<1, 32>>>(bins, text);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < n; i++) text[i] = 'a' + i % 26;
    brought_home<<<40, 256>>>(bins, text, n);
    every_eighth<<<1, 32>>>(bins);
    copy_a_lane<<<1, 32>>>(bins, 5);
    cudaDeviceSynchronize();
    cudaMemset(text, 0, n);
    wide_loads<<<64, 256>>>(bins, (const uint4 *)text, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
