// Times an empty kernel in a stream and in a graph, one after another and side by side. Build:
// nvcc -O2 -arch=native. Its output is kept in results/graphs; runtime/model/time.h has a figure
// from it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>
__global__ void empty() {
}
__global__ void spin(long long clocks) {
    long long t = clock64();
    while (clock64() - t < clocks) {
    }
}
static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
               .count() *
           1e6;
}
#define C(x)                                                                                       \
    do {                                                                                           \
        cudaError_t c_ = (x);                                                                      \
        if (c_) {                                                                                  \
            printf("%s: %s\n", #x, cudaGetErrorName(c_));                                          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
static cudaStream_t s;
static cudaEvent_t b, e;
template <class F> void time(const char *name, int nodes, F f) {
    std::vector<double> whole, issue, gpu;
    for (int r = 0; r < 60; r++) {
        C(cudaStreamSynchronize(s));
        double t = now();
        f();
        double u = now();
        C(cudaStreamSynchronize(s));
        double v = now();
        issue.push_back(u - t), whole.push_back(v - t);
        // on the device: behind a kernel that runs until all is issued
        spin<<<1, 1, 0, s>>>(1500000 + 12000ll * nodes);
        C(cudaEventRecord(b, s));
        f();
        C(cudaEventRecord(e, s));
        C(cudaStreamSynchronize(s));
        float ms;
        C(cudaEventElapsedTime(&ms, b, e));
        gpu.push_back(ms * 1e3);
    }
    auto q = [](std::vector<double> v, double at) {
        v.erase(v.begin(), v.begin() + 10);
        std::sort(v.begin(), v.end());
        return v[(size_t)(at * (v.size() - 1))];
    };
    printf("%-28s %5d nodes: issue %9.2f us, issue to done %9.2f us (10%% %.2f, 90%% %.2f), on the "
           "device %9.2f us (10%% %.2f, 90%% %.2f)\n",
           name, nodes, q(issue, .5), q(whole, .5), q(whole, .1), q(whole, .9), q(gpu, .5),
           q(gpu, .1), q(gpu, .9));
    fflush(stdout);
}
static cudaGraphExec_t make(int n, int width, void *f = (void *)empty, dim3 grid = 1) {
    cudaGraph_t g;
    cudaGraphExec_t x;
    C(cudaGraphCreate(&g, 0));
    std::vector<cudaGraphNode_t> before, all;
    for (int i = 0; i < n; i++) {
        cudaKernelNodeParams p = {f, grid, dim3(32), 0, nullptr, nullptr};
        cudaGraphNode_t node;
        C(cudaGraphAddKernelNode(&node, g, i >= width ? &all[i - width] : nullptr, i >= width, &p));
        all.push_back(node);
    }
    double t = now();
    C(cudaGraphInstantiate(&x, g, 0));
    double u = now();
    printf("instantiate %d nodes, %d wide: %.1f us\n", n, width, u - t);
    C(cudaGraphUpload(x, s));
    C(cudaStreamSynchronize(s));
    C(cudaGraphDestroy(g));
    return x;
}
int main() {
    cudaDeviceProp p;
    C(cudaGetDeviceProperties(&p, 0));
    int d, r;
    C(cudaDriverGetVersion(&d));
    C(cudaRuntimeGetVersion(&r));
    printf("%s, driver %d, runtime %d\n", p.name, d, r);
    C(cudaStreamCreate(&s));
    C(cudaEventCreate(&b));
    C(cudaEventCreate(&e));
    time("nothing (two events)", 0, [] {});
    for (int n : {1, 2, 10, 100, 1000})
        time("stream", n, [&] {
            for (int i = 0; i < n; i++)
                empty<<<1, 32, 0, s>>>();
        });
    for (int n : {1, 2, 10, 100, 1000}) {
        auto x = make(n, 1);
        time("graph, chain", n, [&] { C(cudaGraphLaunch(x, s)); });
        C(cudaGraphExecDestroy(x));
    }
    for (int n : {2, 10, 100, 1000}) {
        auto x = make(n, n);
        time("graph, parallel", n, [&] { C(cudaGraphLaunch(x, s)); });
        C(cudaGraphExecDestroy(x));
    }
    for (int w : {2, 4, 8, 16}) {
        auto x = make(96, w);
        printf("%d chains: ", w);
        time("graph, chains", 96, [&] { C(cudaGraphLaunch(x, s)); });
        C(cudaGraphExecDestroy(x));
    }
    for (int n : {1, 10, 100}) {
        auto x = make(n, 1, (void *)empty, 132 * 8);
        time("graph, chain, 1056 blocks", n, [&] { C(cudaGraphLaunch(x, s)); });
        C(cudaGraphExecDestroy(x));
    }
    for (int n : {1, 10, 100})
        time("stream, 1056 blocks", n, [&] {
            for (int i = 0; i < n; i++)
                empty<<<132 * 8, 32, 0, s>>>();
        });
}
