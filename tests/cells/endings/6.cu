#include <stdexcept>
int before = 1, *device;
void check(cudaError_t e) {
    if (e != cudaSuccess) {
        fprintf(stderr, "failed: %s\n", cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}
before = 2;
check(cudaMalloc(&device, (size_t)1 << 50));
int after = 3;
