#include <cstdio>
int main() {
    cudaError_t e = cudaSetDevice(5);
    if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e));
}
