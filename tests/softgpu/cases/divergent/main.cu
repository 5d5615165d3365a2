// A __syncthreads() that not all threads of the block reach: told by memcheck and racecheck.
#include "check.h"
#include <cooperative_groups.h>
#include <string>

__global__ void odd_lanes(int *out) {
    int t = threadIdx.x;
    if (t % 2) {
        out[t] = 1;
        __syncthreads();
    } else {
        out[t] = 2;
        __syncthreads();
    }
    out[t] += 1;
}
__global__ void branch_then_all(int *out) {
    int t = threadIdx.x;
    if (t % 32 == 5)
        __syncthreads();
    out[t] = t;
    __syncthreads();
    out[t] += 1;
}
__global__ void whole_warps(int *out) {
    int t = threadIdx.x;
    if (t < blockDim.x / 2) {
        out[t] = 1;
        __syncthreads();
    } else {
        out[t] = 2;
        __syncthreads();
    }
    out[t] += 1;
}
__global__ void half_a_block(int *out) {
    int t = threadIdx.x;
    if (t < blockDim.x / 2)
        __syncthreads();
    out[t] = t;
}
__global__ void early(int *out, int n) {
    int t = threadIdx.x;
    if (t >= n)
        return;
    out[t] = t;
    __syncthreads();
    out[t] += 1;
}
// Some end before the barrier, and others read what these should have written.
__global__ void early_sum(int *out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = t;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    out[t] = s[0];
}
// ... and others read what they wrote themselves: nothing to say.
__global__ void early_turned(int *out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = t;
    __syncthreads();
    out[t] = s[n - 1 - t];
}
__global__ void trips(int *out) {
    int t = threadIdx.x;
    for (int i = 0; i < t / 32 + 1; i++) {
        out[t] = i;
        __syncthreads();
    }
    if (t < 32) {
        out[t] += 1;
        __syncthreads();
    }
}
__global__ void votes(int *out) {
    int t = threadIdx.x;
    if (t % 4 == 3)
        out[t] = __syncthreads_count(t > 40);
    else
        out[t] = __syncthreads_count(1) + 1;
}
// No fault: the same barrier after lanes went apart, barriers of some warps, barriers that lanes may come to by themselves.
__global__ void fine(int *out) {
    __shared__ int lock, turns;
    int t = threadIdx.x;
    if (t == 0)
        lock = turns = 0;
    __syncthreads();
    bool done = false;
    while (!done)
        if (atomicCAS(&lock, 0, 1) == 0) {
            turns += 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        if (t % 3 == i)
            out[t] = turns;
        __syncthreads();
    }
    if (t < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    if (t % 2)
        asm volatile("barrier.sync 0;" ::: "memory");
    else
        asm volatile("barrier.sync 0;" ::: "memory");
    cooperative_groups::this_thread_block().sync();
}

int main(int argc, char **argv) {
    std::string what = argc > 1 ? argv[1] : "fine";
    int *out = device(std::vector<int>(128));
#define RUN(kernel, ...)                                                                                                       \
    if (what == #kernel)                                                                                                       \
        kernel<<<1, 128>>>(__VA_ARGS__);
    RUN(odd_lanes, out)
    RUN(branch_then_all, out)
    RUN(whole_warps, out)
    RUN(half_a_block, out)
    RUN(early, out, 100)
    RUN(early_sum, out, 100)
    RUN(early_turned, out, 100)
    RUN(trips, out)
    RUN(votes, out)
    RUN(fine, out)
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    if (what == "fine")
        same("all turns", fetch(out, 128), std::vector<int>(128, 128));
}
