/* hopper.cuh: the tensor memory accelerator (TMA), barriers in shared memory, clusters of two
 * blocks.
 *
 * One instruction of one thread copies a tile: cp.async.bulk.tensor. It knows the matrix from a
 * tensor map made by the host. It writes 128-byte swizzled rows (16-byte piece p of row r is at p ^
 * (r & 7)), fills the part beyond the matrix with zeros, and counts the bytes on a barrier. Source:
 * PTX ISA 9.0, "Data Movement and Conversion: cp.async.bulk.tensor", "mbarrier"; CUDA driver API,
 * "Tensor Map Object Management".
 */
#pragma once

#include <cuda_fp16.h>
#include <cudaTypedefs.h>

#include "tensor.cuh"
#include "wgmma.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

static __device__ __forceinline__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* ---- barriers: 8 bytes in shared memory; a phase ends when all have arrived -------------------
 */

static __device__ __forceinline__ void barrier_init(uint32_t barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}
/* Makes the initialised barriers visible to TMA and to the cluster's other block. */
static __device__ __forceinline__ void barriers_ready() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/* Initialises a ring's two barriers per stage: `full` for the one thread that fetches, `empty` for
 * `readers` arrivals. */
template <int STAGES>
static __device__ __forceinline__ void init_ring(uint32_t full, uint32_t empty, int readers) {
    for (int stage = 0; stage < STAGES; stage++) {
        barrier_init(full + 8 * stage, 1);
        barrier_init(empty + 8 * stage, readers);
    }
    barriers_ready();
}
/* Arrives, and extends the phase until `bytes` more bytes have been copied. */
static __device__ __forceinline__ void barrier_expect(uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
static __device__ __forceinline__ void barrier_arrive(uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/* Arrives at the same barrier of block `rank` in the cluster. */
static __device__ __forceinline__ void barrier_arrive_at(uint32_t barrier, int rank) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}
/* Waits until the phase of this parity (0 for the first, 1 for the second, 0 ...) has ended. */
static __device__ __forceinline__ void barrier_wait(uint32_t barrier, int parity) {
    asm volatile("{ .reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again; }" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* A stage in a ring of STAGES buffers, and the current parity of its barriers. */
template <int STAGES> struct Ring {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* ---- tiles ---------------------------------------------------------------------------------- */

static __device__ __forceinline__ void tma_prefetch(const CUtensorMap *map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
/* Copies the map's box at (row, col) to shared address `to`. */
static __device__ __forceinline__ void tma_load(uint32_t to, const CUtensorMap *map, int row,
                                                int col, uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(col), "r"(row), "r"(barrier)
                 : "memory");
}
/* Does the same in the nth matrix of a batch. */
static __device__ __forceinline__ void tma_load(uint32_t to, const CUtensorMap *map, int row,
                                                int col, int nth, uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                 "l"(map), "r"(col), "r"(row), "r"(nth), "r"(barrier)
                 : "memory");
}
/* Copies to both blocks of a cluster, at the same place and with each block's own barrier. */
static __device__ __forceinline__ void tma_load_both(uint32_t to, const CUtensorMap *map, int row,
                                                     int col, uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(col), "r"(row), "r"(barrier), "h"((uint16_t)3)
                 : "memory");
}
/* Copies from shared memory to the matrix, except the part beyond its edge. Call tma_written()
 * between ordinary stores to the box and this. tma_store_wait<N>() waits until at most N of this
 * thread's stores still read their boxes. */
static __device__ __forceinline__ void tma_store(const CUtensorMap *map, int row, int col,
                                                 uint32_t from) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
        "cp.async.bulk.commit_group;" ::"l"(map),
        "r"(col), "r"(row), "r"(from)
        : "memory");
}
static __device__ __forceinline__ void tma_store(const CUtensorMap *map, int row, int col, int nth,
                                                 uint32_t from) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];\n"
        "cp.async.bulk.commit_group;" ::"l"(map),
        "r"(col), "r"(row), "r"(nth), "r"(from)
        : "memory");
}
static __device__ __forceinline__ void tma_written() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
template <int N> static __device__ __forceinline__ void tma_store_wait() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

/* ---- clusters and roles --------------------------------------------------------------------- */

