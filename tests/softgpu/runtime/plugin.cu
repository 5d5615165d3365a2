// A library with a kernel, a variable and a template, loaded at run time; cells are such libraries.
#include <cuda_runtime.h>

__device__ int value = VALUE;
__managed__ int managed = VALUE * 10;

template <typename T> __global__ void put(T *out) {
    *out = value + managed;
}

extern "C" int plugin_run() {
    int *out, got = -1;
    cudaMalloc(&out, sizeof *out);
    put<<<1, 1>>>(out);
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    cudaFree(out);
    managed += 1;
    return got;
}
