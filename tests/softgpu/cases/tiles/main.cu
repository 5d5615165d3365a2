// Cooperative groups' tiles of more than one warp: their barriers and exchanges lie in shared memory of their own, beside what the
// program has. Every size, tiles of several sizes at once, with static and dynamic shared memory that must stay as it was.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <class Tile> __device__ void exchange(const Tile &tile, int *mine, int *wrong) {
    int n = tile.size(), rank = tile.thread_rank(), v = rank * 7 + tile.meta_group_rank();
    for (int round = 0; round < 3; round++) {
        mine[rank] = v + round;
        tile.sync();
        *wrong += mine[(rank + 33) % n] != (rank + 33) % n * 7 + (int)tile.meta_group_rank() + round;
        tile.sync();
    }
    *wrong += cg::reduce(tile, rank, cg::plus<int>()) != n * (n - 1) / 2;
    *wrong += cg::reduce(tile, rank ^ 1, cg::greater<int>()) != n - 1;
    *wrong += cg::exclusive_scan(tile, 2) != 2 * rank;
    *wrong += cg::inclusive_scan(tile, rank) != rank * (rank + 1) / 2;
    *wrong += tile.any(rank == n - 1) != 1;
    *wrong += tile.all(rank < n - 1) != 0;
    *wrong += cg::invoke_one_broadcast(tile, [&] { return n * 3; }) != n * 3;
    for (int from = 0; from < n; from += 37)
        *wrong += tile.shfl(v, from) != from * 7 + (int)tile.meta_group_rank();
}

// Threads beyond the last whole tile of the largest size are left out by the host's choice of blocks.
template <int SIZE> __global__ void tiles(int *wrong, bool several) {
    __shared__ int head[4], exchanged[1024];
    extern __shared__ int tail[];
    int i = threadIdx.x, n = blockDim.x, bad = 0;
    if (i < 4)
        head[i] = 1000 + i;
    tail[i] = -i;
    cg::thread_block block = cg::this_thread_block();
    block.sync();
    auto tile = cg::tiled_partition<SIZE>(block);
    exchange(tile, exchanged + tile.meta_group_rank() * SIZE, &bad);
    block.sync();
    if constexpr (SIZE > 64) { // a tile of tiles, and another partition of the block beside it
        auto two = cg::tiled_partition<64>(tile);
        exchange(two, exchanged + i / 64 * 64, &bad);
        block.sync();
    }
    if (several) {
        auto four = cg::tiled_partition<128>(block);
        exchange(four, exchanged + i / 128 * 128, &bad);
        tile.sync();
    }
    block.sync();
    bad += head[i % 4] != 1000 + i % 4;
    bad += tail[n - 1 - i] != i + 1 - n;
    atomicAdd(wrong, bad);
}

// With the scratch memory that devices before compute capability 8.0 need.
__global__ void with_scratch(int *wrong) {
    __shared__ cg::block_tile_memory<1024> scratch;
    __shared__ int exchanged[1024];
    int bad = 0;
    auto block = cg::this_thread_block(scratch);
    auto tile = cg::tiled_partition<256>(block);
    exchange(tile, exchanged + tile.meta_group_rank() * 256, &bad);
    atomicAdd(wrong, bad);
}

// The smallest case: no shared memory of the program's at all.
__global__ void without(int *sums) {
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
    tile.sync();
    sums[threadIdx.x] = sum;
}

struct Sizes {
    unsigned begin, end, cap, first, second, total, aggregate, dynamic, variable;
};
__global__ void sizes(Sizes *s) {
    __shared__ int own[100];
    if (threadIdx.x)
        return;
    asm("mov.u32 %0, %%reserved_smem_offset_begin;" : "=r"(s->begin));
    asm("mov.u32 %0, %%reserved_smem_offset_end;" : "=r"(s->end));
    asm("mov.u32 %0, %%reserved_smem_offset_cap;" : "=r"(s->cap));
    asm("mov.u32 %0, %%reserved_smem_offset_0;" : "=r"(s->first));
    asm("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(s->second));
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(s->total));
    asm("mov.u32 %0, %%aggr_smem_size;" : "=r"(s->aggregate));
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(s->dynamic));
    s->variable = (unsigned)__cvta_generic_to_shared(own);
}

template <int SIZE> void test(int *wrong) {
    int worst = 0;
    for (int threads = SIZE; threads <= 1024; threads += SIZE) {
        CUDA(cudaMemset(wrong, 0, sizeof *wrong));
        tiles<SIZE><<<2, threads, threads * sizeof(int)>>>(wrong, threads % 128 == 0);
        LAUNCHED;
        worst = std::max(worst, fetch(wrong, 1)[0]);
    }
    char name[40];
    snprintf(name, sizeof name, "tiles of %d", SIZE);
    say(name, worst == 0);
}

int main() {
    int *wrong = device<int>(1);
    test<64>(wrong);
    test<128>(wrong);
    test<256>(wrong);
    test<512>(wrong);
    CUDA(cudaMemset(wrong, 0, sizeof *wrong));
    with_scratch<<<3, 1024>>>(wrong);
    LAUNCHED;
    say("scratch memory", fetch(wrong, 1)[0] == 0);
    int *sums = device<int>(128);
    without<<<1, 128>>>(sums);
    LAUNCHED;
    std::vector<int> want(128);
    for (int i = 0; i < 128; i++)
        want[i] = i < 64 ? 63 * 64 / 2 : 63 * 64 / 2 + 64 * 64;
    same("no shared memory", fetch(sums, 128), want);
    Sizes *s;
    CUDA(cudaMallocManaged(&s, sizeof *s));
    sizes<<<1, 100, 52>>>(s);
    LAUNCHED;
    bool apart = s->variable >= s->cap || s->variable + 452 <= s->begin;
    say("reserved memory", s->end > s->begin && s->end <= s->cap && s->first >= s->begin && s->second + 288 <= s->end && apart);
    printf("total %u, of all kinds %u, dynamic %u\n", s->total, s->aggregate, s->dynamic);
}
