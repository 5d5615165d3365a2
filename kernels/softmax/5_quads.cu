/* Softmax of rows at the speed of a copy.
 *
 * The idea: as many threads per row as its length requires, each with up to eight 16-byte loads,
 * all in flight before the first is used. A row of 1024 gets a warp and needs no barrier. A row of
 * 4096 gets 128 threads. A row of 32768 gets 1024 threads and half of an SM's registers. Other
 * blocks of the SM hide the wait for the two reductions. With only one block, the loads and stores
 * of other SMs do, which costs little.
 *
 * A block reads rows of more than 32768 columns twice, as in 3_online.
 *
 * Predicted on an H200: 0.9 of the copy from 1024 x 1024 up, and less at 32768, with one block per
 * SM. Measured (us, the copy in brackets): 1024 x 1024 5.95 (5.4), 2048 x 2048 10.5 (10.8), 4096 x
 * 4096 32.4 (32.6), 8192 x 8192 129.3 (126.2), 16384 x 16384 514 (507), 32768 x 32768 2075 (2009);
 * 8191 x 8193, whose rows begin anywhere, 138 (129), 65536 x 64 11.0 (10.7).
 *
 * Sectors/request: load 16, store 16 (512 bytes a warp, all used). */
#include "rows.cuh"
#include "warpbook.h"

/* Loads elements i to i + 3 of a row of n, with -infinity beyond its end. */
template <bool WHOLE>
static __device__ __forceinline__ float4 row_load(const float *from, int i, int n) {
    if constexpr (!WHOLE)
        return quad_load(from, i, n, -INFINITY);
    return i < n ? *(const float4 *)(from + i)
                 : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
}

template <bool WHOLE>
static __device__ __forceinline__ void row_store(float *to, int i, int n, float4 v, bool together) {
    if constexpr (!WHOLE)
        quad_store(to, i, n, v, together);
    else if (i < n)
        *(float4 *)(to + i) = v;
}

/* A group of G threads takes a row: some lanes, a warp, or a block. A thread keeps V quads in
 * registers. WHOLE: all rows are whole quads, so edges are not checked. */
template <int G, int V, int THREADS, int BLOCKS, bool WHOLE>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    softmax_rows(const float *__restrict__ in, float *out, int rows, int cols) {
    __shared__ float maxima[(THREADS + 31) / 32], sums[(THREADS + 31) / 32];
    int row = (int)(blockIdx.x * (THREADS / G) + threadIdx.x / G);
    bool there = row < rows; /* other lanes of the warp may have a row; this one only votes */
    const float *from = in + (size_t)(there ? row : 0) * cols;
    float *to = out + (from - in);
    bool together = quads_skip(from) == quads_skip(to);
    int first = (int)(threadIdx.x % G) * 4 - (WHOLE ? 0 : quads_skip(from)), n = there ? cols : 0;
    float4 quad[V];
    float most = -INFINITY, sum = 0;
#pragma unroll
    for (int k = 0; k < V; k++)
        quad[k] = row_load<WHOLE>(from, first + k * (G * 4), n);
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
        row_store<WHOLE>(to, first + k * (G * 4), n, times(quad[k], share), together);
}

template <int G, int V, int THREADS, int BLOCKS>
static void launch_softmax_rows(const float *in, float *out, int rows, int cols,
                                cudaStream_t stream) {
    unsigned blocks = ((unsigned)rows - 1) / (THREADS / G) + 1;
    auto *kernel = softmax_rows<G, V, THREADS, BLOCKS, false>;
    if constexpr (G * V >= 256)
        if (cols % 4 == 0 && quads_skip(in) == 0 && quads_skip(out) == 0)
            kernel = softmax_rows<G, V, THREADS, BLOCKS, true>;
    kernel<<<blocks, THREADS, 0, stream>>>(in, out, rows, cols);
}

/* Returns false and launches nothing if rows are too long. */
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

constexpr int THREADS = 512;

static __global__ void __launch_bounds__(THREADS)
    twice(const float *__restrict__ in, float *out, int cols) {
    __shared__ float maxima[THREADS / 32], sums[THREADS / 32];
    const float *from = in + (size_t)blockIdx.x * cols;
    float *to = out + (size_t)blockIdx.x * cols;
    bool together = quads_skip(from) == quads_skip(to);
    ptrdiff_t first = (ptrdiff_t)threadIdx.x * 4 - quads_skip(from);
    normalizer mine = {-INFINITY, 0};
    for (ptrdiff_t i = first; i < cols; i += THREADS * 4)
        take_in(&mine, quad_load(from, i, cols, -INFINITY));
    float most = of_group<false, THREADS>(mine.most, maxima);
    float sum = of_group<true, THREADS>(share_in(mine, most), sums);
    float share = 1 / (sum + (most - most)); /* NaN if the largest is infinite */
    for (ptrdiff_t i = first; i < cols; i += THREADS * 4)
        quad_store(to, i, cols, times(powers_of(quad_load(from, i, cols, -INFINITY), most), share),
                   together);
}

extern "C" cudaError_t wbk_softmax_quads_f32(const float *in, float *out, int rows, int cols,
                                             cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows > 0 && cols > 0 && !launch_kept_rows(in, out, rows, cols, stream))
        twice<<<(unsigned)rows, THREADS, 0, stream>>>(in, out, cols);
    return cudaGetLastError();
}
