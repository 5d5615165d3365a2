/* Column sums of a row-major matrix whose rows start anywhere, read by whole lines.
 *
 * What it teaches: a device reads sectors and lines, not rows. Where rows are no multiple of 128
 * bytes long, neighbours among the strips of 11_column_sums_clusters, 63 columns wide, share the
 * sectors at their edges, and no warp's loads begin on a line: of 8191 x 8193 a multiprocessor
 * fetches 12 % more sectors from the L2 cache than there are, by 68 % more requests, though no byte
 * comes from DRAM twice. Wider strips share less, but then the rows must be shared out. Not in
 * slices: the eight blocks of a cluster take every eighth row each, and of a block's rows a row of
 * threads every fourth or eighth. 32 rows further a row lies in its lines as here, whatever its
 * length, so a thread begins on a line, keeps its place in it, adds up whole chunks, and shifts
 * once, at the end. 1 % more sectors are left, and 5 % more requests.
 *
 * A block does not fetch the others' sums, it has them sent: one barrier of the cluster instead of
 * two, and half the way. And how many clusters? One lies in one GPC, which has 16 or 18
 * multiprocessors or, with some cut off, fewer, differently on each H200; it reads 0.66 TB/s. So
 * there are as many strips as clusters fit side by side, rounded down to an even number: 14 on most
 * H200s, two in each of seven GPCs. Of 12 strips two are a sixth of the matrix, and take 70 us
 * where 14 take 64; 15 leave one alone in its GPC, done early, and take 66; of 16 two share the
 * multiprocessors of a small GPC, and take 65 on one H200 and 66 on another.
 *
 * Predicted: 3 % less time, what the sectors and requests take. Measured on an H200 (GB/s,
 * 11_column_sums_clusters before; 8_row_sums_group in brackets; a plain sum of 2^26 floats in the
 * same run: 4159): 8191 x 8193 4033 -> 4139 (4278), 8192 x 8194 4044 -> 4125 (4263), 12345 x 6789
 * 4095 -> 4185 (4341), 16384 x 4097 3903 -> 4101 (4321), 6000 x 11001 4041 -> 4113 (4195), 2000 x
 * 3001 2028 -> 2194 (2308), 1000 x 8193 2660 -> 2593 (2738).
 *
 * Other shapes, and devices where clusters leave more than a sixth of the multiprocessors idle
 * (some H200s), are the rung before's. Sectors/request: load 16 (four whole lines a warp, or
 * their part in the strip), store 4. Bytes wanted over bytes moved: 99 %. */
#include "strips.cuh"

#include "warpbook.h"

constexpr int CLUSTER = 8; /* blocks; what every device with clusters takes */
constexpr int LINE = 32;   /* floats; CLUSTER rows by 4 are as many */
constexpr int MOST_THREADS = 1024, THREADS = 640; /* the latter is aimed at */
constexpr int AT_ONCE = 8;                        /* loads in flight a thread */
constexpr int NARROWEST = 140, WIDEST = 800;      /* columns of a strip */
constexpr int FEW_ROWS = 32;

/* out[col] for a strip of `wide` columns, the cluster's; block `rank` has the rows that are `rank`
 * modulo CLUSTER. blockDim: lanes, rows at a time (a multiple of 4). */
static __global__ void __launch_bounds__(MOST_THREADS, 1)
    lines(const float *__restrict__ in, float *out, int rows, int cols, int wide) {
    __shared__ float4 part[MOST_THREADS];
    __shared__ float sums[WIDEST + CLUSTER]; /* of this block's share of columns: a row a block */
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

/* This file's kernel by `count` clusters; `attribute` must outlive what is returned. */
static cudaLaunchConfig_t clusters_of(int count, dim3 block, cudaLaunchAttribute *attribute) {
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = CLUSTER;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(CLUSTER, count);
    config.blockDim = block;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

/* Clusters that fit side by side, two in a GPC, each block on a multiprocessor of its own; 0 where
 * they leave more than a sixth of the multiprocessors idle. */
static int clusters_at_once(int device) {
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = clusters_of(1, MOST_THREADS, &attribute);
    int most = 0, processors = 1;
    if (cudaOccupancyMaxActiveClusters(&most, lines, &config) != cudaSuccess ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return 0;
    int even = most / 2 * 2;
    return 6 * even * CLUSTER >= 5 * processors ? even : 0;
}

extern "C" cudaError_t wbk_column_sums_lines_f32(const float *in, float *out, float *work, int rows,
                                                 int cols, cudaStream_t stream) {
    int device = 0;
    cudaGetDevice(&device);
    bool whole = (uintptr_t)in % 16 == 0 && cols % 4 == 0; /* left to the rung before */
    if (!whole && rows > FEW_ROWS && cols >= NARROWEST && has_clusters(lines, device)) {
        int strips = clusters_at_once(device), wide = strips ? (cols - 1) / strips + 1 : 0;
        if (wide >= NARROWEST && wide <= WIDEST) {
            int lanes = (wide + LINE + 34) / 32 * 8; /* whole lines, wherever a row starts */
            int fours = (THREADS + 2 * lanes) / (4 * lanes), high = 4 * (fours ? fours : 1);
            cudaLaunchAttribute attribute;
            cudaLaunchConfig_t config =
                clusters_of((cols - 1) / wide + 1, dim3(lanes, high), &attribute);
            config.stream = stream;
            return cudaLaunchKernelEx(&config, lines, in, out, rows, cols, wide);
        }
    }
    return wbk_column_sums_clusters_f32(in, out, work, rows, cols, stream);
}
