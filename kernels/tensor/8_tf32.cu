/* C = alpha A B + beta C, floats multiplied as TF32: one operand comes through registers.
 *
 * What it teaches: TF32 keeps a float's range and the leading 11 of its 24 significant bits, and
 * multiplies at half the rate of bf16. For 32-bit types wgmma wants both operands' rows across k,
 * and B's lie along it. So the product is turned: C' = B' A', where A, as it lies, is the operand
 * in shared memory, and B' is the one that may come from registers. Each lane reads its elements of
 * B from the tile, in whatever order, with 8-byte loads that meet no bank twice:
 * - columns of B are rows of the product, and which is which is ours to choose: lanes of a group of
 *   four read rows k, k+1, k+2, k+3, whose swizzles differ in two bits, so that groups read pieces
 *   that differ in the third; the four-byte elements of a piece go to fragment rows r and r + 8;
 * - the results then lie two columns side by side, and are stored as they are.
 * A block computes 256 x 128 results, 32 deep a step, by the roles of 5_roles, and stays for
 * tile after tile as in 7_persistent. TMA rounds both operands to TF32 (to nearest) on the way.
 *
 * Error: an input is off by at most 2^-11 of itself, so that the result is by at most
 * (2^-10 + 2^-22) sum |a b|, besides fp32's sums, which tensor cores cut off. Measured against
 * fp64, reals from [-1, 1), k = 4096: 2.6e-4 of the result's root mean square, and 2.3e-5 sum |a b|
 * at the worst of 4096 elements; with [0, 1), 2.8e-5 of the result. cuBLAS's TF32 has the same
 * errors.
 *
 * Measured on an H200, random reals: 4096 each 414 TFLOP/s (cuBLAS 406), 8192 each 378 (374). With
 * 64 columns of B a warpgroup rather than 128 shared memory gives 128 bytes a cycle in place of the
 * 144 that it does not have: 10 %.
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "hopper.cuh"

enum { BM = 256, BN = 128, BK = 32, STAGES = 4, THREADS = 384, BOX_BYTES = BK * 128 };
enum { A_BYTES = BM * BK * 4, B_BYTES = BK * BN * 4, STAGE_BYTES = A_BYTES + B_BYTES };
enum { SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + 1024 /* to align them */ };
enum { A_ROWS = 128 /* of a box */ };

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
static __device__ __forceinline__ void load_pair(uint32_t &x, uint32_t &y, uint32_t from) {
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(from));
}
#endif

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tf32(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
              float *C, int m, int n, int k, float alpha, float beta) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t full = tiles + STAGES * STAGE_BYTES, empty = full + STAGES * 8;
    int tiles_m = (m - 1) / BM + 1, tiles_n = (n - 1) / BN + 1, steps = (k + BK - 1) / BK;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128, lane = tid % 32;

    if (threadIdx.x == 0) {
        tma_prefetch(&A);
        tma_prefetch(&B);
        for (int stage = 0; stage < STAGES; stage++) {
            barrier_init(full + 8 * stage, 1);
            barrier_init(empty + 8 * stage, 2);
        }
        barriers_ready();
    }
    __syncthreads();

    Ring<STAGES> ring;
    if (group == 0) {
        registers_down_to<40>();
        for (int p = blockIdx.x; p < tiles_m * tiles_n && tid == 0; p += gridDim.x) {
            int2 tile = tile_of(p, tiles_m, tiles_n);
            for (int step = 0; step < steps; step++, ring.next()) {
                uint32_t a = tiles + ring.stage * STAGE_BYTES, b = a + A_BYTES;
                uint32_t barrier = full + 8 * ring.stage;
                barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* at first there is none */
                barrier_expect(barrier, STAGE_BYTES);
                tma_load(a, &A, tile.x * BM, step * BK, barrier);
                tma_load(a + A_ROWS * 128, &A, tile.x * BM + A_ROWS, step * BK, barrier);
#pragma unroll
                for (int box = 0; box < BN / 32; box++)
                    tma_load(b + box * BOX_BYTES, &B, step * BK, tile.y * BN + box * 32, barrier);
            }
        }
    } else {
        registers_up_to<232>();
        /* This warp's sixteen columns of B are half of a box: pieces first, first ^ 4, first + 1
         * and (first + 1) ^ 4; this lane's two are in `piece`, and its rows are t and t + 4 of
         * eight. */
        int warp = (group - 1) * 4 + tid / 32, g = lane / 4, t = lane % 4;
        int piece = (warp % 2 * 2 + g / 4) ^ (g / 2 % 2 * 4);
        uint32_t box = A_BYTES + warp / 2 * BOX_BYTES + g % 2 * 8;
        uint32_t low = box + t * 128 + (piece ^ t) * 16;
        uint32_t high = box + (t + 4) * 128 + (piece ^ (t + 4)) * 16;
        float sum[128];
        int last = 0; /* the stage of the step before */

        auto multiply = [&](uint32_t(&b)[BK / 8][4], int step) {
            uint32_t stage = tiles + ring.stage * STAGE_BYTES;
            barrier_wait(full + 8 * ring.stage, ring.parity);
#pragma unroll
            for (int kk = 0; kk < BK / 8; kk++) {
                load_pair(b[kk][0], b[kk][1], stage + low + kk * (8 * 128));
                load_pair(b[kk][2], b[kk][3], stage + high + kk * (8 * 128));
            }
            wgmma_fence();
#pragma unroll
            for (int kk = 0; kk < BK / 8; kk++)
                wgmma_tf32(sum, b[kk], wgmma_operand(stage + kk * 32), step + kk > 0);
            wgmma_commit();
            if (step > 0) { /* a wait in the first step too would have ptxas serialise them all */
                wgmma_wait<1>(); /* the step before is done */
                if (tid == 0)
                    barrier_arrive(empty + 8 * last);
            }
            last = ring.stage;
            ring.next();
        };
        for (int p = blockIdx.x; p < tiles_m * tiles_n; p += gridDim.x) {
            uint32_t b[2][BK / 8][4]; /* of this step and, while it is still read, the one before */
            for (int step = 0; step < steps; step += 2) {
                multiply(b[0], step);
                if (step + 1 < steps)
                    multiply(b[1], step + 1);
            }
            wgmma_wait<0>();
            if (tid == 0)
                barrier_arrive(empty + 8 * last);

            int2 tile = tile_of(p, tiles_m, tiles_n);
            int row = tile.x * BM + t * 2,
                col = tile.y * BN + warp / 2 * 32 + piece * 4 + g % 2 * 2;
#pragma unroll
            for (int i = 0; i < 64; i++) { /* i / 2 * 8 + i % 2: the product's column, C's row */
                int r = row + i / 2 * 8 + i % 2, at = i / 2 * 4 + i % 2;
                if (r < m && col < n) {
                    float2 *to = (float2 *)&C[(size_t)r * n + col];
                    float2 v = make_float2(alpha * sum[at], alpha * sum[at + 2]);
                    if (beta != 0) {
                        float2 was = *to;
                        v.x += beta * was.x;
                        v.y += beta * was.y;
                    }
                    *to = v;
                }
            }
        }
    }
#endif
}

extern "C" cudaError_t wbk_gemm_wgmma_tf32(const float *A, const float *B, float *C, int m, int n,
                                           int k, float alpha, float beta, cudaStream_t stream) {
    bool done;
    cudaError_t status =
        begin(gemm_tf32, SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    CUtensorMap a, b;
    if (!done && status == cudaSuccess)
        status = tensor_map(&a, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, A, m, k, A_ROWS);
    if (!done && status == cudaSuccess)
        status = tensor_map(&b, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, B, k, n, BK);
    if (done || status != cudaSuccess)
        return status;
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int count = ((m - 1) / BM + 1) * ((n - 1) / BN + 1);
    int blocks = count < processors ? count : processors;
    gemm_tf32<<<blocks, THREADS, SHARED_BYTES, stream>>>(a, b, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}
