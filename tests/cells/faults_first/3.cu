#include <cassert>
#include <cstdlib>
#include <unistd.h>
__global__ void twice(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = 2 * i;
}
int main() {
    const int n = 1000;
    int *d, h[n];
    cudaMalloc(&d, sizeof h);
    twice<<<4, 256>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    throw 1;
}
