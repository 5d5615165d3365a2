/* Softmax of rows too long for a block, by clusters: 6_by_length takes it where the device has
 * them.
 *
 * The idea: a row of up to 262,144 columns is one cluster's of up to eight blocks. Each block keeps
 * its part in registers, so that memory is read once. The blocks exchange the largest elements and
 * the sums of their parts through distributed shared memory, at one barrier. Two blocks of 16,384
 * columns fit on a multiprocessor, and one loads while the other stores.
 *
 * Predicted: two passes over memory in place of three, from 0.67 of the copy to 1.00. Measured on
 * an H100 (the copy's time over this one's, before in brackets): 2500 x 40000 0.94 (0.68), 2500 x
 * 65536 0.99 (0.68), 600 x 85000 0.94 (0.68), 2500 x 110000 0.94 (0.67).
 * With random shapes: 3479 x 76795 0.91, 360 x 126781 0.87, 2813 x 196696 0.80. Few rows leave
 * multiprocessors idle: 132 x 40000 0.84 (0.79), 40 x 85000 0.85 (0.79). Rows of few blocks take
 * smaller parts: 8 x 65536 0.68, with parts of 16,384 columns 0.62.
 *
 * Sectors/request: load 16, store 16 (512 bytes a warp, all wanted). */
#include "clusters.h"
#include "rows.cuh"

constexpr int KEEPERS = 512, MOST_BLOCKS = 8;

/* This block has come here; wait: so have all blocks of the cluster, and what they wrote before can
 * be read. */
static __device__ __forceinline__ void cluster_arrive(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
static __device__ __forceinline__ void cluster_wait(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* to's place in the cluster's block `rank` = value */
static __device__ __forceinline__ void tell(float *to, unsigned rank, float value) {
#if __CUDA_ARCH__ >= 900
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
#else
    *to = value;
#endif
}

/* A block keeps its part of a row, N quads a thread, and tells the others the part's normalizer. */
template <int N>
static __global__ void __launch_bounds__(KEEPERS, N > 8 ? 1 : 2)
    keep(const float *__restrict__ in, float *out, int cols, int each) {
    __shared__ float maxima[KEEPERS / 32], sums[KEEPERS / 32];
    __shared__ float mosts[MOST_BLOCKS], totals[MOST_BLOCKS];
    const int rank = blockIdx.x, blocks = gridDim.x;
    const float *from = in + (size_t)blockIdx.y * cols;
    float *to = out + (from - in);
    const bool together = quads_skip(from) == quads_skip(to);
    const int first = rank * each - quads_skip(from) + (int)threadIdx.x * 4;
    const int end = min(cols, (rank + 1) * each - quads_skip(from));
    float4 quad[N];
    float most = -INFINITY, sum = 0;
    cluster_arrive(); /* memory of blocks that have not started must not be written */
#pragma unroll
    for (int k = 0; k < N; k++)
        quad[k] = quad_load(from, first + k * (KEEPERS * 4), end, -INFINITY);
#pragma unroll
    for (int k = 0; k < N; k++)
        most = fmaxf(most, largest_of(quad[k]));
    most = of_group<false, KEEPERS>(most, maxima);
    const float minus = most <= -INFINITY ? 0 : most; /* of nothing but -infinity */
#pragma unroll
    for (int k = 0; k < N; k++) {
        quad[k] = powers_of(quad[k], minus);
        sum += sum_of(quad[k]);
    }
    sum = of_group<true, KEEPERS>(sum, sums);
    cluster_wait();
    if ((int)threadIdx.x < blocks) {
        tell(mosts + rank, threadIdx.x, most);
        tell(totals + rank, threadIdx.x, sum);
    }
    cluster_arrive();
    cluster_wait();
    float all = -INFINITY, total = 0;
    for (int b = 0; b < blocks; b++)
        all = fmaxf(all, mosts[b]);
    for (int b = 0; b < blocks; b++)
        total += share_in({mosts[b], totals[b]}, all);
    const float share =
        share_in({most, 1}, all) / (total + (all - all)); /* NaN where the largest is infinite */
#pragma unroll
    for (int k = 0; k < N; k++)
        quad_store(to, first + k * (KEEPERS * 4), end, times(quad[k], share), together);
}

template <int N>
static cudaError_t launch_keep(const float *in, float *out, int rows, int cols, int blocks,
                               cudaStream_t stream) {
    const int each = ((softmax_width(in, cols) - 1) / blocks / 32 + 1) * 32; /* whole lines */
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks, rows);
    config.blockDim = dim3(KEEPERS);
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, keep<N>, in, out, cols, each);
}

cudaError_t wbk_softmax_rows_by_clusters(const float *in, float *out, int rows, int cols,
                                         cudaStream_t stream) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    const int width = softmax_width(in, cols), quads = (width - 1) / (KEEPERS * 4) + 1;
    if (rows > 65535 || quads > MOST_BLOCKS * 16 || !has_clusters(keep<8>, device))
        return cudaErrorNotSupported;
    const int shorter = (quads - 1) / 4 + 1, blocks = (quads - 1) / 8 + 1;
    if (shorter <= MOST_BLOCKS && (long long)rows * shorter <= processors)
        return launch_keep<4>(in, out, rows, cols, shorter, stream);
    if (blocks <= MOST_BLOCKS)
        return launch_keep<8>(in, out, rows, cols, blocks, stream);
    return launch_keep<16>(in, out, rows, cols, (quads - 1) / 16 + 1, stream);
}
