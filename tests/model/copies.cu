// Copies and fills: of so many bytes, each way so many times.
#include <cstdlib>
#include <vector>

int main(int, char **argv) {
    size_t bytes = strtoull(argv[1], nullptr, 10), times = strtoull(argv[2], nullptr, 10);
    std::vector<char> ordinary(bytes);
    char *pinned, *a, *b;
    cudaMallocHost(&pinned, bytes);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    for (size_t i = 0; i < times; i++) {
        cudaMemset(a, 0, bytes);
        cudaMemcpy(a, ordinary.data(), bytes, cudaMemcpyHostToDevice);
        cudaMemcpyAsync(b, pinned, bytes, cudaMemcpyDefault);
        cudaMemcpy(a, b, bytes, cudaMemcpyDeviceToDevice);
        cudaMemcpy(ordinary.data(), a, bytes, cudaMemcpyDefault);
        cudaMemcpy2D(pinned, bytes, b, bytes, bytes, 1, cudaMemcpyDeviceToHost);
    }
    return cudaGetLastError();
}
