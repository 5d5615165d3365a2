/* C = alpha A B + beta C in bf16 and fp16: small products, from memory directly to registers.
 *
 * The idea: a product of 64 x 64 x 64 takes 4.7 microseconds, 3.0 of them for an empty kernel and
 * 0.5 for a load. The rest is the path: copies to shared memory, a barrier, ldmatrix, sums to
 * shared memory, a barrier. Here a lane loads directly what mma.sync needs. The order of k is
 * irrelevant if A and B agree, and so is the order of columns. So four neighbours of A's row are
 * the lane's four of sixteen, and four neighbours of each of B's four rows are its columns of four
 * tiles. B's pairs are vertical, which costs two byte permutations per product. All loads of a trip
 * are issued together. Warps divide k in pieces of sixteen, and shared memory adds their sums once.
 *
 * Predicted: 0.2 microseconds of 4.7, and 2.1 % over all random shapes. Measured on an H100:
 * products for which cuBLAS takes up to 5.5 microseconds 1.128 of it after 1.043 (349 random
 * shapes), up to 6.5 1.052 after 1.014 (815).
 *
 * Any shape; rows that are no multiples of 8 bytes element by element. Needs compute capability
 * 8.0; runs on softgpu. Sectors/request: loads of A 8 (32 bytes of each row), of B 8 (64 bytes of
 * four rows). */
#include "common/any.cuh"
#include "common/cost.cuh"

enum { ROWS = 16, COLS = 32, PIECE = 16 /* of k: one instruction */ };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

/* Returns the pairs of column j from two rows of B, one per word. */
static __device__ __forceinline__ uint32_t pair_of(uint2 upper, uint2 lower, int j) {
    return __byte_perm(j < 2 ? upper.x : upper.y, j < 2 ? lower.x : lower.y,
                       j % 2 == 0 ? 0x5410 : 0x7632);
}

/* A lane's part of a piece: four of k in two rows of A, and four columns of B in these four. */
struct fetched {
    uint2 a[2], b[4];
};

/* Loads four neighbours of a row, `there` of which are in the matrix. With VEC all rows are
 * multiples of eight bytes, and one load gets all four or none. */
template <bool VEC, class T>
static __device__ __forceinline__ uint2 load_four(const T *from, int there) {
    uint2 four = make_uint2(0, 0);
    if constexpr (VEC) {
        if (there > 0)
            four = __ldg((const uint2 *)from);
    } else {
        const uint16_t *bits = (const uint16_t *)from;
        four.x = (there > 0 ? bits[0] : 0) | (uint32_t)(there > 1 ? bits[1] : 0) << 16;
        four.y = (there > 2 ? bits[2] : 0) | (uint32_t)(there > 3 ? bits[3] : 0) << 16;
    }
    return four;
}

/* Loads the piece from k0 on: row `row` and the eighth after it, column `col` and three more. */
template <bool VEC, class T>
static __device__ __forceinline__ void load_piece(fetched &f, const product<T> &p, int row, int col,
                                                  int k0) {
    const int k = k0 + threadIdx.x % 4 * 4, left = p.k - k;
    const T *a = p.A + (size_t)row * p.k + k, *b = p.B + (size_t)k * p.n + col;
#pragma unroll
    for (int h = 0; h < 2; h++)
        f.a[h] = load_four<VEC>(a + (size_t)(8 * h) * p.k, row + 8 * h < p.m ? left : 0);
#pragma unroll
    for (int r = 0; r < 4; r++)
        f.b[r] = load_four<VEC>(b + (size_t)r * p.n, r < left ? p.n - col : 0);
}

template <class T>
static __device__ __forceinline__ void multiply_piece(float (&sum)[4][4], const fetched &f) {
    const uint32_t a[4] = {f.a[0].x, f.a[1].x, f.a[0].y, f.a[1].y};
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const uint32_t b[2] = {pair_of(f.b[0], f.b[1], j), pair_of(f.b[2], f.b[3], j)};
        multiply(T(), sum[j], a, b);
    }
}

/* Returns four neighbours in C's row: sums h and e of all four tiles. */
template <class T>
static __device__ __forceinline__ sums_of<T> four_of(const float (&sum)[4][4], int h, int e) {
    return {{sum[0][2 * h + e], sum[1][2 * h + e], sum[2][2 * h + e], sum[3][2 * h + e]}};
}

#endif

/* A block computes 16 x 32 results. Its WARPS divide the pieces of k, AHEAD of them at a time. */
template <class T, int WARPS, int AHEAD, bool VEC>
static __global__ void __launch_bounds__(WARPS * 32) gemm_direct(const product<T> p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    typedef sums_of<T> four;
    constexpr int PITCH = COLS / 4 + 1;
    __shared__ four sums[WARPS > 1 ? WARPS * ROWS * PITCH : 1];
    const int warp = threadIdx.x / 32, t = threadIdx.x % 4, c = threadIdx.x % 32 / 4;
    const int across = (p.n - 1) / COLS + 1, pieces = (p.k + PIECE - 1) / PIECE;
    const int row0 = blockIdx.x / across * ROWS, col0 = blockIdx.x % across * COLS;
    const int row = row0 + c, col = col0 + 4 * c;
    float sum[4][4] = {};
    for (int first = warp; first < pieces; first += WARPS * AHEAD) {
        fetched f[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            load_piece<VEC>(f[i], p, row, col, (first + i * WARPS) * PIECE);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            multiply_piece<T>(sum, f[i]);
    }
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            four v = four_of<T>(sum, h, e);
            if constexpr (WARPS == 1)
                store_some<T, VEC>(p, row + 8 * h, col0 + 8 * t + 4 * e, v);
            else
                sums[(warp * ROWS + c + 8 * h) * PITCH + 2 * t + e] = v;
        }
    if constexpr (WARPS > 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < ROWS * COLS / 4; i += WARPS * 32) {
            const four *from = sums + i / 8 * PITCH + i % 8;
            four v = *from;
#pragma unroll
            for (int other = 1; other < WARPS; other++)
                v += from[other * ROWS * PITCH];
            store_some<T, VEC>(p, row0 + i / 8, col0 + i % 8 * 4, v);
        }
    }
