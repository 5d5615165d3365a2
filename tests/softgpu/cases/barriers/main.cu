// Barriers of a block and what they count; named barriers; fences.
#include "check.h"

__global__ void counting(int *out) {
    int i = threadIdx.x;
    int count = __syncthreads_count(i % 3 == 0);
    int all = __syncthreads_and(i < 100), some = __syncthreads_or(i == 99);
    int none = __syncthreads_or(i > 100), not_all = __syncthreads_and(i < 99);
    out[i] = count * 10000 + all * 1000 + some * 100 + none * 10 + not_all;
}

// Two halves of a block, each with a barrier of its own.
__global__ void named(int *out) {
    __shared__ int s[128];
    int i = threadIdx.x, half = i / 64;
    for (int round = 0; round < 5 + half * 3; round++) {
        s[i] = i + round;
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        int other = s[half * 64 + (i + 7) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        out[i] = other;
    }
}

// One warp brings, the others take: bar.arrive and bar.sync.
__global__ void producer(int *out) {
    __shared__ int box[32];
    int i = threadIdx.x;
    if (i < 32) {
        box[i] = i * 3;
        __threadfence_block();
        asm volatile("bar.arrive 3, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 64;" ::: "memory");
        out[i - 32] = box[63 - i];
    }
}

__global__ void scan(int *out, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    s[i] = i + 1;
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int v = i >= d ? s[i - d] : 0;
        __syncthreads();
        s[i] += v;
        __syncthreads();
    }
    out[i] = s[i];
}

// The last block to arrive sums up, as the CUDA samples' threadFenceReduction does.
__device__ unsigned arrived;
__global__ void last_block(int *partial, int *total) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += ((volatile int *)partial)[i];
        *total = sum;
    }
}

int main() {
    int *out = device<int>(1024);
    counting<<<1, 100>>>(out);
    LAUNCHED;
    same("counting", fetch(out, 100), std::vector<int>(100, 341100));
    named<<<1, 128>>>(out);
    LAUNCHED;
    std::vector<int> want(128);
    for (int i = 0; i < 128; i++)
        want[i] = i / 64 * 64 + (i + 7) % 64 + (i < 64 ? 4 : 7);
    same("named", fetch(out, 128), want);
    producer<<<1, 64>>>(out);
    LAUNCHED;
    printf("producer %d %d\n", fetch(out, 32)[0], fetch(out, 32)[31]);
    scan<<<1, 1000, 4000>>>(out, 1000);
    LAUNCHED;
    printf("scan %d %d\n", fetch(out, 1000)[0], fetch(out, 1000)[999]);
    int *total = device<int>(1);
    for (int k = 0; k < 3; k++)
        last_block<<<100, 64>>>(out, total);
    LAUNCHED;
    printf("last block %d\n", fetch(total, 1)[0]);
}
