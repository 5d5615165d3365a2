// Blocks and warps that wait for each other in all the ways a program has, many phases and many blocks: what waits must neither
// be taken for a deadlock nor cost much.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

// Each thread reads what the next one wrote in this phase.
template <class Wait> __device__ void neighbours(int *out, int phases, Wait wait) {
    __shared__ int s[1024];
    int t = threadIdx.x, n = blockDim.x, sum = 0;
    for (int p = 0; p < phases; p++) {
        s[t] = t * 3 + p;
        wait();
        sum += s[(t + 33) % n];
        wait();
    }
    out[blockIdx.x * n + t] = sum;
}
std::vector<int> neighbours_want(int blocks, int n, int phases) {
    std::vector<int> want(blocks * n);
    for (size_t i = 0; i < want.size(); i++)
        for (int p = 0; p < phases; p++)
            want[i] += (i % n + 33) % n * 3 + p;
    return want;
}

__global__ void barrier_object(int *out, int phases) {
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    neighbours(out, phases, [&] { barrier.arrive_and_wait(); });
}
// By hand: test_wait, which returns at once, and a parity with try_wait.
__global__ void test_wait(int *out, int phases) {
    __shared__ uint64_t word;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(&word);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
    __syncthreads();
    neighbours(out, phases, [&] {
        uint64_t state;
        uint32_t done = 0;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(at), "l"(state) : "memory");
    });
}
__global__ void try_wait(int *out, int phases) {
    __shared__ uint64_t word;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(&word), parity = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
    __syncthreads();
    neighbours(out, phases, [&] {
        uint32_t done = 0;
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(at), "r"(parity) : "memory");
        parity ^= 1;
    });
}
// The lanes of a warp wait for each other: the first half arrives long after the second.
__global__ void lanes(int *out) {
    __shared__ Barrier barrier;
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t == 0)
        init(&barrier, 32);
    __syncwarp();
    for (int p = 0; p < 10; p++) {
        if (t < 16) {
            s[t] = p + t;
            barrier.arrive_and_wait();
            out[t] += s[t + 16];
            barrier.arrive_and_wait();
        } else {
            s[t] = 2 * p + t;
            auto token = barrier.arrive();
            barrier.wait(std::move(token));
            out[t] += s[t - 16];
            barrier.arrive_and_wait();
        }
    }
}
// try_wait with a time limit: nobody comes until the thread has given up once.
__global__ void gives_up(int *out) {
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, 2);
    __syncthreads();
    if (threadIdx.x == 0) {
        auto token = barrier.arrive();
        int tries = 0;
        while (!barrier.try_wait_for(std::move(token), cuda::std::chrono::nanoseconds(1000)) && ++tries < 3)
            if (tries == 2)
                (void)barrier.arrive();
        out[0] = tries;
    }
}
__global__ void flags(volatile int *flag, int *out, int phases) { // a chain of blocks, in the order of their numbers
    int b = blockIdx.x, n = gridDim.x;
    for (int p = 1; p <= phases; p++) {
        if (threadIdx.x == 0) {
            while (b ? flag[b - 1] != p : p > 1 && flag[n - 1] != p - 1)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = out[threadIdx.x] + 1;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            flag[b] = p;
    }
}
__global__ void grid_by_hand(int *arrived, int *data, int phases) {
    int n = gridDim.x, i = blockIdx.x * blockDim.x + threadIdx.x, all = n * blockDim.x;
    for (int p = 1; p <= phases; p++) {
        int v = data[(i + 1) % all];
        for (int half = 0; half < 2; half++) {
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(arrived, 1);
                while (atomicAdd(arrived, 0) < n * (2 * p - 1 + half))
                    ;
                __threadfence();
            }
            __syncthreads();
            if (!half)
                data[i] = v + 1;
        }
    }
}
__global__ void latch_and_semaphore(int *out) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 4>;
    __shared__ alignas(Latch) char latch_bytes[sizeof(Latch)];
    __shared__ alignas(Semaphore) char semaphore_bytes[sizeof(Semaphore)];
    __shared__ int inside;
    Latch &start = *reinterpret_cast<Latch *>(latch_bytes);
    Semaphore &places = *reinterpret_cast<Semaphore *>(semaphore_bytes);
    if (threadIdx.x == 0) {
        new (&start) Latch(blockDim.x);
        new (&places) Semaphore(4);
        inside = 0;
    }
    __syncthreads();
    start.arrive_and_wait();
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < 20; k++) {
            places.acquire();
            int now = atomicAdd(&inside, 1);
            if (now >= 4)
                atomicAdd(out, 1000000);
            atomicAdd(out, 1);
            atomicSub(&inside, 1);
            places.release();
        }
}
__global__ void pipeline(const int *in, int *out, int rounds) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][128];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < rounds + 1; k++) {
        if (k < rounds) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[k % 2][t], in + k * 128 + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
        if (k) {
            pipe.consumer_wait();
            sum += s[(k - 1) % 2][t];
            pipe.consumer_release();
        }
    }
    out[blockIdx.x * 128 + t] = sum;
}
// Not a wait at all: a long loop that looks at a flag each time, and stores.
__global__ void looks(volatile int *stop, float *out, int n) {
    float x = threadIdx.x;
    for (int i = 0; i < n && !*stop; i++) {
        x = x * 0.5f + 1;
        out[threadIdx.x] = x;
    }
}

