/* Column sums of a row-major matrix, a block a multiprocessor, one launch.
 *
 * What it teaches: what 10_column_sums_slices still pays is its second launch and blocks that end
 * at different times. A multiprocessor needs no four blocks to keep 64 KB on their way: one of 512
 * threads with eight 16-byte loads each is enough. So the matrix is cut into as many strips of
 * columns as there are multiprocessors, all start at once, all have the same to do, and each
 * block's sums are results. Where strips would be narrower than a line the rows are cut in eight as
 * well, and the eight blocks of a strip are a cluster (compute capability 9.0), which adds up in
 * its shared memory what the rung before passed on through DRAM and a second kernel.
 *
 * Where rows start between 16-byte boundaries a lane reads the aligned chunk that holds its columns
 * and a few of its neighbour's: four rows further the chunk lies the same, and as a thread goes on
 * by a multiple of four rows it can add up whole chunks, and shift once, at the end.
 *
 * Predicted: 2 us less of 65. Measured on an H200 (GB/s, 10_column_sums_slices before;
 * 8_row_sums_group in brackets): 8192 x 8192 4147 -> 4273 (4276), 16384 x 4096 4149 -> 4235 (4276),
 * 4096 x 16384 4147 -> 4313 (4269), 1024 x 65536 4045 -> 4209 (4176), 65536 x 1024, by clusters,
 * 4159 -> 4254 (4313), 131 x 1000003 2601 -> 4223 (4271). Where rows start anywhere the edges of
 * strips are read twice, which the next rung fixes: 8191 x 8193 4064 -> 4092 (4218), 12345 x 6789
 * 4147 -> 4115 (4393). A CUB reduction of as many elements as 8192 x 8192: 4130.
 *
 * Strips narrower than that, few rows, and clusters where there are none are left to
 * 10_column_sums_slices. Sectors/request: load 16 (512 bytes a warp; where rows start inside a
 * sector 17 or more), store 4. Bytes wanted over bytes moved: 100 % where rows are multiples of 16
 * bytes. */
#include "strips.cuh"

#include "warpbook.h"

constexpr int MOST_THREADS = 512, AT_ONCE = 8, MOST_LANES = 128;
constexpr int CLUSTER = 8;                  /* blocks; what every device with clusters takes */
constexpr int NARROW = 32, NARROW_ODD = 62; /* columns: strips below are not worth their edges */
constexpr int FEW_ROWS = 32;
constexpr int MANY_TURNS = 4, MANY_ROWS = 512; /* of long blocks the last end raggedly */

/* Until all blocks of the cluster have come here; what they wrote before can be read after. */
static __device__ __forceinline__ void cluster_sync(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

/* What `mine`, in this block's shared memory, is in that of the cluster's block `rank`. */
static __device__ __forceinline__ float of_block(const float *mine, unsigned rank) {
    float value = *mine;
#if __CUDA_ARCH__ >= 900
    unsigned address = (unsigned)__cvta_generic_to_shared(mine);
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address));
#endif
    return value;
}

/* out[col] for a strip of `wide` columns, a slice of the rows a block, the slices a cluster.
 * blockDim: lanes, rows at a time (a multiple of 4). */
static __global__ void __launch_bounds__(MOST_THREADS, 2)
    clusters(const float *__restrict__ in, float *out, int rows, int cols, int wide, int slice) {
    __shared__ float4 part[MOST_THREADS];
    __shared__ float sums[MOST_LANES * 4];
    int lanes = blockDim.x, high = blockDim.y;
    int col0 = blockIdx.y * wide, width = min(cols - col0, wide);
    int row0 = min((int)blockIdx.x * slice, rows), last = min(rows - row0, slice) + row0;
    const float *corner = in + (size_t)row0 * cols + col0;
    /* Four rows further a row starts as far from a 16-byte boundary as here. */
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
    cluster_sync(); /* the others may still read here */
}

/* Strips for `places` blocks at a time, of which none is wider than a block's lanes. */
static int strips_for(int cols, int places) {
    int needed = (cols - 1) / (MOST_LANES * 4 - 3) + 1, turns = (needed - 1) / places + 1;
    return turns <= 0x7fffffff / places ? turns * places : needed;
}

static cudaError_t launch(const float *in, float *out, int rows, int cols, int strips, int slices,
                          bool whole, cudaStream_t stream) {
    int wide = (cols - 1) / strips + 1;
    if (whole)
        wide = (wide + 7) / 8 * 8; /* no sector is two strips' */
    int lanes = (wide + (whole ? 0 : 3) + 3) / 4, high = MOST_THREADS / lanes / 4 * 4;
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = slices;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(slices, (cols - 1) / wide + 1);
    config.blockDim = dim3(lanes, high);
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = slices > 1 ? 1 : 0;
    return cudaLaunchKernelEx(&config, clusters, in, out, rows, cols, wide,
                              (rows - 1) / slices + 1);
}

extern "C" cudaError_t wbk_column_sums_clusters_f32(const float *in, float *out, float *work,
                                                    int rows, int cols, cudaStream_t stream) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    bool whole = (uintptr_t)in % 16 == 0 && cols % 4 == 0; /* no chunk is of two rows */
    int narrow = whole ? NARROW : NARROW_ODD;
    if (rows > FEW_ROWS && cols / processors >= narrow) {
        int strips = strips_for(cols, processors);
        bool long_blocks = strips > MANY_TURNS * processors && rows > MANY_ROWS;
        if (strips <= 65535 && !long_blocks) /* the grid's y ends there */
            return launch(in, out, rows, cols, strips, 1, whole, stream);
    } else if (rows > FEW_ROWS && processors >= CLUSTER && has_clusters(clusters, device)) {
        int strips = strips_for(cols, processors / CLUSTER);
        if (cols / strips >= 2 * narrow)
            return launch(in, out, rows, cols, strips, CLUSTER, whole, stream);
    }
    return wbk_column_sums_slices_f32(in, out, work, rows, cols, stream);
}
