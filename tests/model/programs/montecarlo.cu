// Pi from random points (a generator a thread), counted in three ways.
#include "timed.h"
using namespace timed;

__device__ unsigned inside(unsigned state, int n) {
    unsigned hits = 0;
    for (int k = 0; k < n; k++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * (1.0f / 16777216);
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * (1.0f / 16777216);
        hits += x * x + y * y < 1.0f;
    }
    return hits;
}

__global__ void by_atomics(unsigned *sum, int n) {
    atomicAdd(sum, inside(mix(INDEX), n));
}

__global__ void by_blocks(unsigned *sum, int n) {
    __shared__ unsigned block;
    if (threadIdx.x == 0)
        block = 0;
    __syncthreads();
    atomicAdd(&block, inside(mix(INDEX), n));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, block);
}

__global__ void by_stores(unsigned *sums, int n) {
    sums[INDEX] = inside(mix(INDEX), n);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    for (int way = 0; way < 3; way++) {
        const char *names[] = {"montecarlo.atomics", "montecarlo.blocks", "montecarlo.stores"};
        CASE(names[way]) {
            int grid = c.draw("blocks", 200, 2000), n = c.draw("n", 50, 600);
            unsigned *sums = room<unsigned>(grid * 256);
            c.time([&] { (way == 0 ? by_atomics : way == 1 ? by_blocks : by_stores)<<<grid, 256>>>(sums, n); },
                   [&] { cudaMemset(sums, 0, grid * 1024); });
            double hits = 0;
            for (unsigned v : back(sums, grid * 256))
                hits += v;
            c.expect("pi", 4 * hits / (256.0 * grid * n), 3.14159265, 0.02);
        }
    }
    return failed;
}
