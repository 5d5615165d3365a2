// timed.h: what the programs of this folder share. A program is a list of cases; a case makes its
// data, runs its launches and looks at what came out. On a GPU a case's launches run with a cold L2
// as often as --runs says, between two events that are recorded while a kernel holds the stream (so
// that launching is no part of it), as `warpbook compare` does; with --once they run once and
// nothing is timed, which is what softgpu is asked for. Prints one JSON object a line and case.
//
//     ./PROGRAM [--once] [--runs N] [--seed N | --drawn N,N,...] [--list] [CASE...]
//
// A case's drawn values depend only on the seed and its name. --drawn gives them outright, which
// repeats a case whatever has become of the ranges since.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace timed {

struct options {
    bool once = false, list = false;
    int runs = 15;
    uint64_t seed = 1;
    std::vector<int> drawn;
    std::vector<std::string> cases;
};
inline options asked;
inline bool failed = false;
inline std::vector<void *> owned; // device memory of the case that runs

inline void must(cudaError_t status, const char *what) {
    if (status == cudaSuccess)
        return;
    printf("{\"error\": \"%s: %s\"}\n", what, cudaGetErrorString(status));
    exit(1);
}

inline void begin(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        if (word == "--once")
            asked.once = true;
        else if (word == "--list")
            asked.list = true;
        else if (word == "--runs" && i + 1 < argc)
            asked.runs = atoi(argv[++i]);
        else if (word == "--seed" && i + 1 < argc)
            asked.seed = strtoull(argv[++i], nullptr, 10);
        else if (word == "--drawn" && i + 1 < argc)
            for (char *at = argv[++i]; *at; at += *at != 0)
                asked.drawn.push_back((int)strtol(at, &at, 10));
        else
            asked.cases.push_back(word);
    }
}

// Well mixed bits of a number.
__host__ __device__ inline uint32_t mix(uint32_t x) {
    x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
    return x ^ x >> 16;
}
inline float unit(size_t i) { // in [0, 1)
    return (float)(mix((uint32_t)i + 12345) >> 8) / 16777216.0f;
}

template <class T> T *room(size_t n) {
    void *at = nullptr;
    must(cudaMalloc(&at, n * sizeof(T)), "cudaMalloc");
    must(cudaMemset(at, 0, n * sizeof(T)), "cudaMemset");
    owned.push_back(at);
    return (T *)at;
}