static __device__ __forceinline__ int cluster_rank() {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ __forceinline__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
/* A warpgroup gives registers back to the multiprocessor, or waits until it has this many. */
template <int N> static __device__ __forceinline__ void registers_down_to() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N> static __device__ __forceinline__ void registers_up_to() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

/* Returns two neighbours of a row of C in 16 bits. */
static __device__ __forceinline__ __nv_bfloat162 pair_of(float x, float y, __nv_bfloat16) {
    return __floats2bfloat162_rn(x, y);
}
static __device__ __forceinline__ __half2 pair_of(float x, float y, __half) {
    return __floats2half2_rn(x, y);
}
static __device__ __forceinline__ float2 floats_of(__nv_bfloat162 pair) {
    return __bfloat1622float2(pair);
}
static __device__ __forceinline__ float2 floats_of(__half2 pair) {
    return __half22float2(pair);
}
template <class T> using pair_type = decltype(pair_of(0, 0, T()));

/* Returns two neighbours of a row of C: alpha sum, plus beta C if READ, rounded to 16 bits. */
template <bool READ, class T>
static __device__ __forceinline__ pair_type<T> scaled_pair(float x, float y, const T *before,
                                                           float alpha, float beta) {
    x *= alpha;
    y *= alpha;
    if (READ) {
        float2 was = floats_of(*(const pair_type<T> *)before);
        x += beta * was.x;
        y += beta * was.y;
    }
    return pair_of(x, y, T());
}

template <bool READ, int N, class T>
static __device__ __forceinline__ void store_pairs(const float (&d)[N], T *C, int row, int col,
                                                   int m, int n, float alpha, float beta) {
#pragma unroll
    for (int i = 0; i < N; i += 2) {
        int r = row + i % 4 / 2 * 8, c = col + i / 4 * 8;
        if (r < m && c < n) {
            T *to = &C[(size_t)r * n + c];
            *(pair_type<T> *)to = scaled_pair<READ>(d[i], d[i + 1], to, alpha, beta);
        }
    }
}

/* Stores a warpgroup's results in wgmma's order in C at (row, col). Each lane stores two
 * neighbours, four lanes half a sector. */
template <int N, class T>
static __device__ __forceinline__ void store_results(const float (&d)[N], T *C, int row, int col,
                                                     int m, int n, float alpha, float beta) {
    row += threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
    col += threadIdx.x % 4 * 2;
    if (beta == 0)
        store_pairs<false>(d, C, row, col, m, n, alpha, beta);
    else
        store_pairs<true>(d, C, row, col, m, n, alpha, beta);
}

/* Returns the first column of the given part of 64 columns in a tile of COLS columns that begins at
 * `col`. A narrower part of 32 comes last, but first in every other tile, so that the others are
 * always whole L2 lines. */
template <int COLS> static __device__ __forceinline__ int part_column(int col, int part) {
    constexpr int WHOLE = COLS / 64;
    bool narrow_first = COLS % 64 == 32 && col % 64 != 0;
    if (part == WHOLE && narrow_first)
        return col;
    return col + part * 64 + (narrow_first ? 32 : 0);
}

/* Rounds a warp's results, alpha d + beta C, to 16 bits: N / 2 pairs in the order of d. row: of its
 * first result; col: of its tile. */
template <int N, class T>
static __device__ __forceinline__ void
round_results(pair_type<T> (&rounded)[N / 2], const float (&d)[N], const T *C, int row, int col,
              int m, int n, float alpha, float beta) {
    row += threadIdx.x % 32 / 4;
    if (beta == 0 && alpha == 1) { /* a third of the instructions, while no product runs */
#pragma unroll
        for (int i = 0; i < N / 2; i++)
            rounded[i] = pair_of(d[2 * i], d[2 * i + 1], T());
    } else if (beta == 0) {
#pragma unroll
        for (int i = 0; i < N / 2; i++)
            rounded[i] =
                scaled_pair<false>(d[2 * i], d[2 * i + 1], (const T *)nullptr, alpha, beta);
    } else {
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            int r = row + i % 2 * 8;
            int c = part_column<2 * N>(col, i / 16) + i / 2 % 8 * 8 + threadIdx.x % 4 * 2;
            if (r < m && c < n)
                rounded[i] =
                    scaled_pair<true>(d[2 * i], d[2 * i + 1], &C[(size_t)r * n + c], alpha, beta);
        }
    }
}

