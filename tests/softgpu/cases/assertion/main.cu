// assert(): one line for each failing thread of the first warp that fails, on stderr, and error 710.
#include "check.h"
#include <cassert>

__global__ void check_all(const int *v) {
    int i = threadIdx.x;
    assert(v[i] < 5);
}

int main() {
    std::vector<int> v(64, 1);
    v[37] = 9;
    check_all<<<1, 64>>>(device(v));
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s\n", e, cudaGetErrorString(e));
}
