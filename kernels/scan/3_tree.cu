/* Prefix sums of an array by a tree, up and down.
 *
 * The idea: n log2 n additions are more than necessary (Blelloch, "Prefix sums and their
 * applications", 1990). On the way up pairs are added, then pairs of pairs: n - 1 additions. On the
 * way down each node gives its left child the sum before it, and its right child that plus the left
 * child's sum: n - 1 again. This is less work but not less time: twice the steps with a barrier
 * each, and fewer and fewer active threads. Nodes 2, 4, 8, ... words apart also share ever fewer
 * banks of shared memory.
 *
 * Predicted for 2^28 floats on an H200: 20 steps per block against 2_shared's 18, and conflicts up
 * to 32-fold: a fifth slower. Measured: 3.56 ms, 1.4 times 2_shared; 2^24 236 us, 2^20 23.1.
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
    int apart = 1; /* distance of a node's children */
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
        node[CHUNK - 1] = 0; /* the sum before the whole chunk is 0 */
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
