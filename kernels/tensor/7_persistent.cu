/* C = alpha A B + beta C in bf16: blocks that stay, and results put away during the next tile.
 *
 * What it teaches: in 6_cluster each tile begins with empty buffers and ends with stores while the
 * tensor cores stand still. Here as many blocks as there are multiprocessors take tile after tile:
 * - the fetching thread runs ahead into the next tile while this one is finished;
 * - a finished tile is only rounded to bf16, which halves it to 64 registers, and the next tile
 *   begins at once; between its first steps, 64 columns at a time, the old results go to shared
 *   memory by stmatrix and from there by TMA.
 * Measured by the clock of a multiprocessor, 4096 each: 68,100 cycles a tile, of which 2,400 are
 * its end, when results are stored at once; 66,800 and 470 this way; 65,536 are the multiplication.
 *
 * Predicted: 4 % off 6_cluster's time for the ends of tiles, more for starts. Measured on an H200,
 * random reals: 4096 each 790 TFLOP/s (682 before; cuBLAS 793), 8192 each 732 (cuBLAS 708). The
 * rest is the start (2 us until the first tile is there), the last of four rounds of tiles, in
 * which 16 of 132 multiprocessors have none, and at 8192 the power limit: 700 W, 1.4 to 1.5 GHz
 * of 1.98.
 *
 * Where 128 x 256 tiles are fewer than multiprocessors, tiles are 128 x 128.
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "hopper.cuh"

typedef __nv_bfloat16 bf16;

enum { BM = 128, BK = 64, THREADS = 384, PAIR = 2, BOX_BYTES = BK * 128 };
enum { PART = 64, PART_BYTES = 16 * PART * 2 }; /* a warp's 16 rows of 64 columns */

template <int BN> struct Block {
    static constexpr int STAGES = BN == 256 ? 4 : 6, PARTS = BN / PART, BOXES = BN / 64;
    static constexpr int A_BYTES = BM * BK * 2, STAGE_BYTES = A_BYTES + BK * BN * 2;
    static constexpr int OUT_BYTES = 8 * 2 * PART_BYTES; /* two parts a warp */
    static constexpr int SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + OUT_BYTES + 1024;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
/* Four 8 x 8 matrices, as wgmma leaves them in a warp's registers, to rows in shared memory. */
static __device__ __forceinline__ void store_matrices(uint32_t row, const __nv_bfloat162 *r) {
    const uint32_t *bits = (const uint32_t *)r;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
                 "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3])
                 : "memory");
}
#endif

