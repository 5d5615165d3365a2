/* C = alpha A B + beta C by stream-K: blocks divide the last tiles' steps of k.
 *
 * The idea: 4096 x 4096 has 512 tiles of 128 x 256, and 132 multiprocessors compute 132 at a time.
 * After three full waves, the last one of 116 leaves 16 multiprocessors idle. So the full waves are
 * computed tile by tile. The steps of the remaining tiles are laid end to end and cut into 132
 * equal shares. A share has the last steps of one tile and the first of the next. A block computes
 * the latter first and stores them in C. The block with the rest of that tile adds its part after a
 * flag in global memory tells that they are there. It never waits for a later block of the grid, so
 * the other block has always started. Parts are added in a fixed order, so the result is the same
 * in every run. (Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense
 * Matrix-Matrix Multiplication on the GPU", PPoPP 2023.)
 *
 * Predicted for 4096 x 4096 x 4096: 0.12 of a wave of 4, minus 10 microseconds for the parts: 2.6
 * %. Measured with the same inner loop: 51.7 TFLOP/s after 50.8, 1.7 %; 8192: 52.4 after 51.2;
 * 2304, where one tile in four would run alone, 49.4 after 32.5. The cost: the loop over a share's
 * tiles takes registers from the inner loop.
 *
 * Sectors/request as in 11_registers, and loads of C 16. k up to 2^24 - 1, n up to 2^26 - 1. */
#include "gemm/pipeline.cuh"
#include "gemm/shares.cuh"

using large = shape<128, 256, 8, 64, 64, 8, 16, 1, 4, 1>;

/* The work of one block: steps [begin, end) of the tiles from `tile` on, laid end to end. */
struct share {
    int tile, begin, end;
};

static __device__ share share_of(int block, int blocks, int whole, int tiles, int steps) {
    if (block < whole)
        return {block, 0, steps};
    long long rest = (long long)(tiles - whole) * steps;
    int part = block - whole, parts = blocks - whole;
    return {whole, (int)(rest * part / parts), (int)(rest * (part + 1) / parts)};
}

/* The first `whole` blocks compute a tile each. The others divide the rest evenly. arrived[t]:
 * steps of tile t that are in C. */
template <bool VEC>
static __global__ void __launch_bounds__(large::THREADS, large::BLOCKS)
    sgemm_stream_k(const problem p, int whole, int *arrived) {
    extern __shared__ __align__(16) float ring[];
    const int down = tiles_down<large>(p), across = tiles_across<large>(p);
    const int steps = steps_of<large>(p.k);
    share work = share_of(blockIdx.x, gridDim.x, whole, down * across, steps);
#pragma unroll 1
    while (work.begin < work.end) { /* from the last tile of the share to its first */
        const int nth = (work.end - 1) / steps, origin = nth * steps;
        const int step0 = max(work.begin - origin, 0), step1 = work.end - origin;
        work.end = origin + step0;
        int2 at = tile_place(work.tile + nth, down, across);
        int row0 = at.x * large::BM, col0 = at.y * large::BN;
        float sum[large::TM][large::TN] = {};
        multiply_tile<large, VEC>(p, row0, col0, step0, step1, ring, sum);
        if (step0 > 0) { /* the earlier steps belong to another block and come first */
            if (threadIdx.x == 0)
                while (*(volatile int *)&arrived[nth] != step0) {
                }
            __syncthreads();
        }
        store_tile<large, VEC, true>(p, row0, col0, step0 > 0 ? 1 : p.beta, ring, sum);
        if (step1 < steps) {
            __threadfence(); /* this thread's part of C, before the flag */
            __syncthreads(); /* of every thread */
            if (threadIdx.x == 0)
                *(volatile int *)&arrived[nth] = step1;
        }
        async_wait<0>();
        __syncthreads(); /* the ring is free for the next tile */
    }
}

constexpr int COST = 16; /* of adding parts, in steps */

template <bool VEC> static cudaError_t launch(const problem &p, cudaStream_t stream) {
    const int processors = multiprocessors();
    cudaError_t status = cudaFuncSetAttribute(
        sgemm_stream_k<VEC>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)large::SHARED);
    if (status != cudaSuccess)
        return status;
    const int tiles = tiles_down<large>(p) * tiles_across<large>(p);
    int shared = tiles_to_share(tiles, steps_of<large>(p.k), processors, COST);
    int *arrived = shared > 0 ? zeroed_flags(shared, stream) : nullptr;
    if (!arrived)
        shared = 0;
    const int whole = tiles - shared, blocks = arrived ? whole + processors : whole;
    sgemm_stream_k<VEC><<<blocks, large::THREADS, large::SHARED, stream>>>(p, whole, arrived);
    status = cudaGetLastError();
    if (arrived)
        cudaFreeAsync(arrived, stream);
    return status;
}

extern "C" cudaError_t wbk_sgemm_stream_k(const float *A, const float *B, float *C, int m, int n,
                                          int k, float alpha, float beta, cudaStream_t stream) {
    problem p = {A, B, C, m, n, alpha == 0 ? 0 : k, alpha, beta};
    if (m < 0 || n < 0 || k < 0 || !fits<large>(p))
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    return whole_vectors(p) ? launch<true>(p, stream) : launch<false>(p, stream);
}
