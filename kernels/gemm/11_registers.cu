/* C = alpha A B + beta C with 8 x 16 results a thread, multiplied in serpentines.
 *
 * What it teaches: with memory out of the way, two things in the core itself are scarce.
 * - Issue slots. A scheduler issues one instruction a cycle, and 32 lanes multiply and add in that
 *   cycle: whatever is not an FFMA takes one's place. 8 x 8 results need 4 reads of shared memory
 *   for 64 FFMA, 8 x 16 need 6 for 128. The price is registers, 200 a thread: 256 threads, one
 *   block, two warps a scheduler, and fragments must be read a step ahead (a read takes 40
 *   cycles).
 * - Register banks. Registers with even and with odd numbers lie in two banks that deliver one
 *   operand each a cycle. sum += a * b wants three. An operand that the instruction before used in
 *   the same position is still there (".reuse" in SASS), so the order counts: row after row keeps
 *   an element of a, and turning round at the end of a row, as a plough does, one of b too. Then
 *   no multiplication reads more than two new registers, and the compiler can put them into
 *   different banks. In registers alone, on an H200, 8 x 8 products reach 46.2 TFLOP/s of 66.9 in
 *   an order that keeps nothing, 59.0 row after row, 65.8 in serpentines.
 *
 * The loop is in pipeline.cuh, since 12_slices and 13_stream_k use it as well.
 *
 * Predicted for 4096 x 4096 x 4096: 1,120 instructions for 1,024 FFMA, 80 of them a cycle longer
 * for a bank: 0.85 of the peak; 4 x 132 places for 512 tiles: 0.97 of that, 55 TFLOP/s. Measured:
 * 53.2 in a trial of this loop (10_async: 46.4; cuBLAS 51.1). Serpentines that begin at another
 * corner, and other ways to write the copies' addresses, are worth the same on paper and give 47.5
 * to 53.1: the compiler deals out registers by rules of its own.
 *
 * Sectors/request: copies of A 4; of B 16; stores of C 16. k up to 2^24 - 1, n up to 2^26 - 1. */
#include "gemm/pipeline.cuh"

using large = shape<128, 256, 8, 64, 64, 8, 16, 1, 4, 1>;

template <bool VEC>
static __global__ void __launch_bounds__(large::THREADS, large::BLOCKS)
    sgemm_registers(const problem p) {
    extern __shared__ __align__(16) float ring[];
    int2 tile = tile_place(blockIdx.x, tiles_down<large>(p), tiles_across<large>(p));
    int row0 = tile.x * large::BM, col0 = tile.y * large::BN;
    float sum[large::TM][large::TN] = {};
    multiply_tile<large, VEC>(p, row0, col0, 0, steps_of<large>(p.k), ring, sum);
    store_tile<large, VEC, false>(p, row0, col0, p.beta, ring, sum);
}

template <bool VEC> static cudaError_t launch(const problem &p, cudaStream_t stream) {
    cudaError_t status = cudaFuncSetAttribute(
        sgemm_registers<VEC>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)large::SHARED);
    if (status != cudaSuccess)
        return status;
    int tiles = tiles_down<large>(p) * tiles_across<large>(p);
    sgemm_registers<VEC><<<tiles, large::THREADS, large::SHARED, stream>>>(p);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_sgemm_registers(const float *A, const float *B, float *C, int m, int n,
                                           int k, float alpha, float beta, cudaStream_t stream) {
    problem p = {A, B, C, m, n, alpha == 0 ? 0 : k, alpha, beta};
    if (m < 0 || n < 0 || k < 0 || !fits<large>(p))
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    return whole_vectors(p) ? launch<true>(p, stream) : launch<false>(p, stream);
}
