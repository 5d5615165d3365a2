#include <cstdio>
#include "calls.h"
#define CHECK(call) \
    do { cudaError_t e_ = (call); if (e_ != cudaSuccess) printf("%d: %s\n", __LINE__, cudaGetErrorName(e_)); } while (0)
#define LAST_ERROR() { cudaError_t e_ = cudaGetLastError(); if (e_) printf("%s\n", cudaGetErrorName(e_)); }
__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void outside(int *a) { a[threadIdx.x + 1000000] = 1; }
cudaError_t choose(int d) { return cudaSetDevice(d); }
void ignore(int d) {
    cudaSetDevice(d);
}
int *a;
cudaMalloc(&a, 4096);
