/* quads.cuh: accesses floats four at a time (16 bytes) for any begin and end of an array.
 *
 * Quads are counted from the last 16-byte boundary at or before the array. So the first may begin
 * up to three elements before element 0 (a negative index), and the last may end behind the array.
 * Elements outside are neither read nor written. Two arrays can both use quads if they have the
 * same offset (quads_alike). Otherwise the written one uses single elements. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns how many elements of the array's first quad are before the array. */
static __host__ __device__ __forceinline__ int quads_skip(const float *array) {
    return (int)((uintptr_t)array / sizeof(float) % 4);
}

static inline bool quads_alike(const float *a, const float *b) {
    return quads_skip(a) == quads_skip(b);
}

/* Loads elements i to i + 3 of n. Elements outside the array become `none`. */
static __device__ __forceinline__ float4 quad_load(const float *from, ptrdiff_t i, ptrdiff_t n,
                                                   float none) {
    if (i >= 0 && i + 4 <= n)
        return *(const float4 *)(from + i);
    float4 v;
    v.x = i >= 0 && i < n ? from[i] : none;
    v.y = i >= -1 && i + 1 < n ? from[i + 1] : none;
    v.z = i >= -2 && i + 2 < n ? from[i + 2] : none;
    v.w = i >= -3 && i + 3 < n ? from[i + 3] : none;
    return v;
}

/* together: the array has the offset for which i was counted. */
static __device__ __forceinline__ void quad_store(float *to, ptrdiff_t i, ptrdiff_t n, float4 v,
                                                  bool together) {
    if (together && i >= 0 && i + 4 <= n) {
        __stwb((float4 *)(to + i), v); /* the compiler would split an assignment */
        return;
    }
    if (i >= 0 && i < n)
        to[i] = v.x;
    if (i >= -1 && i + 1 < n)
        to[i + 1] = v.y;
    if (i >= -2 && i + 2 < n)
        to[i + 2] = v.z;
    if (i >= -3 && i + 3 < n)
        to[i + 3] = v.w;
}
