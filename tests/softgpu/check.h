/* check.h: what the cases share: CUDA calls that must succeed, arrays there and back, and lines of
 * the form "NAME ok" or "NAME WRONG at 3: got 1, want 2". */
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA(call)                                                                                 \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define LAUNCHED                                                                                   \
    do {                                                                                           \
        CUDA(cudaGetLastError());                                                                  \
        CUDA(cudaDeviceSynchronize());                                                             \
    } while (0)

template <class T> T *device(const std::vector<T> &v) {
    T *p;
    CUDA(cudaMalloc(&p, v.size() * sizeof(T) + 1));
    CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <class T> T *device(size_t n) {
    return device(std::vector<T>(n));
}

template <class T> std::vector<T> fetch(const T *p, size_t n) {
    std::vector<T> v(n);
    CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

inline void say(const char *name, bool ok) {
    printf("%s %s\n", name, ok ? "ok" : "WRONG");
}

/* Bit for bit, save that any NaN equals any other. */
template <class T>
bool same(const char *name, const std::vector<T> &got, const std::vector<T> &want) {
    for (size_t i = 0; i < want.size(); i++) {
        bool equal = memcmp(&got[i], &want[i], sizeof(T)) == 0;
        if constexpr (std::is_floating_point<T>::value)
            equal = equal || (std::isnan(got[i]) && std::isnan(want[i]));
        if (equal)
            continue;
        if constexpr (std::is_floating_point<T>::value)
            printf("%s WRONG at %zu: got %a, want %a\n", name, i, (double)got[i], (double)want[i]);
        else if constexpr (std::is_integral<T>::value)
            printf("%s WRONG at %zu: got %#llx, want %#llx\n", name, i, (unsigned long long)got[i],
                   (unsigned long long)want[i]);
        else
            printf("%s WRONG at %zu\n", name, i);
        return false;
    }
    printf("%s ok\n", name);
    return true;
}

/* A small generator, the same on host and device. */
struct Random {
    uint64_t state;
    __host__ __device__ explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 1) {
    }
    __host__ __device__ uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state * 0x2545F4914F6CDD1Du;
    }
};