/* Stores 16 rows of the given part of 64 columns in shared memory, with TMA's 128-byte swizzle.
 * stmatrix takes four 8 x 8 matrices in wgmma's order. Sixteen lanes give the rows of two, the
 * other sixteen those of the next two. */
template <int N, class Pair>
static __device__ __forceinline__ void store_part(uint32_t to, const Pair (&rounded)[N], int part) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4 && (part * 4 + i) * 4 < N; i++) {
        const uint32_t *bits = (const uint32_t *)&rounded[(part * 4 + i) * 4];
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         to + lane % 16 * 128 + (((2 * i + lane / 16) ^ lane % 8) * 16)),
                     "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3])
                     : "memory");
    }
}

/* Sends such a part through `buffer` to memory. One lane calls store(), which starts TMA. */
template <int N, class Pair, class Store>
static __device__ __forceinline__ void send_part(uint32_t buffer, const Pair (&rounded)[N],
                                                 int part, Store store) {
    store_part(buffer, rounded, part);
    tma_written();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        store();
}
/* Does the same with two alternating buffers, after the buffer's last store has been read. */
template <int N, class Pair, class Store>
static __device__ __forceinline__ void send_part_in_turn(uint32_t buffer, const Pair (&rounded)[N],
                                                         int part, Store store) {
    if (threadIdx.x % 32 == 0)
        tma_store_wait<1>();
    __syncwarp();
    send_part(buffer, rounded, part, store);
}

/* One step of 16-bit elements, 64 deep, as a group of products: sum += A B, or = A B unless `add`.
 * `a`: 64 rows of A; `b`: a box for each 64 columns of B. */
template <class T, int N>
static __device__ __forceinline__ void multiply_step(float (&sum)[N], uint32_t a, uint32_t b,
                                                     bool add, T) {
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
        wgmma(sum, wgmma_operand(a + kk * 32), wgmma_operand(b + kk * (16 * 128), 64 * 128),
              add || kk > 0, T());
    wgmma_commit();
}

#endif

/* Returns the place of tile p of rows x cols: bands of BAND tile rows, down each column of a band.
 * So concurrent tiles share rows of A and columns of B in L2. */
enum { BAND = 8 };
static __device__ __forceinline__ int2 tile_of(int p, int rows, int cols) {
    int band = p / (BAND * cols), first = band * BAND, within = p - first * cols;
    int height = min(BAND, rows - first);
    return make_int2(first + within % height, within / height);
}
/* The same before a block's first loads: without the second division for whole bands, about 400
 * cycles faster. */
static __device__ __forceinline__ int2 quick_tile_of(int p, int rows, int cols) {
    int first = p / (BAND * cols) * BAND, within = p - first * cols;
    return first + BAND <= rows ? make_int2(first + within % BAND, within / BAND)
                                : tile_of(p, rows, cols);
}

/* ---- host code ------------------------------------------------------------------------------ */

/* Returns the rounds of tiles of that size on `processors` multiprocessors. */
static inline long long rounds_of(int m, int n, int rows, int cols, int processors) {
    return (((m - 1LL) / rows + 1) * ((n - 1LL) / cols + 1) - 1) / processors + 1;
}

/* Matrices for TMA: rows x cols elements, dense; `count` of them, `stride` elements apart. */
struct matrices {
    const void *data;
    int rows, cols, count = 1;
    long long stride = 0;
};

/* Makes a tensor map with swizzled boxes of box_rows x box_cols. `batch` adds a dimension. Gets the
 * driver's function through the runtime, because this library does not link to the driver. */