#endif
}

/* The kinds of blocks with the model's times in microseconds: a launch with all fixed costs; a trip
 * to memory, a block on a multiprocessor, its piece of k, a megabyte, if rows are multiples of 8
 * bytes and if not. Fitted as in widths.cuh: median error 3.6 %, nine of ten within 12. */
static const struct {
    int warps, ahead;
    double launch;
} SHAPES[] = {{1, 1, 3.300}, {4, 2, 3.598}, {16, 2, 3.887}};
static const struct {
    double trip, block, piece, megabyte;
} TIMES[2] = {{0.677, 0.1068, 0.0196, 0.340}, {1.454, 0.1420, 0.0520, 0.391}};
enum {
    MOST_TRIPS = 4,
    MOST_BLOCKS = 24 /* per multiprocessor; with more, other rungs reuse their data */
};

static long long blocks_of(int m, int n) {
    return whole(m, ROWS) * whole(n, COLS);
}

/* Finds the fastest kind. The time is infinite if none is to be used. */
static int best_shape(int m, int n, int k, int processors, bool words, double *least) {
    const auto &times = TIMES[words ? 0 : 1];
    const double blocks = (double)whole(blocks_of(m, n), processors),
                 pieces = (double)whole(k, PIECE);
    const double bytes = 2 * ((double)m * k + (double)k * n + (double)m * n);
    int best = 0;
    *least = INFINITY;
    for (int i = 0; i < 3; i++) {
        double trips = (double)whole(whole(k, PIECE), (long long)SHAPES[i].warps * SHAPES[i].ahead);
        double time = SHAPES[i].launch + times.trip * trips +
                      blocks * (times.block + times.piece * pieces) + times.megabyte * bytes * 1e-6;
        if (trips <= MOST_TRIPS && blocks <= MOST_BLOCKS && time < *least) {
            *least = time;
            best = i;
        }
    }
    return best;
}

double wbk_gemm_direct_time(int m, int n, int k, int processors, row_starts starts) {
    double time;
    best_shape(m, n, k, processors, starts == AT_PIECES, &time);
    return time;
}

template <class T, bool VEC>
static void launch_shape(int shape, const product<T> &p, dim3 blocks, cudaStream_t stream) {
    auto *kernel = shape == 2   ? gemm_direct<T, 16, 2, VEC>
                   : shape == 1 ? gemm_direct<T, 4, 2, VEC>
                                : gemm_direct<T, 1, 1, VEC>;
    kernel<<<blocks, SHAPES[shape].warps * 32, 0, stream>>>(p);
}

template <class T> static cudaError_t multiply_direct(product<T> p, cudaStream_t stream) {
    if (p.m < 0 || p.n < 0 || p.k < 0)
        return cudaErrorInvalidValue;
    if (p.m == 0 || p.n == 0)
        return cudaSuccess;
    if (p.alpha == 0)
        p.k = 0; /* A and B are not read then (the BLAS rule) */
    if (blocks_of(p.m, p.n) > 0x7fffffff || p.k > 0x7fffffff - 1024)
        return cudaErrorInvalidValue;
    cudaError_t status = compiled_for(gemm_direct<T, 1, 1, true>, 80);
    if (status != cudaSuccess)
        return status;
    const int processors = multiprocessors();
    double time;
    const bool words = (p.n | p.k) % 4 == 0 &&
                       ((uintptr_t)p.C | (p.k ? (uintptr_t)p.A | (uintptr_t)p.B : 0)) % 8 == 0;
    const int best = best_shape(p.m, p.n, p.k, processors, words, &time);
    const dim3 blocks((unsigned)blocks_of(p.m, p.n));
    if (words)
        launch_shape<T, true>(time == INFINITY ? 2 : best, p, blocks, stream);
    else
        launch_shape<T, false>(time == INFINITY ? 2 : best, p, blocks, stream);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_gemm_direct_bf16(const __nv_bfloat16 *A, const __nv_bfloat16 *B,
                                            __nv_bfloat16 *C, int m, int n, int k, float alpha,
                                            float beta, cudaStream_t stream) {
    return multiply_direct<__nv_bfloat16>({A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_gemm_direct_fp16(const __half *A, const __half *B, __half *C, int m,
                                            int n, int k, float alpha, float beta,
                                            cudaStream_t stream) {
    return multiply_direct<__half>({A, B, C, m, n, k, alpha, beta}, stream);
}