int main() {
    int blocks = 1000, phases = 20, n = 128;
    int *out = device<int>(blocks * n), *words = device<int>(blocks * n);
    auto wait = [&](const char *name, auto kernel) {
        kernel<<<blocks, n>>>(out, phases);
        LAUNCHED;
        same(name, fetch(out, blocks * n), neighbours_want(blocks, n, phases));
    };
    wait("cuda::barrier", barrier_object);
    wait("test_wait", test_wait);
    wait("try_wait", try_wait);
    CUDA(cudaMemset(out, 0, 32 * 4));
    lanes<<<1, 32>>>(out);
    LAUNCHED;
    std::vector<int> want(32);
    for (int t = 0; t < 32; t++)
        for (int p = 0; p < 10; p++)
            want[t] += t < 16 ? 2 * p + t + 16 : p + t - 16;
    same("lanes", fetch(out, 32), want);
    gives_up<<<1, 32>>>(out);
    LAUNCHED;
    printf("gave up %d times\n", fetch(out, 1)[0]);
    CUDA(cudaMemset(out, 0, n * 4));
    flags<<<100, n>>>(words, out, 10);
    LAUNCHED;
    same("a chain of flags", fetch(out, n), std::vector<int>(n, 1000));
    CUDA(cudaMemset(words, 0, 4));
    CUDA(cudaMemset(out, 0, 128 * n * 4));
    grid_by_hand<<<128, n>>>(words, out, phases);
    LAUNCHED;
    same("a grid barrier by hand", fetch(out, 128 * n), std::vector<int>(128 * n, phases));
    CUDA(cudaMemset(out, 0, 4));
    latch_and_semaphore<<<100, 256>>>(out);
    LAUNCHED;
    same("latch and semaphore", fetch(out, 1), std::vector<int>(1, 100 * 8 * 20));
    std::vector<int> in(128 * 20);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = i;
    int *source = device(in);
    pipeline<<<300, 128>>>(source, out, 20);
    LAUNCHED;
    std::vector<int> sums(300 * 128);
    for (size_t i = 0; i < sums.size(); i++)
        for (int k = 0; k < 20; k++)
            sums[i] += k * 128 + i % 128;
    same("pipeline", fetch(out, 300 * 128), sums);
    CUDA(cudaMemset(words, 0, 4));
    looks<<<1, 128>>>(words, (float *)out, 100000);
    LAUNCHED;
    say("a flag that is never set", fetch((float *)out, 1)[0] == 2);
}
