#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void partial_sums(const float *in, float *sums, int n) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ float of_warp[32];
    float x = 0;
    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size())
        x += in[i];
    x = cg::reduce(warp, x, cg::plus<float>());
    if (warp.thread_rank() == 0)
        of_warp[warp.meta_group_rank()] = x;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        x = warp.thread_rank() < warp.meta_group_size() ? of_warp[warp.thread_rank()] : 0;
        x = cg::reduce(warp, x, cg::plus<float>());
        if (warp.thread_rank() == 0)
            sums[blockIdx.x] = x;
    }
}
void solve(const float *in, float *out, int n) {
    const int blocks = 512;
    float *sums;
    cudaMalloc((void **)&sums, blocks * sizeof(float));
    partial_sums<<<blocks, 512>>>(in, sums, n);
    partial_sums<<<1, 512>>>(sums, out, blocks);
    cudaFree(sums);
}
