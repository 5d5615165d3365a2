/* Prefix sums of an array by a tree, up and down again.
 *
 * What it teaches: n log2 n additions are more than it takes (Blelloch, "Prefix sums and their
 * applications", 1990). On the way up pairs are added, pairs of pairs, ...: a sum of the chunk, n -
 * 1 additions. On the way down each node hands its left child what lies before it, and its right
 * child that and the left child's sum: n - 1 again. Less work and no less time: twice the steps, a
 * barrier each, in which fewer and fewer threads take part; and nodes that are 2, 4, 8, ... words
 * apart lie in ever fewer banks of shared memory.
 *
 * Predicted for 2^28 floats on an H200: 20 steps of a block as 2_shared's 18, and conflicts up to
 * 32 fold in the middle ones: a fifth slower. Measured: 3.56 ms, 1.4 times 2_shared; 2^24 236 us,
 * 2^20 23.1.
 *
 * Sectors/request: load 4, store 4. Shared wavefronts/request: 2 to 32 in the tree. */
#include "chunks.cuh"
#include "warpbook.h"

constexpr int THREADS = 512, CHUNK = 2 * THREADS;

static __global__ void tree(const float *in, float *out, float *sums, size_t n) {
    __shared__ float node[CHUNK];
    size_t first = (size_t)blockIdx.x * CHUNK + threadIdx.x, second = first + THREADS;
    float a = first < n ? in[first] : 0, b = second < n ? in[second] : 0;
    node[threadIdx.x] = a;
    node[threadIdx.x + THREADS] = b;
    int apart = 1; /* how far a node's children are from each other */
    for (int nodes = CHUNK / 2; nodes > 0; nodes /= 2, apart *= 2) {
        __syncthreads();
        if (threadIdx.x < nodes) {
            int right = (2 * threadIdx.x + 2) * apart - 1;
            node[right] += node[right - apart];
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = node[CHUNK - 1];
        node[CHUNK - 1] = 0; /* nothing lies before the whole */
    }
    for (int nodes = 1; nodes < CHUNK; nodes *= 2) {
        apart /= 2;
        __syncthreads();
        if (threadIdx.x < nodes) {
            int right = (2 * threadIdx.x + 2) * apart - 1;
            float before = node[right], left = node[right - apart];
            node[right - apart] = before;
            node[right] = before + left;
        }
    }
    __syncthreads();
    if (first < n)
        out[first] = node[threadIdx.x] + a;
    if (second < n)
        out[second] = node[threadIdx.x + THREADS] + b;
}

extern "C" cudaError_t wbk_scan_tree_f32(const float *in, float *out, float *work, size_t n,
                                         cudaStream_t stream) {
    return scan_by_chunks(tree, THREADS, CHUNK, in, out, work, n, stream);
}
