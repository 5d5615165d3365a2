/* accesses.cuh: accesses of 16 bytes, and the L2 policy that keeps their lines. */
#ifndef WARPBOOK_ACCESSES_CUH
#define WARPBOOK_ACCESSES_CUH

#include <stdint.h>

#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

/* Returns the policy (PTX ISA, createpolicy and ld with .L2::cache_hint). */
static __device__ __forceinline__ uint64_t evict_last(void) {
    uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

#endif
