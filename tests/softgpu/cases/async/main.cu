// Asynchronous barriers and copies: cuda::barrier, cuda::pipeline, memcpy_async, mbarrier by hand.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using barrier_t = cuda::barrier<cuda::thread_scope_block>;

// Arrive, do something else, wait; several phases.
__global__ void phases(int *out) {
    __shared__ barrier_t bar;
    __shared__ int s[96];
    int i = threadIdx.x;
    if (i == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        s[i] = i * (round + 1);
        auto token = bar.arrive();
        sum += round;
        bar.wait(std::move(token));
        sum += s[(i + 1) % 96];
        bar.arrive_and_wait();
    }
    out[i] = sum;
}

// One warp produces, two consume; the last leaves early with arrive_and_drop.
__global__ void drop(int *out) {
    __shared__ barrier_t bar;
    __shared__ int box;
    int i = threadIdx.x;
    if (i == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    if (i >= 64) {
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    if (i == 0)
        box = 7;
    bar.arrive_and_wait();
    out[i] = box + i;
}

__global__ void copy_with_barrier(const int *in, int *out) {
    __shared__ barrier_t bar;
    __shared__ alignas(16) int s[256];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, s, in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof s), bar);
    bar.arrive_and_wait();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        out[blockIdx.x * 256 + i] = s[255 - i];
}

__global__ void pipelined(const int *in, int *out, int n) {
    constexpr int STAGES = 3;
    __shared__ int s[STAGES][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int i = threadIdx.x, sum = 0;
    for (int next = 0, done = 0; done < n; done++) {
        for (; next < n && next < done + STAGES; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % STAGES], in + next * 64, sizeof(int) * 64, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[done % STAGES][63 - i] * (done + 1);
        pipe.consumer_release();
    }
    out[i] = sum;
}

// A bulk copy in, an mbarrier that counts its bytes, a bulk copy out.
__global__ void bulk(const int *in, int *out) {
    __shared__ alignas(16) int s[128];
    __shared__ unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar), d = (unsigned)__cvta_generic_to_shared(s);
    int i = threadIdx.x;
    if (i == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.proxy.async.shared::cta;");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(d),
                     "l"(in), "r"(b) : "memory");
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], 512; }" ::"r"(b) : "memory");
    }
    __syncthreads();
    int done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(b) : "memory");
    while (!done);
    int v = s[127 - i];
    __syncthreads();
    s[i] = v;
    __syncthreads();
    if (i == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(out), "r"(d) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    int *out = device<int>(1024);
    phases<<<1, 96>>>(out);
    LAUNCHED;
    std::vector<int> want(96);
    for (int i = 0; i < 96; i++)
        want[i] = 6 + 10 * ((i + 1) % 96);
    same("phases", fetch(out, 96), want);
    drop<<<1, 96>>>(out);
    LAUNCHED;
    for (int i = 0; i < 64; i++)
        want[i] = 7 + i;
    want.resize(64);
    same("drop", fetch(out, 64), want);
    std::vector<int> in(1024), reversed(512);
    for (int i = 0; i < 1024; i++)
        in[i] = i * 3;
    int *d = device(in);
    for (int i = 0; i < 512; i++)
        reversed[i] = in[i / 256 * 256 + 255 - i % 256];
    copy_with_barrier<<<2, 64>>>(d, out);
    LAUNCHED;
    same("memcpy_async", fetch(out, 512), reversed);
    pipelined<<<1, 64>>>(d, out, 10);
    LAUNCHED;
    std::vector<int> sums(64);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 10; k++)
            sums[i] += in[k * 64 + 63 - i] * (k + 1);
    same("pipeline", fetch(out, 64), sums);
    bulk<<<1, 128>>>(d, out);
    LAUNCHED;
    for (int i = 0; i < 128; i++)
        reversed[i] = in[127 - i];
    reversed.resize(128);
    same("bulk", fetch(out, 128), reversed);
}
