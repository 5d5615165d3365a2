/* C = alpha A B + beta C in bf16: one warpgroup fetches, two multiply.
 *
 * The idea: roles. In 4_tma the whole block has a barrier at each step before a tile's place is
 * refilled. Here one thread of a third warpgroup only fetches, and the two others only multiply.
 * Two barriers per tile connect them: full (the bytes have arrived) and empty (both have read
 * them). No warpgroup waits for one that is only slower.
 *
 * The fetching warpgroup gives its registers to the others (setmaxnreg). They then have room for
 * twice the results: 128 x 256 per block, 64 x 256 per warpgroup, the largest wgmma. Each fetched
 * element of A is used 256 times, each of B 128 times.
 *
 * Predicted: 0.75 of the bytes from L2, and no block barrier per step. Measured on an H200, 4096
 * each: 700 TFLOP/s (634 before).
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "common/hopper.cuh"

typedef __nv_bfloat16 bf16;

enum { BM = 128, BN = 256, BK = 64, STAGES = 4, THREADS = 384, BOX_BYTES = BK * 128 };
enum { A_BYTES = BM * BK * 2, B_BYTES = BK * BN * 2, STAGE_BYTES = A_BYTES + B_BYTES };
enum { SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + 1024 /* to align them */ };

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_roles(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
               bf16 *C, int m, int n, int k, float alpha, float beta) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t full = tiles + STAGES * STAGE_BYTES, empty = full + STAGES * 8;
    int2 tile = tile_of(blockIdx.x, (m - 1) / BM + 1, (n - 1) / BN + 1);
    int row0 = tile.x * BM, col0 = tile.y * BN, steps = (k + BK - 1) / BK;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128;

    if (threadIdx.x == 0) {
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
        for (int step = 0; step < steps && tid == 0; step++, ring.next()) {
            uint32_t a = tiles + ring.stage * STAGE_BYTES, b = a + A_BYTES;
            uint32_t barrier = full + 8 * ring.stage;
            barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* passes at first */
            barrier_expect(barrier, STAGE_BYTES);
            tma_load(a, &A, row0, step * BK, barrier);
#pragma unroll
            for (int box = 0; box < BN / 64; box++)
                tma_load(b + box * BOX_BYTES, &B, step * BK, col0 + box * 64, barrier);
        }
    } else {
        registers_up_to<232>();
        float sum[128];
        int last = 0; /* the previous step's stage */
        for (int step = 0; step < steps; step++, ring.next()) {
            uint32_t a = tiles + ring.stage * STAGE_BYTES, b = a + A_BYTES;
            barrier_wait(full + 8 * ring.stage, ring.parity);
            wgmma_fence();
#pragma unroll
            for (int kk = 0; kk < BK / 16; kk++)
                wgmma_bf16(sum, wgmma_operand(a + (group - 1) * (64 * 128) + kk * 32),
                           wgmma_operand(b + kk * (16 * 128), BOX_BYTES), step + kk > 0);
            wgmma_commit();
            wgmma_wait<1>(); /* the previous step is done */
            if (step > 0 && tid == 0)
                barrier_arrive(empty + 8 * last);
            last = ring.stage;
        }
        wgmma_wait<0>();
        store_results(sum, C, row0 + (group - 1) * 64, col0, m, n, alpha, beta);
    }
#endif
}

extern "C" cudaError_t wbk_gemm_roles_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                           int k, float alpha, float beta, cudaStream_t stream) {
    bool done;
    cudaError_t status =
        begin(gemm_roles, SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    CUtensorMap a, b;
    if (!done)
        status = operand_maps(&a, &b, A, B, m, n, k, BM, BK);
    if (done || status != cudaSuccess)
        return status;
    int blocks = ((m - 1) / BM + 1) * ((n - 1) / BN + 1);
    gemm_roles<<<blocks, THREADS, SHARED_BYTES, stream>>>(a, b, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}
