// A kernel goes out of bounds, and then the program ends in the way that its argument names.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <csignal>
#include <unistd.h>
#include <vector>
__global__ void twice(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = 2 * i; }
int main(int argc, char **argv) {
    const int n = 1000; int *d, h[n]; cudaMalloc(&d, n * sizeof(int));
    twice<<<4, 256>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    switch (argc > 1 ? argv[1][0] : 'a') {
    case 'a': for (int i = 0; i < n; i++) assert(h[i] == 2 * i);
    case 'b': abort();
    case 't': std::terminate();
    case 'e': exit(3);
    case '_': _exit(4);
    case 'k': raise(SIGKILL);
    case 's': *(volatile int *)nullptr = 1;
    case 'q': quick_exit(5);
    case 'f': raise(SIGTERM);
    case 'x': throw 1;
    case 'z': _exit(0);
    }
}
