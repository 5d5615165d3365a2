// Atomics: every operation, type, space and scope that CUDA C++ offers.
#include "check.h"
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

struct All {
    int add, sub, mn, mx, exch, cas;
    unsigned uadd, inc, dec, umin, umax, andv, orv, xorv;
    unsigned long long add64, max64, min64, and64, or64, xor64, exch64, cas64;
    long long smax64, smin64;
    float fadd;
    double dadd;
    int blocks, systems;
    __half2 h2;
    __half h;
    __nv_bfloat162 b2;
    float2 f2;
    unsigned short cas16;
};

__device__ void work(All *a, int i) {
    atomicAdd(&a->add, i);
    atomicSub(&a->sub, i);
    atomicMin(&a->mn, -i);
    atomicMax(&a->mx, i);
    atomicAdd(&a->uadd, (unsigned)i);
    atomicInc(&a->inc, 99);
    atomicDec(&a->dec, 49);
    atomicMin(&a->umin, 1000u - i);
    atomicMax(&a->umax, 1000u + i);
    atomicAnd(&a->andv, ~(1u << (i % 32)));
    atomicOr(&a->orv, 1u << (i % 32));
    atomicXor(&a->xorv, 1u << (i % 31));
    atomicAdd(&a->add64, 1ull << 33);
    atomicMax(&a->max64, (unsigned long long)i << 40);
    atomicMin(&a->min64, ~0ull - i);
    atomicAnd(&a->and64, ~(1ull << (i % 64)));
    atomicOr(&a->or64, 1ull << (i % 64));
    atomicXor(&a->xor64, 3ull << (i % 33));
    atomicMax(&a->smax64, (long long)i - 50);
    atomicMin(&a->smin64, 50ll - i);
    atomicAdd(&a->fadd, 0.5f);
    atomicAdd(&a->dadd, 0.25);
    atomicAdd_block(&a->blocks, 2);
    atomicAdd_system(&a->systems, 3);
    atomicAdd(&a->h2, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(&a->h, __float2half(1.0f));
    atomicAdd(&a->b2, __floats2bfloat162_rn(1.0f, 0.0f));
    // Compare and swap: a multiplication that hardware lacks.
    int old = a->cas, assumed;
    do {
        assumed = old;
        old = atomicCAS(&a->cas, assumed, assumed + 2);
    } while (old != assumed);
    unsigned long long old64 = a->cas64, assumed64;
    do {
        assumed64 = old64;
        old64 = atomicCAS(&a->cas64, assumed64, assumed64 + (1ull << 40));
    } while (old64 != assumed64);
    unsigned short o16 = a->cas16, s16;
    do {
        s16 = o16;
        o16 = atomicCAS(&a->cas16, s16, (unsigned short)(s16 + 1));
    } while (o16 != s16);
}

__device__ void clear(All *a) {
    memset(a, 0, sizeof *a);
    a->umin = ~0u;
    a->andv = ~0u;
    a->min64 = a->and64 = ~0ull;
    a->smin64 = 1 << 30;
}

__device__ void show(const All *a) {
    printf("%d %d %d %d %d | %u %u %u %u %u %x %x %x\n", a->add, a->sub, a->mn, a->mx, a->cas, a->uadd,
           a->inc, a->dec, a->umin, a->umax, a->andv, a->orv, a->xorv);
    printf("%llx %llx %llx %llx %llx %llx %lld %lld %llx\n", a->add64, a->max64, a->min64, a->and64,
           a->or64, a->xor64, a->smax64, a->smin64, a->cas64);
    printf("%g %g %d %d %g %g %g %g %g %d\n", a->fadd, a->dadd, a->blocks, a->systems,
           __low2float(a->h2), __high2float(a->h2), __half2float(a->h), __low2float(a->b2),
           __high2float(a->b2), a->cas16);
}

__global__ void init(All *a) {
    clear(a);
}
__global__ void global_atomics(All *a) {
    work(a, threadIdx.x + blockIdx.x * blockDim.x);
}
__global__ void shared_atomics() {
    __shared__ All a;
    if (threadIdx.x == 0)
        clear(&a);
    __syncthreads();
    work(&a, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        show(&a);
}
__global__ void print(All *a) {
    show(a);
}

// Old values are a permutation: each thread gets its own.
__global__ void tickets(int *counter, int *seen) {
    seen[atomicAdd(counter, 1)]++;
}

__global__ void exchange(int *slot, int *out) {
    out[threadIdx.x] = atomicExch(slot, threadIdx.x);
}

__global__ void scopes(int *out, cuda::atomic<int, cuda::thread_scope_device> *a,
                       cuda::atomic<unsigned long long, cuda::thread_scope_system> *b) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> c;
    if (threadIdx.x == 0)
        c.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    a->fetch_add(1, cuda::memory_order_relaxed);
    b->fetch_or(1ull << threadIdx.x % 64, cuda::memory_order_acq_rel);
    c.fetch_sub(2, cuda::memory_order_seq_cst);
    int want = 5;
    a->compare_exchange_strong(want, 5);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = c.load(cuda::memory_order_acquire);
}

int main() {
    All *a;
    CUDA(cudaMalloc(&a, sizeof *a));
    init<<<1, 1>>>(a);
    global_atomics<<<4, 64>>>(a);
    print<<<1, 1>>>(a);
    shared_atomics<<<1, 200>>>();
    LAUNCHED;
    int *counter = device<int>(1), *seen = device<int>(1000);
    tickets<<<10, 100>>>(counter, seen);
    LAUNCHED;
    same("tickets", fetch(seen, 1000), std::vector<int>(1000, 1));
    int *out = device<int>(64), *slot = device(std::vector<int>{-1});
    exchange<<<1, 64>>>(slot, out);
    LAUNCHED;
    auto got = fetch(out, 64);
    long sum = fetch(slot, 1)[0];
    for (int v : got)
        sum += v;
    say("exchange", sum == 64 * 63 / 2 - 1);
    auto *da = (cuda::atomic<int, cuda::thread_scope_device> *)device<int>(1);
    auto *db = (cuda::atomic<unsigned long long, cuda::thread_scope_system> *)device<unsigned long long>(1);
    scopes<<<2, 96>>>(out, da, db);
    LAUNCHED;
    printf("%d %d %llx\n", fetch(out, 1)[0], fetch((int *)da, 1)[0], fetch((unsigned long long *)db, 1)[0]);
}
