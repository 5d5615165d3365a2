#include <cooperative_groups.h>
__global__ void k(const float *a, const float *f, float *o, float *tmp, int R, int C, int steps) {
    auto g = cooperative_groups::this_grid();
    const float *from = a;
    int n = R * C;
    for (int s = 0; s < steps; s++) {
        float *to = (steps - s) % 2 ? o : tmp;
        for (int i = g.thread_rank(); i < n; i += g.size()) {
            int r = i / C, c = i - r * C;
            to[i] = r > 0 && r < R - 1 && c > 0 && c < C - 1
                        ? .25f * (from[i - C] + from[i + C] + from[i - 1] + from[i + 1] + f[i])
                        : from[i];
        }
        from = to;
        g.sync();
    }
}
void solve(const float *a, const float *f, float *o, int R, int C, int steps) {
    if (!steps) {
        cudaMemcpy(o, a, (size_t)R * C * 4, cudaMemcpyDeviceToDevice);
        return;
    }
    float *t;
    cudaMalloc(&t, (size_t)R * C * 4);
    void *p[] = {&a, &f, &o, &t, &R, &C, &steps};
    cudaLaunchCooperativeKernel((void *)k, 264, 1024, p, 0, 0);
    cudaFree(t);
}
