/* Shared by the column sums by strips (10 to 12): a thread adds 16-byte chunks at a fixed distance
 * of rows. */
#pragma once

#include <stdint.h>

#include "clusters.h"

/* Returns true for a matrix that one launch of 10_column_sums_slices sums: 32 columns a block, 32
 * rows at a time. */
static inline bool is_small(int rows, int cols) {
    return rows <= 1024 && cols <= 64 * multiprocessors() && (size_t)rows * cols <= 1 << 20;
}

/* Returns true for a matrix of so many long rows that one block for each strip of columns lies too
 * far apart in memory: on an H100, slices of neighbouring rows are 4 to 10 % faster. */
static inline bool is_long(int rows, int cols) {
    return rows > 16384 && (size_t)rows * cols > 1 << 27;
}

/* The chunks of a thread: at `from` in `row`, then every `by` rows, up to row `last`. `in` and
 * `end` bound the matrix: the parts of its first and last chunk outside them are not read. */
struct chunks {
    const float *in, *end, *from;
    int row, last, by, cols;
};

static __device__ __forceinline__ void add(float4 *sum, float4 v) {
    sum->x += v.x;
    sum->y += v.y;
    sum->z += v.z;
    sum->w += v.w;
}

static __device__ float4 load_edge(const float *from, const float *in, const float *end) {
    float v[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = from + i >= in && from + i < end ? from[i] : 0;
    return make_float4(v[0], v[1], v[2], v[3]);
}

/* AT_ONCE: loads in flight. */
template <int AT_ONCE> static __device__ __forceinline__ float4 sum_of(chunks c) {
    size_t step = (size_t)c.by * c.cols;
    float4 sum = {};
    if (c.row < c.last && c.from < c.in) { /* the matrix's first chunk */
        sum = load_edge(c.from, c.in, c.end);
        c.from += step;
        c.row += c.by;
    }
    for (; c.row + (AT_ONCE - 1) * c.by < c.last - 1; c.row += AT_ONCE * c.by) {
        float4 v[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            v[j] = *(const float4 *)(c.from + j * step);
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            add(&sum, v[j]);
        c.from += AT_ONCE * step;
    }
    float4 v[AT_ONCE] = {}; /* the last turn also has its loads in flight together */
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        if (c.row + j * c.by < c.last) {
            const float *chunk = c.from + j * step;
            v[j] = chunk + 4 <= c.end ? *(const float4 *)chunk : load_edge(chunk, c.in, c.end);
        }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        add(&sum, v[j]);
    return sum;
}
