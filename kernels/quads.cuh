/* quads.cuh: floats four at a time, 16 bytes an access, wherever an array begins and ends.
 *
 * Quads are counted from the last 16-byte boundary at or before an array, so the first may begin up
 * to three elements before element 0 (an index below 0), and the last may end behind the array:
 * what lies outside is not read, and not written. Two arrays can both be accessed so where they lie
 * alike (quads_alike); else the one that is written takes its elements one by one. */
#ifndef WARPBOOK_QUADS_CUH
#define WARPBOOK_QUADS_CUH

#include <stddef.h>
#include <stdint.h>

/* How many elements of the array's first quad lie before it. */
static __host__ __device__ __forceinline__ int quads_skip(const float *array) {
    return (int)((uintptr_t)array / sizeof(float) % 4);
}

static inline bool quads_alike(const float *a, const float *b) {
    return quads_skip(a) == quads_skip(b);
}

/* Elements i to i + 3 of n; `none` for those that are none of the array's. */
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

/* together: the array lies as the one that i was counted for. */
static __device__ __forceinline__ void quad_store(float *to, ptrdiff_t i, ptrdiff_t n, float4 v,
                                                  bool together) {
    if (together && i >= 0 && i + 4 <= n) {
        __stwb((float4 *)(to + i), v); /* an assignment the compiler would take apart again */
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

#endif
