/* rows.cuh: the largest element of a row and the sum of its exponentials, four elements per access.
 *
 * Rows may begin anywhere. Quads are counted from the 16-byte boundary at or before them
 * (quads.cuh). Elements outside the row count as -infinity, whose exponential is 0. */
#pragma once

#include <math.h>

#include "quads.cuh"

static __device__ __forceinline__ float largest_of(float4 v) {
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

static __device__ __forceinline__ float sum_of(float4 v) {
    return (v.x + v.y) + (v.z + v.w);
}

static __device__ __forceinline__ float4 powers_of(float4 v, float most) {
    return make_float4(__expf(v.x - most), __expf(v.y - most), __expf(v.z - most),
                       __expf(v.w - most));
}

static __device__ __forceinline__ float4 times(float4 v, float factor) {
    return make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
}

/* The largest of some elements, and their sum of exp(x - largest). */
struct normalizer {
    float most, sum;
};

/* Adds four elements. If all so far are -infinity, there is nothing to subtract. */
static __device__ __forceinline__ void take_in(normalizer *all, float4 v) {
    float most = fmaxf(all->most, largest_of(v));
    bool nothing = v.x <= -INFINITY && v.y <= -INFINITY && v.z <= -INFINITY && v.w <= -INFINITY;
    if (nothing)
        return;
    if (most > all->most)
        all->sum *= __expf(all->most - most);
    all->most = most;
    all->sum += sum_of(powers_of(v, most));
}

/* Returns a part's share of the whole sum of exp(x - most). */
static __device__ __forceinline__ float share_in(normalizer part, float most) {
    return part.most == most ? part.sum : part.sum * __expf(part.most - most);
}

/* Returns the largest of a group's values, or their sum, to each of its threads. A group larger
 * than a warp is a block. `warps` is used once. */
template <bool SUM, int G>
static __device__ __forceinline__ float of_group(float value, float *warps) {
#pragma unroll
    for (int step = (G < 32 ? G : 32) / 2; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, step);
        value = SUM ? value + other : fmaxf(value, other);
    }
    if (G <= 32)
        return value;
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
#pragma unroll
    for (int w = 1; w < G / 32; w++)
        value = SUM ? value + warps[w] : fmaxf(value, warps[w]);
    return value;
}

constexpr int LONGEST_KEPT = 1024 * 8 * 4;

/* Returns the most elements that a row's quads cover. Rows of an aligned matrix have no elements
 * before them. */
static inline int softmax_width(const float *in, int cols) {
    return cols % 4 == 0 && quads_skip(in) == 0 ? cols : cols < 0x7ffffffc ? cols + 3 : cols;
}

/* Launches for rows that several blocks share. `few`: there are multiprocessors for more blocks.
 * Returns cudaErrorNotSupported and launches nothing if the device has no clusters, or there are
 * too many rows or columns. */
cudaError_t wbk_softmax_rows_by_clusters(const float *in, float *out, int rows, int cols, bool few,
                                         cudaStream_t stream);
