#include <cstdio>
#include <cassert>
#define CHECK(x) do { if (!(x)) printf("%s:%d: wrong\n", __FILE__, __LINE__); } while (0)
int counter = 10;
__device__ int on_device = 5;
__global__ void outside(int *p) {
    p[threadIdx.x + 100] = 1;
}
__global__ void where() {
    if (threadIdx.x == 0)
        printf("device at %s:%d\n", __FILE__, __LINE__);
}
