// Cooperative groups: blocks, tiles, coalesced threads, the grid, reductions, scans, asynchronous copies.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void groups(int *out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    int i = block.thread_rank();
    int sum = cg::reduce(tile, i, cg::plus<int>());
    int largest = cg::reduce(warp, i ^ 5, cg::greater<int>());
    int before = cg::exclusive_scan(warp, 1);
    int inclusive = cg::inclusive_scan(tile, i);
    out[i] = sum;
    out[i + 64] = largest;
    out[i + 128] = before;
    out[i + 192] = inclusive;
    out[i + 256] = tile.shfl(i, 3) + tile.size() + tile.meta_group_rank() * 100;
    if (i % 3 == 0) {
        auto some = cg::coalesced_threads();
        out[i + 320] = some.size() * 100 + some.thread_rank();
        some.sync();
    } else {
        out[i + 320] = -1;
    }
    block.sync();
}

__global__ void whole_grid(int *data, int *total, int rounds) {
    auto grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    for (int r = 0; r < rounds; r++) {
        int v = data[(i + 1) % n];
        grid.sync();
        data[i] = v + 1;
        grid.sync();
    }
    if (grid.is_valid() && i == 0)
        *total = (int)grid.num_blocks();
}

__global__ void async_copy(const int *in, int *out) {
    extern __shared__ int s[];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int) * 128);
    cg::wait(block);
    out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}

__global__ void cp_async(const float4 *in, float4 *out) {
    __shared__ float4 s[64];
    int i = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[i]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + i));
    asm volatile("cp.async.commit_group;");
    unsigned half = (unsigned)__cvta_generic_to_shared(&s[32 + i]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(half), "l"(in + 32 + i), "r"(8));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    out[i] = s[31 - i];
    out[32 + i] = s[32 + i];
}

int main() {
    int *out = device<int>(384);
    groups<<<1, 64>>>(out);
    LAUNCHED;
    auto o = fetch(out, 384);
    printf("%d %d %d %d %d %d %d %d\n", o[0], o[63], o[64], o[127], o[159], o[191], o[199], o[255]);
    printf("%d %d %d %d %d\n", o[256], o[319], o[320], o[321], o[383]);
    int *data = device<int>(4 * 96), *total = device<int>(1);
    int rounds = 5;
    void *args[] = {&data, &total, &rounds};
    CUDA(cudaLaunchCooperativeKernel((void *)whole_grid, dim3(4), dim3(96), args, 0, 0));
    LAUNCHED;
    same("grid", fetch(data, 384), std::vector<int>(384, 5));
    printf("%d blocks\n", fetch(total, 1)[0]);
    std::vector<int> in(256), want(256);
    for (int i = 0; i < 256; i++)
        in[i] = i * 3, want[i] = (i / 128 * 128 + 127 - i % 128) * 3;
    int *copy = device<int>(256);
    async_copy<<<2, 128, 512>>>(device(in), copy);
    LAUNCHED;
    same("memcpy_async", fetch(copy, 256), want);
    std::vector<float4> f(64), wf(64);
    for (int i = 0; i < 64; i++)
        f[i] = make_float4(i, i + 1, i + 2, i + 3);
    for (int i = 0; i < 32; i++)
        wf[i] = f[31 - i], wf[32 + i] = make_float4(f[32 + i].x, f[32 + i].y, 0, 0);
    float4 *fo = device<float4>(64);
    cp_async<<<1, 32>>>(device(f), fo);
    LAUNCHED;
    same("cp.async", fetch(fo, 64), wf);
}
