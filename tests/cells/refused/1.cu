#include <cstdlib>
__global__ void one(int *x) { *x = 1; }
__global__ void cluster(int *x) { asm volatile("barrier.cluster.arrive;"); *x = 1; }
int *x;
cudaMalloc(&x, 4);
one<<<1, 2048>>>(x);
