/* Transpose that keeps the input in L2 and evicts the output.
 *
 * The idea: a cache accepts eviction hints. At most two blocks read an input line, and then never
 * again, so "evict first" seems right for it. Measured, that is slower than no hint. The reverse is
 * faster: with read lines marked "evict last", the cache evicts written lines in their order. So
 * DRAM, which pays for each change between reads and writes and for each row that it opens, gets
 * its writes in longer runs. The bytes moved stay the same.
 *
 * A second hint: a miss fetches the whole line of 128 bytes. If rows start inside a line, its rest
 * belongs to another tile, and two short reads cost DRAM more than a long one. Large matrices even
 * fetch DRAM's two adjacent lines. Such matrices also get tiles twice as high: 512 bytes of an
 * output row per block.
 *
 * Marked lines stay in L2 after the kernel, even if other kernels read twice the cache's size.
 * Later kernels run some percent faster or slower until cudaCtxResetPersistingL2Cache(). `warpbook
 * compare` calls it before each run.
 *
 * Predicted (from the hints' names): nothing or worse. Measured on an H200 (GB/s, 8_down_columns
 * before; cudaMemcpy in brackets): 4096 4065 -> 4132 (4080), 8192 4186 -> 4244 (4254), 16384 4173
 * -> 4238 (4242), 32768 4095 -> 4146 (4264), 20000 x 10000 3947 -> 4101 (4226). Nothing below the
 * cache's size: 3000 3720 -> 3530 (3240). The hints need compute capability 8.0. Other devices use
 * plain loads.
 *
 * The order is that of 8_down_columns. Needs 16-byte aligned pointers, cols to be a multiple of V,
 * and rows that fill whole sectors. Otherwise the launcher uses 11_any_shape. Sectors/request: load
 * 16 (rows of 256 bytes), store 16 (256 or 512 bytes, all used).
 */
#include "launch.h"
#include "squares.cuh"

constexpr int WIDTH = 256;        /* bytes of a tile's input row; RUN below: of its output row */
constexpr size_t LONG_MISSES = 4; /* for matrices of at least this many L2 caches */
constexpr int IN_FLIGHT = 65536;  /* with long misses: bytes that an SM reads at a time */

/* Loads 16 bytes that nothing writes meanwhile. A miss fetches FETCH bytes around them. */
template <int FETCH, typename Vec>
static __device__ __forceinline__ Vec load_kept(const Vec *from, uint64_t policy) {
#if __CUDA_ARCH__ >= 800
    union {
        uint4 words;
        Vec vec;
    } v;
    if (FETCH == 256)
        asm("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.b32 {%0, %1, %2, %3}, [%4], "
            "%5;"
            : "=r"(v.words.x), "=r"(v.words.y), "=r"(v.words.z), "=r"(v.words.w)
            : "l"(from), "l"(policy));
    else
        asm("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v4.b32 {%0, %1, %2, %3}, [%4], "
            "%5;"
            : "=r"(v.words.x), "=r"(v.words.y), "=r"(v.words.z), "=r"(v.words.w)
            : "l"(from), "l"(policy));
    return v.vec;
#else
    return *from;
#endif
}

/* Tiles of RUN bytes of an output row. */
template <int RUN, int FETCH, typename T>
static __global__ void __launch_bounds__(RUN) kept(const T *in, T *out, int rows, int cols) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T), WIDE = WIDTH / 16, HIGH = RUN / 16;
    constexpr int COLS = WIDE * V, ROWS = HIGH * V;
    constexpr int THREADS = RUN, SQUARES = WIDE * HIGH / THREADS;
    __shared__ Vec tile[COLS][HIGH]; /* transposed: a row of the tile is a column of the input */
    unsigned down = (unsigned)(rows - 1) / ROWS + 1; /* tiles on top of each other */
    int col0 = (int)(blockIdx.x / down) * COLS, row0 = (int)(blockIdx.x % down) * ROWS;
    int x = threadIdx.x % WIDE, y0 = threadIdx.x / WIDE;

    uint64_t policy = evict_last();

    square_of<T> square[SQUARES];
#pragma unroll
    for (int s = 0; s < SQUARES; s++) {
        int y = y0 + s * (THREADS / WIDE), col = col0 + x * V;
#pragma unroll
        for (int i = 0; i < V; i++) {
            int row = row0 + y * V + i;
            if (row < rows && col < cols) /* a multiple of V: a chunk is inside or outside */
                square[s].vec[i] =
                    load_kept<FETCH>((const Vec *)(in + (size_t)row * cols + col), policy);
        }
    }
#pragma unroll
    for (int s = 0; s < SQUARES; s++)
        square[s].leave(tile, x, y0 + s * (THREADS / WIDE));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COLS * HIGH / THREADS; i++) {
        int c = threadIdx.x / HIGH + i * (THREADS / HIGH); /* a row of the output */
        int y = threadIdx.x % HIGH, out_row = col0 + c, out_col = row0 + y * V;
        if (out_row < cols && out_col < rows)
            *(Vec *)(out + (size_t)out_row * rows + out_col) = tile[c][y ^ (c / V)];
    }
}

/* Finds the shared memory that a block reserves besides its tile, so that an SM's tiles have
 * IN_FLIGHT bytes. */
static cudaError_t few_blocks(const void *kernel, int tile, size_t *beside) {
    const int shared = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
    int one_too_many = shared / (IN_FLIGHT / tile + 1);
    *beside = one_too_many > tile ? (size_t)(one_too_many - tile) : 0;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)*beside);
}

template <int RUN, int FETCH, typename T>
static cudaError_t launch_tiles(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    constexpr int COLS = WIDTH / sizeof(T), ROWS = RUN / sizeof(T);
    size_t tiles = ((size_t)(cols - 1) / COLS + 1) * ((size_t)(rows - 1) / ROWS + 1), beside = 0;
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue; /* the grid's limit: matrices of 32 TB */
    if (FETCH == 256) {
        cudaError_t status =
            few_blocks((const void *)kept<RUN, FETCH, T>, COLS * ROWS * sizeof(T), &beside);
        if (status != cudaSuccess)
            return status;
    }
    kept<RUN, FETCH><<<(unsigned)tiles, RUN, beside, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

/* Rows that start inside a line get high tiles and, in large matrices, long misses. */
template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if ((size_t)cols * sizeof(T) % WIDTH == 0)
        return launch_tiles<256, 128>(in, out, rows, cols, stream);
    const int cache = l2_bytes();
    if ((size_t)rows * (size_t)cols * sizeof(T) / LONG_MISSES > (size_t)cache)
        return launch_tiles<512, 256>(in, out, rows, cols, stream);
    return launch_tiles<512, 128>(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_kept_f32(const float *in, float *out, int rows, int cols,
                                              cudaStream_t stream) {
    if (!kept_takes(in, out, rows, cols))
        return wbk_transpose_any_shape_f32(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_kept_f64(const double *in, double *out, int rows, int cols,
                                              cudaStream_t stream) {
    if (!kept_takes(in, out, rows, cols))
        return wbk_transpose_any_shape_f64(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}
