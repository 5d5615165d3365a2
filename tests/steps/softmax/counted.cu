// Kernels of the lab's predictions. A test compares the answers in steps.json with softgpu's counts and this output.
#include <cmath>
#include <cstdio>

__global__ void rows_of_four(float *out, const float *in) {
    out[threadIdx.x] = in[threadIdx.x * 4];
}

// Counts the lanes that reach the second turn of the loop.
__global__ void turns(int *lanes) {
    for (int c = threadIdx.x, turn = 1; c < 40; c += 32, turn++) {
        unsigned here = __activemask();
        if (turn == 2 && threadIdx.x == 0) *lanes = __popc(here);
    }
}

__global__ void keep(int *most) {
    int kept = 0;
    for (int c = threadIdx.x; c < 2000; c += 256) kept++;
    atomicMax(most, kept);
}

// Updates the sum of exp(x - largest) when a larger number comes.
__global__ void larger_comes(float *sum) {
    float most = 10, mine = 6, x = 10 + logf(4), larger = fmaxf(most, x);
    *sum = mine * expf(most - larger) + expf(x - larger);
}

__global__ void all_alike(float *sum) {
    float mine = 0, most = 300;
    for (int c = 0; c < 500; c++) mine += expf(300 - most);
    *sum = mine;
}

__global__ void largest_exp(int *x) {
    int k = 0;
    while (!isinf(expf(k + 1))) k++;
    *x = k;
}

int main() {
    float *out, *in, *sums;
    int *counts;
    cudaMallocManaged(&out, 32 * sizeof(float));
    cudaMallocManaged(&in, 128 * sizeof(float));
    cudaMallocManaged(&sums, 2 * sizeof(float));
    cudaMallocManaged(&counts, 3 * sizeof(int));
    cudaMemset(in, 0, 128 * sizeof(float));
    rows_of_four<<<1, 32>>>(out, in);
    turns<<<1, 32>>>(&counts[0]);
    keep<<<1, 256>>>(&counts[1]);
    largest_exp<<<1, 1>>>(&counts[2]);
    larger_comes<<<1, 1>>>(&sums[0]);
    all_alike<<<1, 1>>>(&sums[1]);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("second_turn %d\nkept %d\nlargest_exp %d\n", counts[0], counts[1], counts[2]);
    printf("larger_comes %.3g\nall_alike %g\n", sums[0], sums[1]);
    return 0;
}
