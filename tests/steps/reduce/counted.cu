// Kernels of the lab's predictions. A test compares the answers in steps.json with softgpu's counts and this output.
#include <cstdio>

__global__ void read_once(float *out, const float *in, int n) {
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
    if (mine < 0) out[0] = mine; // never true, but it keeps the loads
}

// Counts the warps with an active lane in the third step of a tree whose stride doubles.
__global__ void third_step(int *warps) {
    bool works = threadIdx.x % 8 == 0;
    unsigned together = __ballot_sync(0xffffffff, works);
    if (threadIdx.x % 32 == 0 && together) atomicAdd(warps, 1);
}

__global__ void meet(float *sum, const float *in, int n) {
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffff, mine, d);
    __shared__ float s[8];
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]);
}

int main() {
    const int n = 1000000;
    float *a, *b;
    int *warps, depth = 0;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, sizeof(float));
    cudaMallocManaged(&warps, sizeof(int));
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(b, 0, sizeof(float));
    read_once<<<64, 256>>>(b, a, n);
    third_step<<<1, 256>>>(warps);
    meet<<<64, 256>>>(b, a, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int stride = 1024 / 2; stride > 0; stride /= 2) depth++;
    float ones = 0;
    for (int i = 0; i < 1 << 25; i++) ones += 1;
    printf("depth %d\nwarps %d\nones %.0f\n", depth, *warps, ones);
    return 0;
}
