/* Row sums of a row-major matrix, as many threads a row as the row is long.
 *
 * What it teaches: a warp a row, 7_row_sums_warp, leaves a long row to few threads and a matrix of
 * few rows to few warps. Here a group takes a row: a warp below 4096 columns, a block of 256 from
 * there on, or of 512 where many rows are very long, with four 16-byte loads in flight a thread, in
 * the last turn too. That takes looking at the machine code: written so, the compiler may still add
 * up the first two loads before it sends the third (RESIDENT). Where the rows are fewer than four
 * an SM each is cut into segments, whose sums a second kernel adds up. It is brought up while the
 * first still runs (overlap.h), but costs 1.5 us all the same.
 *
 * Predicted: the read limit wherever a row is longer than a warp's loads. Measured on an H200
 * (GB/s, 7_row_sums_warp before; a CUB reduction of as many elements in brackets): 8192 x 8192 4237
 * -> 4360 (4074), 8191 x 8193 -> 4383, 16384 x 16384 4476 -> 4624 (4517), 1000 x 999 548 ->
 * 694 (444), 1024 x 65536 3171 -> 4304 (4090), 1000 x 9000 -> 2757, 16 x 4000000 70 -> 4059 (4082).
 * With two loads in flight, and rows of 1024 x 65536 and 1000 x 9000 cut in two: 4282, 4213, 4599,
 * 694, 4159, 2281 and 3954 in the same order.
 *
 * Sectors/request: load 16 (512 bytes a warp; 17 where a row starts inside a sector), store 1.
 * Bytes wanted over bytes moved: 100 % of the loads. */
#include <stdint.h>

#include "overlap.h"
#include "warpbook.h"

constexpr int AT_ONCE = 4, LONG_ROW = 4096, LONGER_ROW = 16384, FINISH_THREADS = 128;
constexpr int SHORTEST_SEGMENT = 4096, LONGEST_SEGMENT = 131072, MOST_ROWS_CUT = 16384;
/* Threads an SM. Registers are given out in eights: the 34 that the compiler would take let in no
 * more threads than 40. Told so, it keeps four loads in flight; else it adds up two of them before
 * it sends the next. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int RESIDENT = 1024;
#else
constexpr int RESIDENT = 1536;
#endif
constexpr int ROOM = 1 << 18; /* WBK_SUMS_WORK's constant part */

static __device__ float sum_of(float4 v) {
    return (v.x + v.y) + (v.z + v.w);
}

static __device__ float warp_sum(float value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

/* What thread x of a group of G adds up of n elements: those before the first 16-byte boundary and
 * after the last come one by one. */
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
    float4 v[AT_ONCE] = {}; /* the last turn, its loads in flight together as well */
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

/* sums[row * segments + s] = the sum of segment s of the row. Warps, or blocks of G, a segment. */
template <int G, int THREADS>
static __global__ void __launch_bounds__(THREADS, RESIDENT / THREADS)
    groups(const float *in, float *sums, int rows, int cols, int segments, int length) {
    __shared__ float warps[THREADS / 32];
    /* A block is one group, a segment; or a warp is, a whole row. */
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

/* out[row] = the sum of its segments' sums, a warp a row. */
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

/* At most 1024, so that what is computed from it stays small. */
static int processors_of_device(void) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    return processors < 1024 ? processors : 1024;
}

/* How many segments a row is cut into: none so long that the blocks which end last are waited for,
 * and, of fewer than four rows an SM, so many that there are eight blocks an SM. */
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
    int processors = processors_of_device(), segments = segments_for(rows, cols, processors);
    int length = (cols - 1) / segments + 1;
    if (length < 0x7fffffff - 31)
        length = (length + 31) / 32 * 32; /* whole lines; the last segment is what is left */
    if (segments > 1 || cols < LONGER_ROW || rows < 6 * processors)
        launch<256, 256>(in, segments > 1 ? work : out, rows, cols, segments, length, stream);
    else
        launch<512, 512>(in, out, rows, cols, 1, length, stream);
    if (segments > 1)
        launch_overlapped(finish, (unsigned)(rows - 1) / (FINISH_THREADS / 32) + 1, FINISH_THREADS,
                          stream, (const float *)work, out, rows, segments);
    return cudaGetLastError();
}
