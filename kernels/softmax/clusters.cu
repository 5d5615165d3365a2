/* Softmax of rows too long for a block. 6_by_length calls it if the device has clusters.
 *
 * The idea: a cluster of up to eight blocks keeps a row of up to 262,144 columns. Each block keeps
 * its part in registers, so that memory is read once. The blocks exchange the largest elements and
 * the sums of their parts through distributed shared memory. Two blocks of 16,384
 * columns fit on a multiprocessor, so that one loads while the other stores.
 *
 * Predicted: two passes over memory in place of three, from 0.67 of the copy to 1.00. Measured on
 * an H100, the copy's time over this one's (by segments in brackets): 2500 x 65536 0.95 (0.68),
 * 8193 x 35894 0.88 (0.67), 1171 x 126518 0.90 (0.68), 916 x 211899 0.80 (0.68). The longest rows
 * leave one block a multiprocessor, so nothing loads while it stores.
 *
 * Fewer rows than multiprocessors get smaller parts, so that more multiprocessors load. Measured on
 * an H100 (us, by segments in brackets): 1 x 16384 5.95 (7.42), 6 x 22778 6.40 (7.84), 40 x 30000
 * 9.57 (11.49), 1 x 54351 6.82 (6.94).
 *
 * Sectors/request: load 16, store 16 (512 bytes a warp, all wanted). */
#include "clusters.h"
#include "rows.cuh"

constexpr int MOST_BLOCKS = 8;

/* A block of KEEPERS threads keeps its part of a row, N quads per thread, and sends the part's
 * normalizer to the others. */
template <int KEEPERS, int N>
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
    const float minus = most <= -INFINITY ? 0 : most; /* if all elements are -infinity */
#pragma unroll
    for (int k = 0; k < N; k++) {
        quad[k] = powers_of(quad[k], minus);
        sum += sum_of(quad[k]);
    }
    sum = of_group<true, KEEPERS>(sum, sums);
    cluster_wait();
    if ((int)threadIdx.x < blocks) {
        cluster_send(mosts + rank, threadIdx.x, most);
        cluster_send(totals + rank, threadIdx.x, sum);
    }
    cluster_arrive();
    cluster_wait();
    float all = -INFINITY, total = 0;
    for (int b = 0; b < blocks; b++)
        all = fmaxf(all, mosts[b]);
    for (int b = 0; b < blocks; b++)
        total += share_in({mosts[b], totals[b]}, all);
    const float share =
        share_in({most, 1}, all) / (total + (all - all)); /* NaN if the largest is infinite */
#pragma unroll
    for (int k = 0; k < N; k++)
        quad_store(to, first + k * (KEEPERS * 4), end, times(quad[k], share), together);
}

/* Returns cudaErrorNotSupported and launches nothing if a row is too long for MOST_BLOCKS. */
template <int KEEPERS, int N>
static cudaError_t launch_keep(const float *in, float *out, int rows, int cols,
                               cudaStream_t stream) {
    const int width = softmax_width(in, cols), blocks = (width - 1) / (KEEPERS * 4 * N) + 1;
    if (blocks > MOST_BLOCKS)
        return cudaErrorNotSupported;
    const int each = ((width - 1) / blocks / 32 + 1) * 32; /* whole lines */
    cudaLaunchAttribute cluster = cluster_of(blocks);
    const cudaLaunchConfig_t config =
        launch_config(&cluster, dim3(blocks, rows), KEEPERS, 0, stream);
    return cudaLaunchKernelEx(&config, keep<KEEPERS, N>, in, out, cols, each);
}

cudaError_t wbk_softmax_rows_by_clusters(const float *in, float *out, int rows, int cols, bool few,
                                         cudaStream_t stream) {
    if (rows > 65535 || !has_clusters(keep<512, 8>))
        return cudaErrorNotSupported;
    cudaError_t status = few ? launch_keep<256, 4>(in, out, rows, cols, stream)
                             : launch_keep<512, 8>(in, out, rows, cols, stream);
    if (status != cudaErrorNotSupported)
        return status;
    return few ? launch_keep<256, 8>(in, out, rows, cols, stream)
               : launch_keep<512, 16>(in, out, rows, cols, stream);
}
