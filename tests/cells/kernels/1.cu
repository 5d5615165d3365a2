#include <cstdio>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); } } while (0)
template <int N, class T> __global__ void scale(T *p, T by) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = by * tile[N - 1 - threadIdx.x];
}
extern "C" __global__ void plain(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] += 1; }
__global__ void __launch_bounds__(32) bounded(float *p) { p[threadIdx.x] -= 1; }
__global__ void chatty(int x) { if (threadIdx.x == 0) printf("from the device %d\n", x); }
namespace lab { __global__ void inside(float *p) { p[0] = 100; } }
float *p, h[4] = {1, 2, 3, 4};
CHECK(cudaMalloc(&p, sizeof h));
CHECK(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice))
