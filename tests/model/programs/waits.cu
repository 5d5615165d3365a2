// Blocks and warps that wait: sleeps, locks, flags, rows of blocks; and ways to look busy or cheap that are neither.
#include "timed.h"
using namespace timed;

__global__ void sleeps(const float *in, float *out, int n, unsigned ns) {
    int i = INDEX;
    float x = in[i % n];
    __nanosleep(ns);
    out[i] = x * 2;
}
__global__ void one_lock(const float *in, float *sum, int *lock, int each) {
    float mine = 0;
    for (int k = threadIdx.x; k < each; k += blockDim.x)
        mine += in[blockIdx.x * each + k];
    for (int d = 16; d; d /= 2)
        mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *(volatile float *)sum = *(volatile float *)sum + mine;
        __threadfence();
        atomicExch(lock, 0);
    }
}
// All work is done inside the lock.
__global__ void work_in_lock(const float *in, float *out, int *lock, int each) {
    if (threadIdx.x == 0)
        while (atomicCAS(lock, 0, 1) != 0)
            ;
    __syncthreads();
    for (int k = threadIdx.x; k < each; k += blockDim.x)
        out[blockIdx.x * each + k] = 2 * in[blockIdx.x * each + k];
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0)
        atomicExch(lock, 0);
}
// Block after block, each told by the one before.
__global__ void in_a_row(const int *in, int *out, volatile int *turn, int each) {
    __shared__ int before;
    int sum = 0;
    for (int k = 0; k < each; k++)
        sum += in[INDEX * each + k];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) {
        while (turn[2 * blockIdx.x] == 0 && blockIdx.x > 0)
            ;
        __threadfence();
        before = blockIdx.x ? turn[2 * blockIdx.x + 1] : 0;
        turn[2 * blockIdx.x + 3] = before + sum;
        __threadfence();
        turn[2 * blockIdx.x + 2] = 1;
        out[blockIdx.x] = before + sum;
    }
}
// One block works, the others spin until it is done.
__global__ void one_works(const float *in, float *out, int n, int *done) {
    if (blockIdx.x == 0) {
        for (int k = threadIdx.x; k < n; k += blockDim.x)
            out[k] = in[k] + 1;
        __syncthreads();
        __threadfence();
        if (threadIdx.x == 0)
            atomicExch(done, 1);
    } else if (threadIdx.x == 0) {
        while (atomicAdd(done, 0) == 0)
            ;
    }
}
__global__ void one_thread(const float *in, float *out, int n) {
    for (int k = 0; k < n; k++)
        out[k] = in[k] * 3;
}
__global__ void sleepy_loads(const float *in, float *out, int n) {
    float sum = 0;
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x) {
        sum += in[i];
        __nanosleep(200);
    }
    out[INDEX] = sum;
}
__global__ void last_block(const float *in, float *parts, float *out, unsigned *arrived, int each) {
    __shared__ bool last;
    __shared__ float t[256];
    float sum = 0;
    for (int k = 0; k < each; k++)
        sum += in[((size_t)blockIdx.x * each + k) * 256 + threadIdx.x];
    t[threadIdx.x] = sum;
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < d)
            t[threadIdx.x] += t[threadIdx.x + d];
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = t[0];
        __threadfence();
        last = atomicAdd(arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float all = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            all += ((volatile float *)parts)[b];
        *out = all;
    }
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("waits.sleeps") {
        int grid = c.draw("blocks", 100, 2000), ns = c.draw("ns", 100, 5000), n = 10000;
        auto in = floats(n);
        float *out = room<float>(grid * 128);
        c.time([&] { sleeps<<<grid, 128>>>(in.gpu, out, n, ns); });
        c.check(out, grid * 128, [&](size_t i) { return 2 * in.cpu[i % n]; });
    }
    CASE("waits.sleepy_loads") {
        int n = c.draw("n", 500000, 2000000), grid = c.draw("blocks", 66, 400);
        auto in = floats(n);
        float *out = room<float>(grid * 256);
        c.time([&] { sleepy_loads<<<grid, 256>>>(in.gpu, out, n); });
        c.check(out, grid * 256, [&](size_t i) {
            double sum = 0;
            for (int k = i; k < n; k += grid * 256)
                sum += in.cpu[k];
            return sum;
        });
    }
    CASE("waits.one_lock") {
        int grid = c.draw("blocks", 100, 800), each = c.draw("each", 100, 3000);
        auto in = make<float>(grid * each, [](size_t) { return 1; });
        float *sum = room<float>(1);
        int *lock = room<int>(1);
        c.time([&] { one_lock<<<grid, 32>>>(in.gpu, sum, lock, each); }, [&] { cudaMemset(sum, 0, 4); });
        c.expect("the sum", back(sum, 1)[0], (double)grid * each, 0);
    }
    CASE("waits.work_in_lock") {
        int grid = c.draw("blocks", 50, 250), each = c.draw("each", 500, 4000);
        auto in = floats(grid * each);
        float *out = room<float>(in.size());
        int *lock = room<int>(1);
        c.time([&] { work_in_lock<<<grid, 256>>>(in.gpu, out, lock, each); });
        c.check(out, in.size(), [&](size_t i) { return 2 * in.cpu[i]; });
    }
    CASE("waits.in_a_row") {
        int grid = c.draw("blocks", 100, 600), each = c.draw("each", 4, 40);
        auto in = make<int>((size_t)grid * 32 * each, [](size_t) { return 1; });
        int *out = room<int>(grid), *turn = room<int>(2 * grid + 4);
        c.time([&] { in_a_row<<<grid, 32>>>(in.gpu, out, turn, each); }, [&] { cudaMemset(turn, 0, (2 * grid + 4) * 4); });
        c.check(out, grid, [&](size_t i) { return (i + 1) * 32 * each; }, 0);
    }
    CASE("waits.one_works") {
        int n = c.draw("n", 20000, 200000), grid = c.draw("blocks", 32, 132);
        auto in = floats(n);
        float *out = room<float>(n);
        int *done = room<int>(1);
        c.time([&] { one_works<<<grid, 256>>>(in.gpu, out, n, done); }, [&] { cudaMemset(done, 0, 4); });
        c.check(out, n, [&](size_t i) { return in.cpu[i] + 1; });
    }
    CASE("waits.one_thread") {
        int n = c.draw("n", 1000, 20000);
        auto in = floats(n);
        float *out = room<float>(n);
        c.time([&] { one_thread<<<1, 1>>>(in.gpu, out, n); });
        c.check(out, n, [&](size_t i) { return in.cpu[i] * 3; });
    }
    CASE("waits.last_block") {
        int grid = c.draw("blocks", 200, 1500), each = c.draw("each", 4, 30);
        auto in = make<float>((size_t)grid * each * 256, [](size_t i) { return i % 2; });
        float *parts = room<float>(grid), *out = room<float>(1);
        unsigned *arrived = room<unsigned>(1);
        c.time([&] { last_block<<<grid, 256>>>(in.gpu, parts, out, arrived, each); }, [&] { cudaMemset(arrived, 0, 4); });
        c.expect("the sum", back(out, 1)[0], 128.0 * grid * each, 1e-4);
    }
    return failed;
}
