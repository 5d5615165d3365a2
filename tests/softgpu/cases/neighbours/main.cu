// Past the end of an array lies no other array: a stray write is caught however far it goes, up to the array's
// own length (64 MiB for a shorter one), in either direction, for memory of every kind.
#include "check.h"
#include <string>

__device__ float first[1000], second[1000], third[1000];

__global__ void stray(float *a, long long at) {
    a[at] = 1;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    std::string kind = argv[1];
    size_t bytes = strtoull(argv[2], nullptr, 0);
    long long at = strtoll(argv[3], nullptr, 0) / (long long)sizeof(float);
    float *a[5];
    for (auto &p : a) {
        if (kind == "device")
            CUDA(cudaMalloc(&p, bytes));
        if (kind == "managed")
            CUDA(cudaMallocManaged(&p, bytes));
        if (kind == "pinned")
            CUDA(cudaMallocHost(&p, bytes));
    }
    if (kind == "symbol")
        CUDA(cudaGetSymbolAddress((void **)&a[2], second));
    stray<<<1, 1>>>(a[2], at);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
