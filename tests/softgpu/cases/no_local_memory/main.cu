// Blocks that wait for the last one hold half a gigabyte of local memory each, and the process may have one: a warp that can't
// begin is told of, by its kernel's name, and the process goes on.
#include <cstdio>
#include <sys/resource.h>

__device__ volatile int go;

__global__ void hog(float *out, int n) {
    char big[500000];
    for (int i = 0; i < n; i += 4096)
        big[(i * 7919 + threadIdx.x) % 500000] = i;
    if (blockIdx.x + 1 < gridDim.x)
        while (!go)
            ;
    go = 1;
    out[0] = big[n % 500000];
}

int main() {
    float *out;
    cudaMalloc(&out, sizeof *out);
    struct rlimit limit = {1 << 30, 1 << 30};
    setrlimit(RLIMIT_DATA, &limit);
    hog<<<50, 1024>>>(out, 4096);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