static inline cudaError_t
box_map(CUtensorMap *map, CUtensorMapDataType type, size_t element, const matrices &of,
        int box_rows, int box_cols, CUtensorMapSwizzle swizzle,
        CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B, bool batch = false) {
    static void *encode;
    if (!encode) {
        cudaDriverEntryPointQueryResult found;
        cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode,
                                                              12000, cudaEnableDefault, &found);
        if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) {
            encode = nullptr;
            cudaGetLastError();
            return cudaErrorNotSupported;
        }
    }
    cuuint64_t size[3] = {(cuuint64_t)of.cols, (cuuint64_t)of.rows, (cuuint64_t)of.count};
    cuuint64_t pitch[2] = {of.cols * element, of.stride * element};
    cuuint32_t box[3] = {(cuuint32_t)box_cols, (cuuint32_t)box_rows, 1}, step[3] = {1, 1, 1};
    if (of.stride == 0) /* any multiple of 16 works */
        pitch[1] = pitch[0];
    CUresult result = ((PFN_cuTensorMapEncodeTiled_v12000)encode)(
        map, type, batch ? 3 : 2, (void *)of.data, size, pitch, box, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

/* The same with boxes whose rows take 128 bytes in shared memory, as wgmma needs them. L2 fetches
 * only 128 bytes at a time: with rows that are no multiples of that, 256 take up to a fifth
 * longer. */
static inline cudaError_t tensor_map(CUtensorMap *map, CUtensorMapDataType type, size_t element,
                                     const matrices &of, int box_rows, int box_cols,
                                     bool batch = false) {
    return box_map(map, type, element, of, box_rows, box_cols, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, batch);
}

static inline CUtensorMapDataType map_type(__nv_bfloat16) {
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}
static inline CUtensorMapDataType map_type(__half) {
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
}
template <class T>
static cudaError_t tile_map(CUtensorMap *map, const T *data, int rows, int cols, int box_rows,
                            int box_cols = 64) {
    return tensor_map(map, map_type(T()), 2, {data, rows, cols}, box_rows, box_cols);
}
/* Rounds floats to TF32 during the fetch. */
static inline cudaError_t tile_map(CUtensorMap *map, const float *data, int rows, int cols,
                                   int box_rows) {
    return tensor_map(map, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, {data, rows, cols}, box_rows, 32);
}

/* Makes the maps of A (m x k) and B (k x n), in boxes of rows_a and rows_b rows. */
template <typename T>
static cudaError_t operand_maps(CUtensorMap *a, CUtensorMap *b, const T *A, const T *B, int m,
                                int n, int k, int rows_a, int rows_b) {
    cudaError_t status = tile_map(a, A, m, k, rows_a);
    return status == cudaSuccess ? tile_map(b, B, k, n, rows_b) : status;
}

/* Also makes C's map, for results that leave through TMA: 16 rows of a warp at a time. */
template <class T>
static cudaError_t product_maps(CUtensorMap *a, CUtensorMap *b, CUtensorMap *c, const T *A,
                                const T *B, const T *C, int m, int n, int k, int rows_a,
                                int rows_b) {
    cudaError_t status = operand_maps(a, b, A, B, m, n, k, rows_a, rows_b);
    return status == cudaSuccess ? tile_map(c, C, m, n, 16) : status;
}

/* Every launcher on wgmma begins with this. Sets *done if nothing is left to do, or it failed.
 * Returns cudaErrorInvalidValue unless rows are multiples of 16 bytes and pointers are aligned. */
template <typename T, typename Kernel>
static cudaError_t begin(Kernel *kernel, int shared_bytes, const T *A, const T *B, T *C, int m,
                         int n, int k, float alpha, float beta, cudaStream_t stream, bool *done) {
    constexpr int PIECE = 16 / sizeof(T);
    *done = true;
    if (m < 0 || n < 0 || k < 0 || n % PIECE != 0 || k % PIECE != 0)
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    cudaError_t status = compiled_for(kernel, 90, 90);
    if (status != cudaSuccess)
        return status;
    if (((uintptr_t)C | (k && alpha != 0 ? (uintptr_t)A | (uintptr_t)B : 0)) % 16 != 0)
        return cudaErrorInvalidValue;
    if (k == 0 || alpha == 0) /* A and B are not read then (the BLAS rule) */
        return scale(C, (size_t)m * n, beta, stream);
    status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    *done = status != cudaSuccess;
    return status;
}

/* Launches `blocks` blocks in clusters of `cluster`. */
template <typename Kernel, typename... Arguments>
static cudaError_t launch(Kernel *kernel, int blocks, int cluster, int threads, int shared_bytes,
                          cudaStream_t stream, Arguments... arguments) {
    cudaLaunchAttribute attribute = cluster_of(cluster);
    const cudaLaunchConfig_t config =
        launch_config(&attribute, blocks, threads, shared_bytes, stream);
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}
