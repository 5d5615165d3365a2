// Kernels of the lab's predictions. A test compares the answers in steps.json with softgpu's counts and this output.
#include <cstdio>

__global__ void nodes_apart(float *out) {
    __shared__ float node[256];
    for (int w = threadIdx.x; w < 256; w += 32) node[w] = w;
    __syncwarp();
    out[threadIdx.x] = node[8 * threadIdx.x + 7];
}

__global__ void from_below(float *out) {
    float v = 10.0f * threadIdx.x;
    out[threadIdx.x] = __shfl_up_sync(0xffffffff, v, 4);
}

// Counts the chunks of 2048 that leave a sum in the first launch, and so the blocks that the host needs.
__global__ void leave_a_sum(int *sums, int n) {
    int here = n - blockIdx.x * 2048;
    if (threadIdx.x == 0 && here > 0) atomicAdd(sums, 1);
}

int main() {
    float *out;
    int *sums, doublings = 0, additions = 0, in[5] = {3, 1, 4, 1, 5}, before = 0;
    cudaMallocManaged(&out, 32 * sizeof(float));
    cudaMallocManaged(&sums, sizeof(int));
    nodes_apart<<<1, 32>>>(out);
    from_below<<<1, 32>>>(out);
    leave_a_sum<<<600, 32>>>(sums, 1000000); // more blocks than needed; only those with elements count
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (long reach = 1; reach < 100000; reach *= 2) doublings++;
    for (int step = 1; step < 8; step *= 2)
        for (int i = 0; i < 8; i++) additions += i >= step;
    for (int i = 0; i < 3; i++) before += in[i];
    printf("doublings %d\nadditions %d\nbefore %d\nfrom_below %g\nchunks %d\n", doublings, additions, before, out[2], *sums);
    return 0;
}
