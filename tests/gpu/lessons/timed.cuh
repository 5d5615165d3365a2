// timed.cuh: what the notebooks' own kernels take: `NAME MILLISECONDS MILLISECONDS_IN_A_ROW` a line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { RUNS = 15, ROW = 40 };

static void sound(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    printf("%s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

template <class T> static T *device(size_t n) {
    T *p;
    sound(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
    sound(cudaMemset(p, 0, n * sizeof(T)), "cudaMemset");
    return p;
}

template <class T> static T *device(const std::vector<T> &from) {
    T *p = device<T>(from.size());
    sound(cudaMemcpy(p, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return p;
}

template <class T> static std::vector<T> host(const T *from, size_t n) {
    std::vector<T> to(n);
    sound(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return to;
}

static float between(cudaEvent_t a, cudaEvent_t b) {
    float ms;
    sound(cudaEventSynchronize(b), "a launch");
    cudaEventElapsedTime(&ms, a, b);
    return ms;
}

// One launch first, which may load code; then the median of 15 between events, each with a cold L2; then one of 40 in a row.
template <class F> static void timed(const char *name, F launch) {
    static char *cold = device<char>(256 << 20);
    cudaEvent_t a, b;
    std::vector<float> ms;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    launch();
    for (int i = 0; i < RUNS; i++) {
        cudaMemsetAsync(cold, i, 256 << 20);
        cudaEventRecord(a);
        launch();
        cudaEventRecord(b);
        ms.push_back(between(a, b));
    }
    std::sort(ms.begin(), ms.end());
    cudaEventRecord(a);
    for (int i = 0; i < ROW; i++) launch();
    cudaEventRecord(b);
    printf("%-28s %9.4f %9.4f\n", name, ms[RUNS / 2], between(a, b) / ROW);
    fflush(stdout);
}

// How many of the numbers that lie there are not what they should be.
static void held(const char *name, const float *from, const std::vector<float> &right, double within = 0) {
    std::vector<float> got = host(from, right.size());
    size_t wrong = 0;
    for (size_t i = 0; i < right.size(); i++) wrong += !(std::abs(got[i] - right[i]) <= within * std::max(1.f, std::abs(right[i])));
    if (wrong) printf("%s: %zu of %zu are wrong\n", name, wrong, right.size()), exit(1);
}