template <int BN>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_persistent(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                    const __grid_constant__ CUtensorMap to, const bf16 *C, int m, int n, int k,
                    float alpha, float beta) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    typedef Block<BN> Is;
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t out = tiles + Is::STAGES * Is::STAGE_BYTES;
    uint32_t full = out + Is::OUT_BYTES, empty = full + Is::STAGES * 8;
    int rank = cluster_rank(), steps = (k + BK - 1) / BK;
    int pairs_m = (m - 1) / (PAIR * BM) + 1, tiles_n = (n - 1) / BN + 1;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128, lane = tid % 32;

    if (threadIdx.x == 0) {
        tma_prefetch(&A);
        tma_prefetch(&B);
        for (int stage = 0; stage < Is::STAGES; stage++) {
            barrier_init(full + 8 * stage, 1);
            barrier_init(empty + 8 * stage, 2 * PAIR);
        }
        barriers_ready();
    }
    cluster_sync();

    Ring<Is::STAGES> ring;
    if (group == 0) {
        registers_down_to<40>();
        for (int p = blockIdx.x / PAIR; p < pairs_m * tiles_n && tid == 0; p += gridDim.x / PAIR) {
            int2 pair = tile_of(p, pairs_m, tiles_n);
            int row0 = (pair.x * PAIR + rank) * BM, col0 = pair.y * BN;
            for (int step = 0; step < steps; step++, ring.next()) {
                uint32_t a = tiles + ring.stage * Is::STAGE_BYTES, b = a + Is::A_BYTES;
                uint32_t barrier = full + 8 * ring.stage;
                barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* at first there is none */
                barrier_expect(barrier, Is::STAGE_BYTES);
                tma_load(a, &A, row0, step * BK, barrier);
#pragma unroll
                for (int i = 0; i < Is::BOXES / PAIR; i++) {
                    int box = rank * (Is::BOXES / PAIR) + i;
                    tma_load_both(b + box * BOX_BYTES, &B, step * BK, col0 + box * 64, barrier);
                }
            }
        }
    } else {
        registers_up_to<232>();
        float sum[BN / 2];
        __nv_bfloat162 rounded[BN / 4]; /* the last tile's, until they are put away */
        bool pending = false;
        int row = 0, col = 0, last = 0; /* rounded's place; the stage of the step before */
        out += (group - 1) * (4 * 2 * PART_BYTES) + tid / 32 * (2 * PART_BYTES);

        auto multiply = [&](int step) {
            uint32_t a = tiles + ring.stage * Is::STAGE_BYTES, b = a + Is::A_BYTES;
            barrier_wait(full + 8 * ring.stage, ring.parity);
            wgmma_fence();
#pragma unroll
            for (int kk = 0; kk < BK / 16; kk++)
                wgmma_bf16(sum, wgmma_operand(a + (group - 1) * (64 * 128) + kk * 32),
                           wgmma_operand(b + kk * (16 * 128), BOX_BYTES), step + kk > 0);
            wgmma_commit();
            wgmma_wait<1>(); /* the step before is done */
            if (step > 0 && tid < PAIR)
                barrier_arrive_at(empty + 8 * last, tid);
            last = ring.stage;
            ring.next();
        };
        /* Sixteen lanes give the rows of two matrices, the other sixteen those of the next two. */
        auto put_away = [&](int part) {
            uint32_t buffer = out + part % 2 * PART_BYTES;
            if (lane == 0)
                tma_store_wait<1>(); /* the part before the last has been read */
            __syncwarp();
#pragma unroll
            for (int i = 0; i < 4; i++)
                store_matrices(buffer + lane % 16 * 128 + (((2 * i + lane / 16) ^ lane % 8) * 16),
                               &rounded[(part * 4 + i) * 4]);
            tma_written();
            __syncwarp();
            if (lane == 0)
                tma_store(&to, row, col + part * PART, buffer);
        };

        for (int p = blockIdx.x / PAIR; p < pairs_m * tiles_n; p += gridDim.x / PAIR) {
#pragma unroll
            for (int part = 0; part < Is::PARTS; part++) {
                if (part < steps)
                    multiply(part);
                if (pending)
                    put_away(part);
            }
            for (int step = Is::PARTS; step < steps; step++)
                multiply(step);
            wgmma_wait<0>();
            if (tid < PAIR)
                barrier_arrive_at(empty + 8 * last, tid);

            int2 pair = tile_of(p, pairs_m, tiles_n);
            row = (pair.x * PAIR + rank) * BM + (group - 1) * 64 + tid / 32 * 16;
            col = pair.y * BN;
            if (beta == 0) {
#pragma unroll
                for (int i = 0; i < BN / 4; i++)
                    rounded[i] =
                        scaled_pair<false>(sum[2 * i], sum[2 * i + 1], nullptr, alpha, beta);
            } else {
#pragma unroll
                for (int i = 0; i < BN / 4; i++) {
                    int r = row + lane / 4 + i % 2 * 8, c = col + i / 2 * 8 + lane % 4 * 2;
                    if (r < m && c < n)
                        rounded[i] = scaled_pair<true>(sum[2 * i], sum[2 * i + 1],
                                                       &C[(size_t)r * n + c], alpha, beta);
                }
            }
            pending = true;
        }
#pragma unroll
        for (int part = 0; part < Is::PARTS; part++)
            if (pending)
                put_away(part);
        if (lane == 0)
            tma_store_wait<0>();
    }
    __syncwarp();
    cluster_sync(); /* the other block may still write here, and tell our barriers */
#endif
}

template <int BN>
static cudaError_t multiply(const bf16 *A, const bf16 *B, bf16 *C, int m, int n, int k, float alpha,
                            float beta, int processors, cudaStream_t stream) {
    bool done;
    cudaError_t status = begin(gemm_persistent<BN>, Block<BN>::SHARED_BYTES, A, B, C, m, n, k,
                               alpha, beta, stream, &done);
    CUtensorMap a, b, to;
    if (!done && status == cudaSuccess)
        status = bf16_map(&a, A, m, k, BM);
    if (!done && status == cudaSuccess)
        status = bf16_map(&b, B, k, n, BK);
    if (!done && status == cudaSuccess)
        status = bf16_map(&to, C, m, n, 16);
    if (done || status != cudaSuccess)
        return status;
    int pairs = ((m - 1) / (PAIR * BM) + 1) * ((n - 1) / BN + 1);
    int clusters = pairs < processors / PAIR ? pairs : processors / PAIR;
    return launch(gemm_persistent<BN>, PAIR * clusters, PAIR, THREADS, Block<BN>::SHARED_BYTES,
                  stream, a, b, to, C, m, n, k, alpha, beta);
}

extern "C" cudaError_t wbk_gemm_persistent_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                                int k, float alpha, float beta,
                                                cudaStream_t stream) {
    int device = 0, processors = PAIR;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    bool many = (size_t)(m / BM) * (size_t)(n / 256) >= (size_t)processors * 3 / 4;
    return (many ? multiply<256> : multiply<128>)(A, B, C, m, n, k, alpha, beta, processors,
                                                  stream);
}
