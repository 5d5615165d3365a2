/* Transpose that asks the L2 cache to keep what is read and let go of what is written.
 *
 * What it teaches: a cache can be told what to evict last. An input line is read in two pieces by
 * two blocks at most and then never again, so "evict first" seems to be the hint for it; measured,
 * that is slower than no hint. The other way round is faster: with the lines that were read marked
 * "evict last", those that were written are what the cache turns out, soon and in the order they
 * came, and DRAM, which pays for each change between reading and writing and for each row it opens,
 * gets its writes in longer runs. The bytes moved are the same to 0.1 %.
 *
 * Predicted (from the hints' names): nothing or worse. Measured on an H200 (GB/s, 8_down_columns
 * before; cudaMemcpy in brackets): 16384 4177 -> 4234 (4259), 32768 4089 -> 4143 (4281),
 * 20000 x 10000 3953 -> 4029 (4254). A matrix that nearly fits into the cache gains nothing:
 * 8192 4261 -> 4230, 4096 4293 -> 4108. From compute capability 8.0 on; elsewhere plain loads.
 *
 * Tile and order are those of 8_down_columns. Needs rows and cols to be multiples of V and 16-byte
 * aligned pointers; for others the launcher falls back on 10_any_shape.
 * Sectors/request: load 16, store 16 (512 bytes a warp, in rows of 256: every byte is wanted). */
#include <stdint.h>

#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int TILE = 64, THREADS = 256;

/* What the load below asks of the L2 cache (PTX ISA, createpolicy and ld with .L2::cache_hint). */
static __device__ __forceinline__ uint64_t evict_last(void) {
    uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

/* 16 bytes of memory that nothing writes meanwhile. */
template <typename Vec>
static __device__ __forceinline__ Vec load_kept(const Vec *from, uint64_t policy) {
#if __CUDA_ARCH__ >= 800
    union {
        uint4 words;
        Vec vec;
    } v;
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(v.words.x), "=r"(v.words.y), "=r"(v.words.z), "=r"(v.words.w)
        : "l"(from), "l"(policy));
    return v.vec;
#else
    return *from;
#endif
}

template <typename T>
static __global__ void __launch_bounds__(THREADS) kept(const T *in, T *out, int rows, int cols) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T), CHUNKS = TILE / V, SQUARES = CHUNKS * CHUNKS / THREADS;
    __shared__ Vec tile[TILE][CHUNKS]; /* transposed: a row of the tile is a column of the input */
    unsigned down = (unsigned)(rows - 1) / TILE + 1; /* tiles on top of each other */
    int col0 = (int)(blockIdx.x / down) * TILE, row0 = (int)(blockIdx.x % down) * TILE;
    int x = threadIdx.x % CHUNKS, y0 = threadIdx.x / CHUNKS;

    uint64_t policy = evict_last();

    union {
        Vec vec[V];
        T element[V][V];
    } square[SQUARES];
#pragma unroll
    for (int s = 0; s < SQUARES; s++) {
        int y = y0 + s * (THREADS / CHUNKS), col = col0 + x * V;
#pragma unroll
        for (int i = 0; i < V; i++) {
            int row = row0 + y * V + i;
            if (row < rows && col < cols) /* a multiple of V: a chunk is inside or outside */
                square[s].vec[i] = load_kept((const Vec *)(in + (size_t)row * cols + col), policy);
        }
    }
#pragma unroll
    for (int s = 0; s < SQUARES; s++) {
        int y = y0 + s * (THREADS / CHUNKS);
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
    for (int i = 0; i < TILE * CHUNKS / THREADS; i++) {
        int c = y0 + i * (THREADS / CHUNKS); /* a column of the input, a row of the output */
        int out_row = col0 + c, out_col = row0 + x * V;
        if (out_row < cols && out_col < rows)
            *(Vec *)(out + (size_t)out_row * rows + out_col) = tile[c][x ^ (c / V)];
    }
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    size_t tiles = ((size_t)(cols - 1) / TILE + 1) * ((size_t)(rows - 1) / TILE + 1);
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue; /* the grid ends there: matrices of 32 TB */
    kept<<<(unsigned)tiles, THREADS, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

static bool takes(const void *in, const void *out, int rows, int cols, int v) {
    return ((uintptr_t)in | (uintptr_t)out) % 16 == 0 && rows % v == 0 && cols % v == 0 &&
           rows > 0 && cols > 0;
}

extern "C" cudaError_t wbk_transpose_kept_f32(const float *in, float *out, int rows, int cols,
                                              cudaStream_t stream) {
    if (!takes(in, out, rows, cols, 4))
        return wbk_transpose_any_shape_f32(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_kept_f64(const double *in, double *out, int rows, int cols,
                                              cudaStream_t stream) {
    if (!takes(in, out, rows, cols, 2))
        return wbk_transpose_any_shape_f64(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}
