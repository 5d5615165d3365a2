/* roles.cuh: a block with one warpgroup that fetches and two that multiply (5_roles). PAIR blocks
 * one above the other share their loads of B (6_cluster). */
#pragma once

#include "hopper.cuh"

typedef __nv_bfloat16 bf16;

enum { BM = 128, BN = 256, BK = 64, STAGES = 4, THREADS = 384, BOX_BYTES = BK * 128 };
enum { A_BYTES = BM * BK * 2, B_BYTES = BK * BN * 2, STAGE_BYTES = A_BYTES + B_BYTES };
enum { SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + 1024 /* to align them */, BOXES = BN / 64 };

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
template <int PAIR>
static __device__ __forceinline__ void multiply_by_roles(const CUtensorMap &A, const CUtensorMap &B,
                                                         bf16 *C, int m, int n, int k, float alpha,
                                                         float beta) {
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t full = tiles + STAGES * STAGE_BYTES, empty = full + STAGES * 8;
    int rank = PAIR == 1 ? 0 : cluster_rank();
    int2 pair = tile_of(blockIdx.x / PAIR, (m - 1) / (PAIR * BM) + 1, (n - 1) / BN + 1);
    int row0 = (pair.x * PAIR + rank) * BM, col0 = pair.y * BN, steps = (k + BK - 1) / BK;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128;

    if (threadIdx.x == 0)
        init_ring<STAGES>(full, empty, 2 * PAIR);
    if constexpr (PAIR == 1)
        __syncthreads();
    else
        cluster_sync();

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
            for (int i = 0; i < BOXES / PAIR; i++) {
                int box = rank * (BOXES / PAIR) + i;
                if constexpr (PAIR == 1)
                    tma_load(b + box * BOX_BYTES, &B, step * BK, col0 + box * 64, barrier);
                else
                    tma_load_both(b + box * BOX_BYTES, &B, step * BK, col0 + box * 64, barrier);
            }
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
            if (step > 0 && tid < PAIR) {
                if constexpr (PAIR == 1)
                    barrier_arrive(empty + 8 * last);
                else
                    barrier_arrive_at(empty + 8 * last, tid);
            }
            last = ring.stage;
        }
        wgmma_wait<0>();
        store_results(sum, C, row0 + (group - 1) * 64, col0, m, n, alpha, beta);
    }
    if constexpr (PAIR > 1) {
        __syncwarp();
        cluster_sync(); /* the other block may still write here and arrive at our barriers */
    }
}
#endif

/* Launches one block per tile, in clusters of PAIR. */
template <int PAIR, typename Kernel>
static cudaError_t launch_roles(Kernel *kernel, const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                int k, float alpha, float beta, cudaStream_t stream) {
    bool done;
    cudaError_t status = begin(kernel, SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    CUtensorMap a, b;
    if (!done)
        status = operand_maps(&a, &b, A, B, m, n, k, BM, BK);
    if (done || status != cudaSuccess)
        return status;
    int blocks = PAIR * ((m - 1) / (PAIR * BM) + 1) * ((n - 1) / BN + 1);
    return launch(kernel, blocks, PAIR, THREADS, SHARED_BYTES, stream, a, b, C, m, n, k, alpha,
                  beta);
}
