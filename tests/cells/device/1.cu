#include <cstdio>
__constant__ float weights[4];
__device__ int counter;
__managed__ int shared_with_host = 3;
__device__ float scale(float x) { return x * weights[1]; }
__host__ __device__ inline int both(int x) { return x + 1; }
template <class T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }
struct Pair { float a; __device__ float twice() const { return 2 * a; } };
__global__ void apply(float *data) { data[threadIdx.x] = scale(data[threadIdx.x]); atomicAdd(&counter, 1); }
float w[4] = {1, 2, 3, 4};
cudaMemcpyToSymbol(weights, w, sizeof w)
