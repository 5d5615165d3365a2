/* rows.cuh: rows kept in registers, four elements an access, as many threads as a row is long.
 *
 * A group of G threads takes a row: some lanes, a warp, or a block. A thread keeps V quads of it in
 * registers. Rows begin anywhere: quads are counted from the boundary of 16 bytes at or before
 * (quads.cuh), and what lies outside the row counts as -infinity, whose exponential is 0. */
#ifndef WARPBOOK_SOFTMAX_ROWS_CUH
#define WARPBOOK_SOFTMAX_ROWS_CUH

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

/* Of some elements: the largest, and the sum of exp(x - largest). */
struct normalizer {
    float most, sum;
};

/* Four more. Where there is nothing but -infinity yet there is nothing to subtract. */
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

/* What a part adds to the sum of exp(x - most) of the whole. */
static __device__ __forceinline__ float share_in(normalizer part, float most) {
    return part.most == most ? part.sum : part.sum * __expf(part.most - most);
}

/* The largest of a group's values, or their sum, to each of its threads; a group above a warp is a
 * block, and `warps` is used once. */
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

template <int G, int V, int THREADS, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    softmax_rows(const float *__restrict__ in, float *out, int rows, int cols) {
    __shared__ float maxima[(THREADS + 31) / 32], sums[(THREADS + 31) / 32];
    int row = (int)(blockIdx.x * (THREADS / G) + threadIdx.x / G);
    bool there = row < rows; /* the warp's other lanes may have a row: this one only votes */
    const float *from = in + (size_t)(there ? row : 0) * cols;
    float *to = out + (from - in);
    bool together = quads_skip(from) == quads_skip(to);
    int first = (int)(threadIdx.x % G) * 4 - quads_skip(from), n = there ? cols : 0;
    float4 quad[V];
    float most = -INFINITY, sum = 0;
#pragma unroll
    for (int k = 0; k < V; k++)
        quad[k] = quad_load(from, first + k * (G * 4), n, -INFINITY);
#pragma unroll
    for (int k = 0; k < V; k++)
        most = fmaxf(most, largest_of(quad[k]));
    most = of_group<false, G>(most, maxima);
#pragma unroll
    for (int k = 0; k < V; k++) {
        quad[k] = powers_of(quad[k], most);
        sum += sum_of(quad[k]);
    }
    float share = 1 / of_group<true, G>(sum, sums);
#pragma unroll
    for (int k = 0; k < V; k++)
        quad_store(to, first + k * (G * 4), n, times(quad[k], share), together);
}

template <int G, int V, int THREADS, int BLOCKS>
static void launch_softmax_rows(const float *in, float *out, int rows, int cols,
                                cudaStream_t stream) {
    unsigned blocks = ((unsigned)rows - 1) / (THREADS / G) + 1;
    softmax_rows<G, V, THREADS, BLOCKS><<<blocks, THREADS, 0, stream>>>(in, out, rows, cols);
}

constexpr int LONGEST_KEPT = 1024 * 8 * 4;

/* How much of a row's quads there may be: none of an aligned matrix begins before its row. */
static int softmax_width(const float *in, int cols) {
    return cols % 4 == 0 && quads_skip(in) == 0 ? cols : cols < 0x7ffffffc ? cols + 3 : cols;
}

/* False where rows are too long for it, and nothing is launched. */
static bool launch_kept_rows(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    int width = softmax_width(in, cols);
    if (width > LONGEST_KEPT)
        return false;
    if (width <= 16)
        launch_softmax_rows<4, 1, 128, 1>(in, out, rows, cols, stream);
    else if (width <= 32)
        launch_softmax_rows<8, 1, 128, 1>(in, out, rows, cols, stream);
    else if (width <= 64)
        launch_softmax_rows<16, 1, 128, 1>(in, out, rows, cols, stream);
    else if (width <= 128)
        launch_softmax_rows<32, 1, 128, 1>(in, out, rows, cols, stream);
    else if (width <= 256)
        launch_softmax_rows<32, 2, 128, 1>(in, out, rows, cols, stream);
    else if (width <= 512)
        launch_softmax_rows<32, 4, 128, 1>(in, out, rows, cols, stream);
    else if (width <= 1024)
        launch_softmax_rows<32, 8, 128, 1>(in, out, rows, cols, stream);
    else if (width <= 2048)
        launch_softmax_rows<64, 8, 64, 1>(in, out, rows, cols, stream);
    else if (width <= 4096)
        launch_softmax_rows<128, 8, 128, 1>(in, out, rows, cols, stream);
    else if (width <= 8192)
        launch_softmax_rows<512, 4, 512, 1>(in, out, rows, cols, stream);
    else if (width <= 12288)
        launch_softmax_rows<512, 6, 512, 2>(in, out, rows, cols, stream);
    else if (width <= 16384)
        launch_softmax_rows<1024, 4, 1024, 2>(in, out, rows, cols, stream);
    else
        launch_softmax_rows<1024, 8, 1024, 1>(in, out, rows, cols, stream);
    return true;
}

#endif
