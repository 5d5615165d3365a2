// Copies by the hardware between global and shared memory (cp.async.bulk), and the barriers in shared memory that tell of them. For
// compute capability 9.0 and newer.
#include "timed.h"
using namespace timed;

__device__ inline unsigned place(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ inline void ready(uint64_t *barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(barrier)), "r"(arrivals) : "memory");
}
__device__ inline void arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(barrier)) : "memory");
}
__device__ inline void fetch(void *to, const void *from, int bytes, uint64_t *barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(barrier)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(to)), "l"(from),
                 "r"(bytes), "r"(place(barrier))
                 : "memory");
}
__device__ inline void wait(uint64_t *barrier, int parity) {
    asm volatile("{ .reg .pred done;\nWAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra WAIT;\n}" ::"r"(place(barrier)),
                 "r"(parity)
                 : "memory");
}
__device__ inline void put(void *to, const void *from, int bytes) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(place(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// A tile at a time: fetched, waited for, used.
__global__ void tiles(const float *in, float *out, int tile, int each) {
    extern __shared__ __align__(128) float t[];
    __shared__ __align__(8) uint64_t full;
    if (threadIdx.x == 0)
        ready(&full, 1);
    __syncthreads();
    for (int k = 0; k < each; k++) {
        size_t at = ((size_t)k * gridDim.x + blockIdx.x) * tile;
        if (threadIdx.x == 0)
            fetch(t, in + at, tile * 4, &full);
        wait(&full, k & 1);
        for (int i = threadIdx.x; i < tile; i += blockDim.x)
            out[at + i] = 2 * t[i] + 1;
        __syncthreads();
    }
}
// A ring of tiles: one thread fetches ahead, the others add up.
template <int STAGES> __global__ void ring(const float *in, float *sums, int tile, int each) {
    extern __shared__ __align__(128) float t[];
    __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
    int last = blockDim.x - 1;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            ready(&full[s], 1);
            ready(&empty[s], last / 32);
        }
    __syncthreads();
    if (threadIdx.x / 32 == last / 32) {
        if (threadIdx.x == last)
            for (int k = 0; k < each; k++) {
                if (k >= STAGES)
                    wait(&empty[k % STAGES], (k / STAGES & 1) ^ 1);
                fetch(t + k % STAGES * tile, in + ((size_t)blockIdx.x * each + k) * tile, tile * 4, &full[k % STAGES]);
            }
        return;
    }
    float sum = 0;
    for (int k = 0; k < each; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        for (int i = threadIdx.x; i < tile; i += blockDim.x - 32)
            sum += t[k % STAGES * tile + i];
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&empty[k % STAGES]);
    }
    sums[(size_t)blockIdx.x * (blockDim.x - 32) + threadIdx.x] = sum;
}
// Made by the threads, written by the hardware.
__global__ void back(float *out, int tile, int each) {
    extern __shared__ __align__(128) float t[];
    for (int k = 0; k < each; k++) {
        size_t at = ((size_t)k * gridDim.x + blockIdx.x) * tile;
        float *to = t + (k & 1) * tile;
        if (threadIdx.x == 0)
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
        for (int i = threadIdx.x; i < tile; i += blockDim.x)
            to[i] = (float)((at + i) % 1000);
        __syncthreads();
        if (threadIdx.x == 0)
            put(out + at, to, tile * 4);
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("bulk.tiles") {
        int grid = c.draw("blocks", 66, 1000), tile = 256 * c.draw("tile", 2, 24), each = c.draw("each", 1, 8);
        auto in = floats((size_t)grid * tile * each);
        float *out = room<float>(in.size());
        c.time([&] { tiles<<<grid, 256, tile * 4>>>(in.gpu, out, tile, each); });
        c.check(out, in.size(), [&](size_t i) { return 2 * in.cpu[i] + 1; });
    }
    CASE("bulk.ring_2") {
        int grid = c.draw("blocks", 66, 400), tile = 128 * c.draw("tile", 2, 30), each = c.draw("each", 4, 40);
        auto in = make<float>((size_t)grid * tile * each, [](size_t i) { return i % 3; });
        float *sums = room<float>(grid * 128);
        c.time([&] { ring<2><<<grid, 160, 2 * tile * 4>>>(in.gpu, sums, tile, each); });
        c.check(sums, grid * 128, [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < tile * each / 128; k++)
                sum += in.cpu[i / 128 * tile * each + k * 128 + i % 128];
            return sum;
        });
    }
    CASE("bulk.ring_4") {
        int grid = c.draw("blocks", 66, 400), tile = 128 * c.draw("tile", 2, 20), each = c.draw("each", 4, 40);
        auto in = make<float>((size_t)grid * tile * each, [](size_t i) { return i % 3; });
        float *sums = room<float>(grid * 128);
        c.time([&] { ring<4><<<grid, 160, 4 * tile * 4>>>(in.gpu, sums, tile, each); });
        c.check(sums, grid * 128, [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < tile * each / 128; k++)
                sum += in.cpu[i / 128 * tile * each + k * 128 + i % 128];
            return sum;
        });
    }
    CASE("bulk.back") {
        int grid = c.draw("blocks", 66, 1000), tile = 256 * c.draw("tile", 2, 20), each = c.draw("each", 2, 10);
        float *out = room<float>((size_t)grid * tile * each);
        c.time([&] { back<<<grid, 256, 2 * tile * 4>>>(out, tile, each); });
        c.check(out, (size_t)grid * tile * each, [&](size_t i) { return (float)(i % 1000); });
    }
    return failed;
}
