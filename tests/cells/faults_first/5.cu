#include <cassert>
#include <csignal>
#include <cstdlib>
#include <unistd.h>
__global__ void twice(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = 2 * i;
}
int run() {
    int *d, h[1000];
    cudaMalloc(&d, sizeof h);
    twice<<<4, 256>>>(d, 1000);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    return h[0];
}