// An array on both sides: gpu is filled from cpu.
template <class T> struct array {
    std::vector<T> cpu;
    T *gpu = nullptr;
    size_t size() const {
        return cpu.size();
    }
};
template <class T, class F> array<T> make(size_t n, F value) {
    array<T> a;
    a.cpu.resize(n);
    for (size_t i = 0; i < n; i++)
        a.cpu[i] = (T)value(i);
    a.gpu = room<T>(n);
    must(cudaMemcpy(a.gpu, a.cpu.data(), n * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return a;
}
inline array<float> floats(size_t n) {
    return make<float>(n, unit);
}

template <class T> std::vector<T> back(const T *gpu, size_t n) {
    std::vector<T> cpu(n);
    must(cudaMemcpy(cpu.data(), gpu, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return cpu;
}

static __global__ void timed_read_all(const float *data, size_t n, float *out) {
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += data[i];
    if (sum == 1.2345e30f)
        *out = sum;
}

static __global__ void timed_hold(volatile int *gate) {
    uint64_t start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (*gate == 0 && now - start < 2000000);
}

class clock {
    float *flush;
    size_t n;
    int *gate;
    cudaEvent_t first, last;

  public:
    clock() {
        int bytes = 0;
        must(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0), "the size of L2");
        n = (size_t)bytes * 2 / sizeof(float);
        must(cudaMalloc(&flush, (n + 1) * sizeof(float)), "cudaMalloc");
        must(cudaMemset(flush, 0, (n + 1) * sizeof(float)), "cudaMemset");
        must(cudaHostAlloc(&gate, sizeof *gate, cudaHostAllocMapped), "cudaHostAlloc");
        must(cudaEventCreate(&first), "cudaEventCreate");
        must(cudaEventCreate(&last), "cudaEventCreate");
    }
    double seconds(const std::function<void()> &launch, bool cold) {
        must(cudaDeviceSynchronize(), "what ran before");
        if (cold) {
            cudaCtxResetPersistingL2Cache();
            timed_read_all<<<1024, 256>>>(flush, n, flush + n);
        }
        *(volatile int *)gate = 0;
        timed_hold<<<1, 1>>>(gate);
        cudaEventRecord(first);
        launch();
        cudaEventRecord(last);
        *(volatile int *)gate = 1;
        must(cudaGetLastError(), "launch");
        must(cudaDeviceSynchronize(), "run");
        float ms = 0;
        must(cudaEventElapsedTime(&ms, first, last), "cudaEventElapsedTime");
        return ms * 1e-3;
    }
};

class one_case {
    std::string name, drawn;
    bool wanted;
    size_t draws = 0;
    uint64_t state;
    std::vector<double> took;
    std::string wrong;

  public:
    explicit one_case(const char *name)
        : name(name), wanted(!asked.list), state(asked.seed * 0x9e3779b97f4a7c15ULL + 1) {
        if (asked.list)
            printf("%s\n", name);
        if (!asked.cases.empty() &&
            std::find(asked.cases.begin(), asked.cases.end(), name) == asked.cases.end())
            wanted = false;
        for (const char *c = name; *c; c++)
            state = (state ^ (uint64_t)*c) * 0x100000001b3ULL;
    }
    one_case(const one_case &) = delete;
    explicit operator bool() const {
        return wanted;
    }

    // A whole number from low to high, kept with the results.
    int draw(const char *what, int low, int high) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        int value = low + (int)(mix((uint32_t)(state >> 32)) % (uint32_t)(high - low + 1));
        if (draws < asked.drawn.size())
            value = asked.drawn[draws];
        draws++;
        drawn +=
            std::string(drawn.empty() ? "" : ", ") + "\"" + what + "\": " + std::to_string(value);
        return value;
    }
    // Runs launch; before each run `prepare` makes the data what it was. Both only put work on the
    // default stream.
    void time(
        const std::function<void()> &launch, const std::function<void()> &prepare = [] {}) {
        if (asked.once) {
            prepare();
            launch();
            must(cudaGetLastError(), "launch");
            must(cudaDeviceSynchronize(), name.c_str());
            return;
        }
        static class clock clock;
        for (int i = 0; i < asked.runs + 2; i++) { // the first two warm instructions and clocks
            prepare();
            double s = clock.seconds(launch, true);
            if (i >= 2)
                took.push_back(s);
        }
    }
    void expect(const char *what, double got, double want, double off = 1e-3) {
        if (!(std::fabs(got - want) <= off * (std::fabs(want) + 1e-6)) && wrong.empty())
            wrong = std::string(what) + " is " + std::to_string(got) + " and must be " +
                    std::to_string(want);
    }
    // Some thousand elements of an array on the GPU beside what they must be.
    template <class T, class F> void check(const T *gpu, size_t n, F want, double off = 1e-3) {
        std::vector<T> cpu = back(gpu, n);
        size_t step = n / 1009 + 1;
        for (size_t i = 0; i < n; i = i + 1 == n ? n : std::min(i + step, n - 1))
            expect(("element " + std::to_string(i)).c_str(), (double)cpu[i], (double)want(i), off);
    }
    ~one_case() {
        for (void *p : owned)
            cudaFree(p);
        owned.clear();
        if (!wanted)
            return;
        printf("{\"case\": \"%s\", \"drawn\": {%s}", name.c_str(), drawn.c_str());
        std::sort(took.begin(), took.end());
        if (!took.empty())
            printf(", \"seconds\": %.9g, \"q1\": %.9g, \"q3\": %.9g, \"min\": %.9g, \"runs\": %zu",
                   took[took.size() / 2], took[took.size() / 4], took[took.size() * 3 / 4], took[0],
                   took.size());
        if (!wrong.empty())
            printf(", \"error\": \"%s\"", wrong.c_str()), failed = true;
        printf("}\n");
        fflush(stdout);
    }
};

} // namespace timed

// CASE("name") { ... c.time(...); c.check(...); }
#define CASE(name) if (timed::one_case c(name); c)
// The index of this thread in a row of blocks, and blocks enough for n threads.
#define INDEX ((size_t)blockIdx.x * blockDim.x + threadIdx.x)
inline unsigned blocks(size_t n, unsigned threads) {
    return (unsigned)((n + threads - 1) / threads);
}
