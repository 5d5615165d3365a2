/* Transpose that asks the L2 cache to keep what is read and let go of what is written.
 *
 * What it teaches: a cache can be told what to evict last. An input line is read in two pieces by
 * two blocks at most and then never again, so "evict first" seems to be the hint for it; measured,
 * that is slower than no hint. The other way round is faster: with the lines that were read marked
 * "evict last", those that were written are what the cache turns out, in the order they came, and
 * DRAM, which pays for each change between reading and writing and for each row it opens, gets its
 * writes in longer runs. The bytes moved are the same to 0.1 %.
 *
 * A second hint: whoever misses brings in the whole line of 128 bytes. Where rows start inside a
 * line, the rest of it is another tile's, and two short reads cost DRAM more than one long; in
 * large matrices even the two lines that DRAM keeps side by side. Such matrices get tiles twice as
 * high, too: 512 bytes of an output row by one block.
 *
 * The price is paid later: marked lines stay when the kernel has ended, and reading twice the
 * cache's size of other data does not drive them out. What runs next is some percent faster or
 * slower for it, until cudaCtxResetPersistingL2Cache(): `warpbook compare` calls it before each
 * run.
 *
 * Predicted (from the hints' names): nothing or worse. Measured on an H200 (GB/s, 8_down_columns
 * before; cudaMemcpy in brackets): 4096 4065 -> 4132 (4080), 8192 4186 -> 4244 (4254),
 * 16384 x 4096 4159 -> 4228 (4255), 16384 4173 -> 4238 (4242), 32768 4095 -> 4146 (4264),
 * 20000 x 10000 3947 -> 4101 (4226); of the last, 60 are the second hint's (of 128 bytes) and 30
 * the high tile's; 256 bytes bring it to 4160, if an SM reads two tiles at a time and not three
 * (4119), 16400 x 16400 4100 -> 4170, and 4104 from 35.1 us to 36.9, which is why small ones go
 * without. DRAM reads 1.08 GB for 1.07 either way (ncu): it is
 * the order of the pieces that costs. Below the cache's size there is nothing to gain: 3000 3720 ->
 * 3530 (3240). From compute capability 8.0 on; elsewhere plain loads.
 *
 * The order is that of 8_down_columns. Needs 16-byte aligned pointers, cols to be a multiple of V
 * and rows to fill whole sectors: an output row that starts in the middle of one costs more than
 * all of this gains (8196: 132.8 us, and 130.9 with 11_any_shape). For others the launcher takes
 * that one. Sectors/request: load 16 (rows of 256 bytes), store 16 (256 or 512 bytes: every byte is
 * wanted).
 */
#include <stdint.h>

#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int WIDTH = 256; /* of a tile, bytes of a row of the input; of the output RUN below */
constexpr int SECTOR = 32;
constexpr size_t LONG_MISSES = 4; /* from so many L2 caches on */
constexpr int IN_FLIGHT = 65536;  /* with long misses, bytes an SM reads at a time */

/* What the load below asks of the L2 cache (PTX ISA, createpolicy and ld with .L2::cache_hint). */
static __device__ __forceinline__ uint64_t evict_last(void) {
    uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

/* 16 bytes of memory that nothing writes meanwhile; a miss brings in FETCH bytes around them. */
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

    union {
        Vec vec[V];
        T element[V][V];
    } square[SQUARES];
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
    for (int s = 0; s < SQUARES; s++) {
        int y = y0 + s * (THREADS / WIDE);
#pragma unroll
        for (int i = 0; i < V; i++) {
            union {
                Vec vec;
                T element[V];
            } column;
#pragma unroll
            for (int j = 0; j < V; j++)
                column.element[j] = square[s].element[j][i];
            tile[x * V + i][y ^ x] = column.vec;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COLS * HIGH / THREADS; i++) {
        int c = threadIdx.x / HIGH + i * (THREADS / HIGH); /* a column, a row of the output */
        int y = threadIdx.x % HIGH, out_row = col0 + c, out_col = row0 + y * V;
        if (out_row < cols && out_col < rows)
            *(Vec *)(out + (size_t)out_row * rows + out_col) = tile[c][y ^ (c / V)];
    }
}

/* What a block takes beside its tile, so that the tiles of an SM are IN_FLIGHT bytes. */
static cudaError_t few_blocks(const void *kernel, int tile, size_t *beside) {
    int device = 0, shared = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    int one_too_many = shared / (IN_FLIGHT / tile + 1);
    *beside = one_too_many > tile ? (size_t)(one_too_many - tile) : 0;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)*beside);
}

template <int RUN, int FETCH, typename T>
static cudaError_t launch_tiles(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    constexpr int COLS = WIDTH / sizeof(T), ROWS = RUN / sizeof(T);
    size_t tiles = ((size_t)(cols - 1) / COLS + 1) * ((size_t)(rows - 1) / ROWS + 1), beside = 0;
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue; /* the grid ends there: matrices of 32 TB */
    if (FETCH == 256) {
        cudaError_t status =
            few_blocks((const void *)kept<RUN, FETCH, T>, COLS * ROWS * sizeof(T), &beside);
        if (status != cudaSuccess)
            return status;
    }
    kept<RUN, FETCH><<<(unsigned)tiles, RUN, beside, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

/* Rows that start inside a line get the high tiles, and in large matrices the long misses. */
template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if ((size_t)cols * sizeof(T) % WIDTH == 0)
        return launch_tiles<256, 128>(in, out, rows, cols, stream);
    int device = 0, cache = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device);
    if ((size_t)rows * (size_t)cols * sizeof(T) / LONG_MISSES > (size_t)cache)
        return launch_tiles<512, 256>(in, out, rows, cols, stream);
    return launch_tiles<512, 128>(in, out, rows, cols, stream);
}

template <typename T> static bool takes(const T *in, const T *out, int rows, int cols) {
    return ((uintptr_t)in | (uintptr_t)out) % 16 == 0 && rows > 0 && cols > 0 &&
           rows * sizeof(T) % SECTOR == 0 && cols * sizeof(T) % 16 == 0;
}

extern "C" cudaError_t wbk_transpose_kept_f32(const float *in, float *out, int rows, int cols,
                                              cudaStream_t stream) {
    if (!takes(in, out, rows, cols))
        return wbk_transpose_any_shape_f32(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_kept_f64(const double *in, double *out, int rows, int cols,
                                              cudaStream_t stream) {
    if (!takes(in, out, rows, cols))
        return wbk_transpose_any_shape_f64(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}
