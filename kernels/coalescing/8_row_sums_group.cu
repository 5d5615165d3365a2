/* Row sums of a row-major matrix, with as many threads per row as its length requires.
 *
 * The idea: one warp per row (7_row_sums_warp) gives a long row too few threads, and a matrix of
 * few rows too few warps. Here a group takes a row: a warp below 4096 columns, else a block of 256,
 * or of 512 for many very long rows. Each thread has four 16-byte loads in flight, in the last turn
 * too. The machine code needs a check: the compiler may add the first two loads before it issues
 * the third (RESIDENT). If there are fewer than four rows per SM, each row is cut into segments,
 * and a second kernel adds their sums. It starts while the first still runs (overlap.h), and costs
 * 1.5 us.
 *
 * Predicted: the read limit if a row is longer than a warp's loads. Measured on an H200 (GB/s,
 * 7_row_sums_warp before; a CUB reduction of as many elements in brackets): 8192 x 8192 4237 ->
 * 4360 (4074), 1000 x 999 548 -> 694 (444), 1024 x 65536 3171 -> 4304 (4090), 16 x 4000000 70 ->
 * 4059 (4082).
 *
 * Sectors/request: load 16 (512 bytes a warp; 17 if a row starts inside a sector), store 1. Bytes
 * wanted over bytes moved: 100 % of the loads. */
#include <stdint.h>

#include "launch.h"
#include "overlap.h"
#include "warpbook.h"

constexpr int AT_ONCE = 4, LONG_ROW = 4096, LONGER_ROW = 16384, FINISH_THREADS = 128;
constexpr int SHORTEST_SEGMENT = 4096, LONGEST_SEGMENT = 131072, MOST_ROWS_CUT = 16384;
/* Threads per SM. Registers are allocated in units of eight. The 34 that the compiler would use
 * allow no more threads than 40. With this limit it keeps four loads in flight. Without, it adds
 * two of them before it issues the next. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int RESIDENT = 1024;
#else
constexpr int RESIDENT = 1536;
#endif
constexpr int ROOM = 1 << 18; /* the constant part of WBK_SUMS_WORK */

static __device__ float sum_of(float4 v) {
    return (v.x + v.y) + (v.z + v.w);
}

static __device__ float warp_sum(float value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

/* Returns the part of thread x in a group of G for n elements. Elements before the first 16-byte
 * boundary and after the last are loaded one by one. */
template <int G> static __device__ float part_of(const float *elements, int n, int x) {
    int head = (int)((16 - (uintptr_t)elements % 16) % 16 / sizeof(float));
    head = head < n ? head : n;
    int n_vectors = (n - head) / 4, rest = head + n_vectors * 4, i = x;
    const float4 *vectors = (const float4 *)(elements + head);
    float part[AT_ONCE] = {};
    for (; i + (AT_ONCE - 1) * G < n_vectors; i += AT_ONCE * G) {
        float4 v[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            v[j] = vectors[i + j * G];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            part[j] += sum_of(v[j]);
    }
    float4 v[AT_ONCE] = {}; /* the last turn also has its loads in flight together */
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        if (i + j * G < n_vectors)
            v[j] = vectors[i + j * G];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        part[j] += sum_of(v[j]);
    if (x < head)
        part[0] += elements[x];
    if (rest + x < n)
        part[1] += elements[rest + x];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* Computes sums[row * segments + s], the sum of segment s of the row. A warp or a block of G takes
 * a segment. */
template <int G, int THREADS>
static __global__ void __launch_bounds__(THREADS, RESIDENT / THREADS)
    groups(const float *in, float *sums, int rows, int cols, int segments, int length) {
    __shared__ float warps[THREADS / 32];
    /* a group is a block with a segment, or a warp with a whole row */
    unsigned group = blockIdx.x * (THREADS / G) + threadIdx.x / G;
    unsigned row = G == THREADS ? group / segments : group;
    if (row >= (unsigned)rows) /* the same for a whole warp */
        return;
    size_t from = (size_t)(group - row * segments) * length;
    int n = from < (size_t)cols ? min(cols - (int)from, length) : 0;
    float sum = warp_sum(part_of<G>(in + (size_t)row * cols + from, n, threadIdx.x % G));
    overlap_next();
    if (G > 32) {
        if (threadIdx.x % 32 == 0)
            warps[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0;
        if (threadIdx.x < 32)
            sum = warp_sum(sum);
    }
    if (threadIdx.x % G == 0)
        sums[group] = sum;
}

/* Computes out[row], the sum of its segments' sums, with one warp per row. */
static __global__ void __launch_bounds__(FINISH_THREADS)
    finish(const float *sums, float *out, int rows, int segments) {
    overlap_wait();
    int row = (int)((blockIdx.x * FINISH_THREADS + threadIdx.x) / 32), lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int s = lane; s < segments; s += 32)
        sum += sums[(size_t)row * segments + s];
    sum = warp_sum(sum);
    if (lane == 0)
        out[row] = sum;
}

template <int G, int THREADS>
static void launch(const float *in, float *sums, int rows, int cols, int segments, int length,
                   cudaStream_t stream) {
    size_t groups_in_all = (size_t)rows * segments;
    unsigned blocks = (unsigned)((groups_in_all - 1) / (THREADS / G) + 1);
    groups<G, THREADS><<<blocks, THREADS, 0, stream>>>(in, sums, rows, cols, segments, length);
}

/* Returns the number of segments per row. Long segments would delay the last blocks. With fewer
 * than four rows per SM there are eight blocks per SM. */
static int segments_for(int rows, int cols, int processors) {
    if (rows >= MOST_ROWS_CUT)
        return 1;
    int least = (cols - 1) / LONGEST_SEGMENT + 1, most = (cols - 1) / SHORTEST_SEGMENT + 1;
    int wanted = rows < 4 * processors ? (8 * processors - 1) / rows + 1 : 1, rooms = ROOM / rows;
    wanted = wanted > least ? wanted : least;
    wanted = wanted < most ? wanted : most;
    return wanted < rooms ? wanted : rooms;
}

extern "C" cudaError_t wbk_row_sums_group_f32(const float *in, float *out, float *work, int rows,
                                              int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0)
        return cudaSuccess;
    if (cols < LONG_ROW) {
        launch<32, 128>(in, out, rows, cols, 1, cols, stream);
        return cudaGetLastError();
    }
    const int all = multiprocessors(), processors = all < 1024 ? all : 1024; /* no int overflows */
    int segments = segments_for(rows, cols, processors);
    int length = (cols - 1) / segments + 1;
    if (length < 0x7fffffff - 31)
        length = (length + 31) / 32 * 32; /* whole lines; the last segment is the rest */
    if (segments > 1 || cols < LONGER_ROW || rows < 6 * processors)
        launch<256, 256>(in, segments > 1 ? work : out, rows, cols, segments, length, stream);
    else
        launch<512, 512>(in, out, rows, cols, 1, length, stream);
    if (segments > 1)
        launch_overlapped(finish, (unsigned)(rows - 1) / (FINISH_THREADS / 32) + 1, FINISH_THREADS,
                          stream, (const float *)work, out, rows, segments);
    return cudaGetLastError();
}
