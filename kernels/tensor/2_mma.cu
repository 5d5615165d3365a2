/* C = alpha A B + beta C in bf16: mma.sync with explicit operand layouts.
 *
 * The idea: wmma hides which lane has which element, but mma.sync specifies it. So:
 * - ldmatrix loads four 8 x 8 matrices of 16-bit elements at once, and each lane gives a row's
 *   address. B is stored by rows, and .trans transposes it on the way.
 * - The tiles in shared memory are swizzled (16-byte piece p of row r is at p ^ f(r)), so the eight
 *   rows of a matrix are in different banks.
 * - cp.async copies 16 bytes from global to shared memory without a register. Three tiles are in
 *   flight during the work on the oldest.
 *
 * A block computes 128 x 128 results with eight warps of 64 x 32; a step is 32 deep. The launcher
 * chooses VEC: cp.async needs n and k to be multiples of 8, and 16-byte aligned pointers. Otherwise
 * the kernel stores single elements. Any size is supported.
 *
 * Needs compute capability 8.0; runs on softgpu.
 *
 * Predicted: an eighth of the load instructions and no wait for a tile, so several times 1_wmma, up
 * to the rate of mma.sync, about 0.6 of Hopper's tensor cores. Measured on an H200, 4096 each: 277
 * TFLOP/s (43 before).
 *
 * Sectors/request: loads of A 16 (eight rows of two sectors), of B 16 (two rows of eight). */
#include "common/tensor.cuh"

typedef __nv_bfloat16 bf16;

enum { BM = 128, BN = 128, BK = 32, STAGES = 3, THREADS = 256, PIECE = 8 /* elements, 16 bytes */ };

struct Stage {
    bf16 a[BM][BK], b[BK][BN];
};

#if __CUDA_ARCH__ >= 800
/* Return the address of piece `piece` in row `row`. A's rows are 64 bytes, so two of them cover the
 * banks. B's rows cover them twice. */
static __device__ bf16 *a_at(Stage *s, int row, int piece) {
    return &s->a[row][(piece ^ (row >> 1 & 3)) * PIECE];
}
static __device__ bf16 *b_at(Stage *s, int row, int piece) {
    return &s->b[row][(piece ^ (row & 7)) * PIECE];
}

static __device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Copies eight elements from (row, col) of a rows x cols matrix to shared memory, with zeros beyond
 * its edge.
 */
template <bool VEC>
static __device__ void fetch(bf16 *to, const bf16 *matrix, int row, int col, int rows, int cols) {
    const bf16 *from = matrix + (size_t)row * cols + col;
    if (VEC) {
        int bytes = row < rows && col < cols ? 16 : 0; /* the rest of 16 becomes zeros */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(bytes ? from : matrix), "r"(bytes));
    } else {
        for (int i = 0; i < PIECE; i++)
            to[i] = row < rows && col + i < cols ? from[i] : bf16(0.0f);
    }
}

static __device__ void load_matrices(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

static __device__ void load_matrices_transposed(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

static __device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif

template <bool VEC>
static __global__ void __launch_bounds__(THREADS)
    gemm_mma(const bf16 *__restrict__ A, const bf16 *__restrict__ B, bf16 *C, int m, int n, int k,
             float alpha, float beta) {
#if __CUDA_ARCH__ >= 800
    __shared__ __align__(128) Stage stages[STAGES];
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, tid = threadIdx.x, lane = tid % 32;
    int row = tid / 32 / 4 * 64, col = tid / 32 % 4 * 32; /* of this warp's results in the tile */
    int steps = (k + BK - 1) / BK;

    auto fetch_stage = [&](int step) {
        Stage *s = &stages[step % STAGES];
        if (step < steps)
            for (int i = tid; i < BM * BK / PIECE; i += THREADS) {
                int r = i / (BK / PIECE), p = i % (BK / PIECE);
                fetch<VEC>(a_at(s, r, p), A, row0 + r, step * BK + p * PIECE, m, k);
                r = i / (BN / PIECE), p = i % (BN / PIECE);
                fetch<VEC>(b_at(s, r, p), B, step * BK + r, col0 + p * PIECE, k, n);
            }
        asm volatile("cp.async.commit_group;"); /* empty groups count too */
    };

    float sum[4][4][4] = {};
    for (int step = 0; step < STAGES - 1; step++)
        fetch_stage(step);
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads(); /* all have this tile, and have read the previous one */
        fetch_stage(step + STAGES - 1);
        Stage *s = &stages[step % STAGES];
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            uint32_t a[4][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                load_matrices(a[i], a_at(s, row + 16 * i + lane % 16, kk / PIECE + lane / 16));
#pragma unroll
            for (int j = 0; j < 2; j++)
                load_matrices_transposed(
                    b[j], b_at(s, kk + lane % 16, (col + 16 * j) / PIECE + lane / 16));
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    multiply(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }

    /* a lane's four results of a 16 x 8 tile: two neighbours in row lane / 4, two eight rows
     * below */
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int r = row0 + row + 16 * i + lane / 4 + e / 2 * 8;
                int c = col0 + col + 8 * j + lane % 4 * 2 + e % 2;
                if (r < m && c < n) {
                    bf16 *to = &C[(size_t)r * n + c];
                    *to = scaled<bf16>(sum[i][j][e], to, alpha, beta);
                }
            }
#endif
}

extern "C" cudaError_t wbk_gemm_mma_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n, int k,
                                         float alpha, float beta, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0)
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (alpha == 0)
        k = 0; /* A and B are not read then (the BLAS rule) */
    cudaError_t status = compiled_for(gemm_mma<true>, 80);
    if (status != cudaSuccess)
        return status;
    dim3 blocks((n - 1) / BN + 1, (m - 1) / BM + 1);
    if (blocks.y > 65535)
        return cudaErrorInvalidValue;
    if (n % PIECE == 0 && k % PIECE == 0 && ((uintptr_t)A | (uintptr_t)B) % 16 == 0)
        gemm_mma<true><<<blocks, THREADS, 0, stream>>>(A, B, C, m, n, k, alpha, beta);
    else
        gemm_mma<false><<<blocks, THREADS, 0, stream>>>(A, B, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}
