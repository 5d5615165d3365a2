/* Softmax of rows of any length and number.
 *
 * The idea: one block per row leaves most of the device idle if there are few rows, and a row too
 * long for one block must be read twice. So the blocks of a cluster share such a row (clusters.cu).
 * Rows too long for a cluster are cut into segments, one block each. A first launch finds each
 * segment's largest element and sum. A second reads the segments again, joins the first results of
 * its row in a fixed order, and writes. It starts and loads while the first still runs (overlap.h),
 * and reads from L2 what that still holds. All other rows use 5_quads.
 *
 * Predicted on an H200: by segments 1024 x 65536 two thirds of the copy's speed, 190 us. Measured:
 * 198 -> 190 (a copy 126). With few rows a second launch costs more than idle multiprocessors do
 * up to 12288 columns. Measured on an H100 (us, by segments in brackets): 1 x 4797 5.02 (6.53), 10
 * x 5531 5.28 (7.84), 100 x 5000 6.02 (8.26).
 *
 * Sectors/request: load 16, store 16 (512 bytes a warp, all used). */
#include "launch.h"
#include "overlap.h"
#include "rows.cuh"
#include "warpbook.h"

constexpr int THREADS = 256, V = 4, SEGMENT = THREADS * V * 4;
constexpr int LONGEST_FEW = 12288; /* columns for one block, when there are few rows */

/* A block's segment: quads of row `row` in its threads. */
struct segment {
    float4 quad[V];
    const float *from;
    ptrdiff_t first;
    unsigned row, part;
};

static __device__ __forceinline__ segment load_segment(const float *in, int cols, unsigned parts) {
    segment s;
    s.row = blockIdx.x / parts;
    s.part = blockIdx.x % parts;
    s.from = in + (size_t)s.row * cols;
    s.first = (ptrdiff_t)s.part * SEGMENT + (ptrdiff_t)threadIdx.x * 4 - quads_skip(s.from);
#pragma unroll
    for (int k = 0; k < V; k++)
        s.quad[k] = quad_load(s.from, s.first + k * (THREADS * 4), cols, -INFINITY);
    return s;
}

/* Computes found[block], its segment's normalizer. */
static __global__ void __launch_bounds__(THREADS)
    find(const float *__restrict__ in, float2 *found, int cols, unsigned parts) {
    __shared__ float maxima[THREADS / 32], sums[THREADS / 32];
    segment s = load_segment(in, cols, parts);
    overlap_next();
    normalizer mine = {-INFINITY, 0};
#pragma unroll
    for (int k = 0; k < V; k++)
        take_in(&mine, s.quad[k]);
    float most = of_group<false, THREADS>(mine.most, maxima);
    float sum = of_group<true, THREADS>(share_in(mine, most), sums);
    if (threadIdx.x == 0)
        found[blockIdx.x] = make_float2(most, sum);
}

static __global__ void __launch_bounds__(THREADS)
    finish(const float *__restrict__ in, float *out, const float2 *found, int cols,
           unsigned parts) {
    __shared__ float maxima[THREADS / 32], sums[THREADS / 32];
    segment s = load_segment(in, cols, parts);
    overlap_wait();
    const float2 *of_row = found + (size_t)s.row * parts;
    float most = -INFINITY, sum = 0;
    for (unsigned p = threadIdx.x; p < parts; p += THREADS)
        most = fmaxf(most, of_row[p].x);
    most = of_group<false, THREADS>(most, maxima);
    for (unsigned p = threadIdx.x; p < parts; p += THREADS)
        sum += share_in({of_row[p].x, of_row[p].y}, most);
    sum = of_group<true, THREADS>(sum, sums);
    float share = 1 / (sum + (most - most)); /* NaN if the largest is infinite */
    float *to = out + (s.from - in);
    bool together = quads_skip(s.from) == quads_skip(to);
#pragma unroll
    for (int k = 0; k < V; k++)
        quad_store(to, s.first + k * (THREADS * 4), cols, times(powers_of(s.quad[k], most), share),
                   together);
}

static cudaError_t by_segments(const float *in, float *out, float *work, int rows, int cols,
                               cudaStream_t stream) {
    unsigned parts = (unsigned)(softmax_width(in, cols) - 1) / SEGMENT + 1;
    size_t blocks = (size_t)rows * parts;
    if (blocks > 0x7fffffff)
        return cudaErrorInvalidValue;
    float2 *found = (float2 *)(((uintptr_t)work + 7) / 8 * 8);
    find<<<(unsigned)blocks, THREADS, 0, stream>>>(in, found, cols, parts);
    return launch_overlapped(finish, (unsigned)blocks, THREADS, stream, in, out,
                             (const float2 *)found, cols, parts);
}

extern "C" cudaError_t wbk_softmax_by_length_f32(const float *in, float *out, float *work, int rows,
                                                 int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    const bool few = rows < multiprocessors();
    const int width = softmax_width(in, cols), longest = few ? LONGEST_FEW : LONGEST_KEPT;
    if (width <= longest)
        return wbk_softmax_quads_f32(in, out, rows, cols, stream);
    cudaError_t status = wbk_softmax_rows_by_clusters(in, out, rows, cols, few, stream);
    return status != cudaErrorNotSupported ? status
                                           : by_segments(in, out, work, rows, cols, stream);
}
