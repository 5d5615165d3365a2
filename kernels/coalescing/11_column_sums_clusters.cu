/* Column sums of a row-major matrix, one block per multiprocessor, in one launch.
 *
 * The idea: 10_column_sums_slices still pays for its second launch, and for blocks that end at
 * different times. One block of 512 threads with eight 16-byte loads each keeps 64 KB in flight,
 * which is enough for a multiprocessor. So the matrix has as many strips of columns as there are
 * multiprocessors. All blocks start together, have equal work, and produce final sums. If strips
 * were narrower than a line, the rows are also cut in eight. The eight blocks of a strip form a
 * cluster (compute capability 9.0), which adds their sums in its shared memory.
 *
 * If rows start between 16-byte boundaries, a lane reads the aligned chunk with its columns and
 * some of its neighbour's. The chunk's offset repeats every four rows. A thread advances by a
 * multiple of four rows, so it adds whole chunks and shifts once at the end.
 *
 * Predicted: 2 us less of 65. Measured on an H200 (GB/s, 10_column_sums_slices before;
 * 8_row_sums_group in brackets): 8192 x 8192 4147 -> 4273 (4276), 4096 x 16384 4147 -> 4313 (4269),
 * 65536 x 1024, by clusters, 4159 -> 4254 (4313), 131 x 1000003 2601 -> 4223 (4271), 8191 x 8193
 * 4064 -> 4092 (4218). The last reads the edges of strips twice, which the next rung fixes.
 *
 * 10_column_sums_slices handles narrower strips, few rows, and devices without clusters.
 * Sectors/request: load 16 (17 or more if rows start inside a sector), store 4. Bytes wanted over
 * bytes moved: 100 % if rows are multiples of 16 bytes. */
#include "strips.cuh"

#include "warpbook.h"

constexpr int MOST_THREADS = 512, AT_ONCE = 8, MOST_LANES = 128;
constexpr int CLUSTER = 8;                  /* blocks; every device with clusters supports it */
constexpr int NARROW = 32, NARROW_ODD = 62; /* columns; narrower strips read too many edges */
constexpr int FEW_ROWS = 32;
constexpr int MANY_TURNS = 4, MANY_ROWS = 512; /* many long blocks end at different times */

/* Waits for all blocks of the cluster. Their earlier writes are then visible. */
static __device__ __forceinline__ void cluster_sync(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

/* Returns the value at the address of `mine` in the shared memory of the cluster's block `rank`. */
static __device__ __forceinline__ float of_block(const float *mine, unsigned rank) {
    float value = *mine;
#if __CUDA_ARCH__ >= 900
    unsigned address = (unsigned)__cvta_generic_to_shared(mine);
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address));
#endif
    return value;
}

/* Computes out[col] for a strip of `wide` columns. Each block has a slice of the rows, each cluster
 * all slices. blockDim: lanes, rows at a time (a multiple of 4). */
static __global__ void __launch_bounds__(MOST_THREADS, 2)
    clusters(const float *__restrict__ in, float *out, int rows, int cols, int wide, int slice) {
    __shared__ float4 part[MOST_THREADS];
    __shared__ float sums[MOST_LANES * 4];
    int lanes = blockDim.x, high = blockDim.y;
    int col0 = blockIdx.y * wide, width = min(cols - col0, wide);
    int row0 = min((int)blockIdx.x * slice, rows), last = min(rows - row0, slice) + row0;
    const float *corner = in + (size_t)row0 * cols + col0;
    /* a row's offset from a 16-byte boundary repeats every four rows */
    const float *start = corner + (size_t)threadIdx.y * cols;
    const float *from = start - (uintptr_t)start / sizeof(float) % 4 + threadIdx.x * 4;
    float4 sum = {};
    if (from < start + width)
        sum = sum_of<AT_ONCE>(
            {in, in + (size_t)rows * cols, from, row0 + (int)threadIdx.y, last, high, cols});
    part[threadIdx.y * lanes + threadIdx.x] = sum;
    __syncthreads();

    const float *parts = (const float *)part;
    unsigned shift0 = (unsigned)((uintptr_t)corner / sizeof(float)), by = (unsigned)cols;
    int thread = threadIdx.y * lanes + threadIdx.x, threads = lanes * high, slices = gridDim.x;
    for (int c = thread; c < width; c += threads) {
        float total = 0;
        for (int y = 0; y < high; y++)
            total += parts[y * lanes * 4 + (shift0 + y * by) % 4 + c];
        if (slices == 1)
            out[col0 + c] = total;
        else
            sums[c] = total;
    }
    if (slices == 1)
        return;
    cluster_sync();
    int each = (width - 1) / slices + 1, first = blockIdx.x * each; /* the cluster is a strip */
    for (int c = first + thread; c < min(first + each, width); c += threads) {
        float total = 0;
        for (int s = 0; s < slices; s++)
            total += of_block(sums + c, s);
        out[col0 + c] = total;
    }
    cluster_sync(); /* other blocks may still read here */
}

/* Returns the number of strips for `places` blocks at a time, none wider than a block's lanes. */
static int strips_for(int cols, int places) {
    int needed = (cols - 1) / (MOST_LANES * 4 - 3) + 1, turns = (needed - 1) / places + 1;
    return turns <= 0x7fffffff / places ? turns * places : needed;
}

static cudaError_t launch(const float *in, float *out, int rows, int cols, int strips, int slices,
                          bool whole, cudaStream_t stream) {
    int wide = (cols - 1) / strips + 1;
    if (whole)
        wide = (wide + 7) / 8 * 8; /* strips share no sector */
    int lanes = (wide + (whole ? 0 : 3) + 3) / 4, high = MOST_THREADS / lanes / 4 * 4;
    cudaLaunchAttribute cluster = cluster_of(slices);
    const cudaLaunchConfig_t config =
        launch_config(slices > 1 ? &cluster : nullptr, dim3(slices, (cols - 1) / wide + 1),
                      dim3(lanes, high), 0, stream);
    return cudaLaunchKernelEx(&config, clusters, in, out, rows, cols, wide,
                              (rows - 1) / slices + 1);
}

extern "C" cudaError_t wbk_column_sums_clusters_f32(const float *in, float *out, float *work,
                                                    int rows, int cols, cudaStream_t stream) {
    if (is_small(rows, cols) || is_long(rows, cols))
        return wbk_column_sums_slices_f32(in, out, work, rows, cols, stream);
    const int processors = multiprocessors();
    bool whole = (uintptr_t)in % 16 == 0 && cols % 4 == 0; /* no chunk contains two rows */
    int narrow = whole ? NARROW : NARROW_ODD;
    if (rows > FEW_ROWS && cols / processors >= narrow) {
        int strips = strips_for(cols, processors);
        bool long_blocks = strips > MANY_TURNS * processors && rows > MANY_ROWS;
        if (strips <= 65535 && !long_blocks) /* the limit of the grid's y */
            return launch(in, out, rows, cols, strips, 1, whole, stream);
    } else if (rows > FEW_ROWS && processors >= CLUSTER && has_clusters(clusters)) {
        int strips = strips_for(cols, processors / CLUSTER);
        if (cols / strips >= 2 * narrow)
            return launch(in, out, rows, cols, strips, CLUSTER, whole, stream);
    }
    return wbk_column_sums_slices_f32(in, out, work, rows, cols, stream);
}
