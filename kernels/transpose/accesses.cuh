/* accesses.cuh: accesses of 16 bytes, and the L2 policy that keeps their lines. */
#pragma once

#include <stdint.h>

#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int SECTOR = 32; /* bytes */

/* Returns true if 9_kept supports the matrices. */
template <typename T> static inline bool kept_takes(const T *in, const T *out, int rows, int cols) {
    return ((uintptr_t)in | (uintptr_t)out) % 16 == 0 && rows > 0 && cols > 0 &&
           rows * sizeof(T) % SECTOR == 0 && cols * sizeof(T) % 16 == 0;
}

/* Returns the policy (PTX ISA, createpolicy and ld with .L2::cache_hint). */
static __device__ __forceinline__ uint64_t evict_last(void) {
    uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}
