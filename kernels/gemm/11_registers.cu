/* C = alpha A B + beta C with 8 x 16 results per thread, multiplied in serpentines.
 *
 * The idea: with memory hidden, two resources of the core are scarce.
 * - Issue slots. A scheduler issues one instruction per cycle, so any instruction other than an
 *   FFMA takes an FFMA's slot. 8 x 8 results need 4 shared-memory reads for 64 FFMA, 8 x 16 need 6
 *   for 128. The price is 200 registers per thread: 256 threads, one block, two warps per
 *   scheduler. So fragments must be read a step ahead (a read takes 40 cycles).
 * - Register banks. Even and odd registers are in two banks, each of which delivers one operand per
 *   cycle, but sum += a * b needs three. An operand that the previous instruction used in the same
 *   position is still available (".reuse" in SASS). So the order counts: row after row reuses an
 *   element of a, and turning at the end of a row (a serpentine) also reuses one of b. Then each
 *   multiplication reads at most two new registers, which the compiler can put into different
 *   banks. In registers only, on an H200, 8 x 8 products reach 46.2 TFLOP/s of 66.9 without reuse,
 *   59.0 row after row, 65.8 in serpentines.
 *
 * pipeline.cuh contains the loop, which 12_slices and 13_stream_k use too.
 *
 * Predicted for 4096 x 4096 x 4096: 1,120 instructions for 1,024 FFMA, 80 of them a cycle longer
 * for a bank: 0.85 of the peak; 4 x 132 places for 512 tiles: 0.97 of that, 55 TFLOP/s. Measured:
 * 53.2 (10_async 46.4; cuBLAS 51.1).
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
