/* Column sums of a row-major matrix whose rows start anywhere, read by whole lines.
 *
 * The idea: a device reads sectors and lines, not rows. If rows are no multiple of 128 bytes,
 * neighbouring strips of 11_column_sums_clusters share sectors at their edges, and no warp's load
 * starts on a line. For 8191 x 8193, L2 delivers 12 % more sectors than the matrix has, in 68 %
 * more requests. Wider strips share less, but then several blocks must share the rows. Here each of
 * a cluster's eight blocks takes every eighth row, and each row of its threads every fourth or
 * eighth of those. A row's offset within its lines repeats every 32 rows, whatever its length. So a
 * thread starts on a line, keeps its offset, adds whole chunks, and shifts once at the end. Only 1
 * % more sectors and 5 % more requests remain.
 *
 * Blocks send their sums to each other, which needs one cluster barrier instead of two. A cluster
 * must fit in one GPC, which has 16 or 18 multiprocessors or, with defects, fewer. So the launcher
 * uses as many strips as clusters fit at once, rounded down to an even number: 14 on most H200s.
 *
 * Predicted: 3 % less time for sectors and requests. Measured on an H200 (GB/s,
 * 11_column_sums_clusters before; 8_row_sums_group in brackets): 8191 x 8193 4033 -> 4139 (4278),
 * 16384 x 4097 3903 -> 4101 (4321), 2000 x 3001 2028 -> 2194 (2308), 1000 x 8193 2660 -> 2593
 * (2738).
 *
 * The previous rung handles other shapes, and devices where clusters leave more than a sixth of the
 * multiprocessors idle. Sectors/request: load 16 (four whole lines a warp, or their part in the
 * strip), store 4. Bytes wanted over bytes moved: 99 %. */
#include "strips.cuh"

#include "warpbook.h"

constexpr int CLUSTER = 8; /* blocks; every device with clusters supports it */
constexpr int LINE = 32;   /* floats; as many as CLUSTER rows by 4 */
constexpr int MOST_THREADS = 1024, THREADS = 640; /* THREADS: the target */
constexpr int AT_ONCE = 8;                        /* loads in flight per thread */
constexpr int NARROWEST = 140, WIDEST = 800;      /* columns of a strip */
constexpr int FEW_ROWS = 32;

/* Computes out[col] for the cluster's strip of `wide` columns. Block `rank` has the rows equal to
 * `rank` modulo CLUSTER. blockDim: lanes, rows at a time (a multiple of 4). */
static __global__ void __launch_bounds__(MOST_THREADS, 1)
    lines(const float *__restrict__ in, float *out, int rows, int cols, int wide) {
    __shared__ float4 part[MOST_THREADS];
    __shared__ float sums[WIDEST + CLUSTER]; /* this block's columns: one row from each block */
    cluster_arrive();
    int lanes = blockDim.x, high = blockDim.y, rank = blockIdx.x;
    int col0 = blockIdx.y * wide, width = min(cols - col0, wide);
    int row = rank + threadIdx.y * CLUSTER;
    const float *start = in + (size_t)row * cols + col0;
    const float *from = start - (uintptr_t)start / sizeof(float) % LINE + threadIdx.x * 4;
    float4 sum = {};
    if (from + 4 > start && from < start + width)
        sum =
            sum_of<AT_ONCE>({in, in + (size_t)rows * cols, from, row, rows, CLUSTER * high, cols});
    part[threadIdx.y * lanes + threadIdx.x] = sum;
    __syncthreads();

    const float *parts = (const float *)part;
    unsigned corner = (unsigned)((uintptr_t)(in + (size_t)rank * cols + col0) / sizeof(float));
    int thread = threadIdx.y * lanes + threadIdx.x, share = (width - 1) / CLUSTER + 1;
    cluster_wait();
    for (int c = thread; c < width; c += lanes * high) {
        float total = 0;
        for (int y = 0; y < high; y++)
            total += parts[y * lanes * 4 + (corner + y * CLUSTER * (unsigned)cols) % LINE + c];
        cluster_send(sums + rank * share + c % share, c / share, total);
    }
    cluster_arrive();
    cluster_wait();
    int c = rank * share + thread;
    if (thread < share && c < width) {
        float total = 0;
#pragma unroll
        for (int k = 0; k < CLUSTER; k++)
            total += sums[k * share + thread];
        out[col0 + c] = total;
    }
}

/* Returns how many clusters fit at once, two in a GPC, each block on its own multiprocessor.
 * Returns 0 if they leave more than a sixth of the multiprocessors idle. */
static int clusters_at_once(void) {
    cudaLaunchAttribute cluster = cluster_of(CLUSTER);
    const cudaLaunchConfig_t config = launch_config(&cluster, CLUSTER, MOST_THREADS, 0, 0);
    int most = 0;
    if (cudaOccupancyMaxActiveClusters(&most, lines, &config) != cudaSuccess)
        return 0;
    int even = most / 2 * 2;
    return 6 * even * CLUSTER >= 5 * multiprocessors() ? even : 0;
}

extern "C" cudaError_t wbk_column_sums_lines_f32(const float *in, float *out, float *work, int rows,
                                                 int cols, cudaStream_t stream) {
    bool whole = (uintptr_t)in % 16 == 0 && cols % 4 == 0; /* for the previous rung */
    if (!whole && !is_small(rows, cols) && !is_long(rows, cols) && rows > FEW_ROWS &&
        cols >= NARROWEST && has_clusters(lines)) {
        int strips = clusters_at_once(), wide = strips ? (cols - 1) / strips + 1 : 0;
        if (wide >= NARROWEST && wide <= WIDEST) {
            int lanes = (wide + LINE + 34) / 32 * 8; /* whole lines, wherever a row starts */
            int fours = (THREADS + 2 * lanes) / (4 * lanes), high = 4 * (fours ? fours : 1);
            cudaLaunchAttribute cluster = cluster_of(CLUSTER);
            const cudaLaunchConfig_t config = launch_config(
                &cluster, dim3(CLUSTER, (cols - 1) / wide + 1), dim3(lanes, high), 0, stream);
            return cudaLaunchKernelEx(&config, lines, in, out, rows, cols, wide);
        }
    }
    return wbk_column_sums_clusters_f32(in, out, work, rows, cols, stream);
}
