// Honest work: a cooperative launch of a block for each multiprocessor.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sum(const float *in, float *parts, float *out, int n) {
    cg::grid_group g = cg::this_grid();
    float t = 0;
    for (int i = g.thread_rank(); i < n; i += g.size())
        t += in[i];
    auto w = cg::tiled_partition<32>(cg::this_thread_block());
    for (int s = 16; s; s /= 2)
        t += w.shfl_down(t, s);
    if (w.thread_rank() == 0)
        parts[g.thread_rank() / 32] = t;
    g.sync();
    if (g.thread_rank() < 32) {
        t = 0;
        for (int i = threadIdx.x; i < g.size() / 32; i += 32)
            t += parts[i];
        for (int s = 16; s; s /= 2)
            t += w.shfl_down(t, s);
        if (threadIdx.x == 0)
            out[0] = t;
    }
}
void solve(const float *in, float *out, int n) {
    int sms;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    float *parts;
    cudaMalloc(&parts, sms * 8 * sizeof(float));
    void *args[] = {&in, &parts, &out, &n};
    cudaLaunchCooperativeKernel((void *)sum, sms, 256, args, 0, 0);
    cudaFree(parts);
}
