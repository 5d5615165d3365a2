/* Transpose of any shape: each block reads aligned chunks and writes whole sectors.
 *
 * What it teaches: in a matrix of 8191 columns no two neighbouring rows start at the same place in
 * a sector of 32 bytes, so a tile's piece of an output row starts and ends inside one, and the rest
 * of it is some other block's. The cache can't take half a sector without fetching the other half
 * from DRAM first. A read that takes a few bytes too many costs little; a write must not. So in
 * each output row the block owns the whole sectors that start in its tile, and it reads up to a
 * sector's worth of rows more than the tile has to fill them.
 *
 * 4-byte accesses on both sides are no answer: ncu shows their issue slots 72 % busy. But a row may
 * be read in aligned 16-byte chunks wherever it starts, a warp a row, if the tile is narrower than
 * the chunks by one, 124 columns of 128. They are kept in shared memory as they lie: column c of
 * row y is `shift` elements further, and each group of four rows starts a chunk further right, so
 * that a column's elements lie in 32 banks (an odd number of columns; for even ones in fewer).
 *
 * Predicted: the two partial sectors of nine in 64 elements gone, a fifth of the writes. Measured
 * on an H200 (GB/s, 6_padded_8 before; cublasSgeam and cudaMemcpy in brackets): 8191 x 8193 2305 ->
 * 3947 (3587, 4245), 12345 x 6789 2329 -> 3975 (3533, 4210), 16381 x 16387 2172 -> 4035 (3522,
 * 4258). The rest to a copy: 17 sectors a request where a copy has 16, and rows of the tile in
 * different places of a DRAM page each.
 *
 * Multiples of 16 bytes and aligned pointers are 9_kept's: its launcher calls this one for the
 * rest, this one calls it for those. The loads carry its hint. Sectors/request: load 17 (512 bytes
 * from anywhere), store 4, or less at the edges. */
#include <stdint.h>

#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int THREADS = 256, WARPS = THREADS / 32, ROWS = 64, CHUNKS = 32, SECTOR = 32;

/* ROWS x COLS of the input, and the rows below that complete sectors of the output. */
template <typename T> struct tile_of {
    static constexpr int V = 16 / sizeof(T), COLS = (CHUNKS - 1) * V;
    static constexpr int HIGH = ROWS + SECTOR / sizeof(T), LOADS = (HIGH - 1) / WARPS + 1;
    static constexpr int STORES = (COLS * ROWS - 1) / THREADS + 1;
    typename vector_of<T>::type chunks[HIGH * CHUNKS + HIGH / V];
};

/* The chunk at `from`, of which only what lies in the matrix [in, end) is read. */
template <typename T>
static __device__ typename vector_of<T>::type load(const T *from, const T *in, const T *end,
                                                   uint64_t policy) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T);
    union {
        uint4 words;
        Vec vec;
        T element[V];
    } v;
    if (from < in || from + V > end) { /* the matrix's first or last */
#pragma unroll
        for (int i = 0; i < V; i++)
            v.element[i] = from + i >= in && from + i < end ? from[i] : (T)0;
        return v.vec;
    }
#if __CUDA_ARCH__ >= 800
    asm("ld.global.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(v.words.x), "=r"(v.words.y), "=r"(v.words.z), "=r"(v.words.w)
        : "l"(from), "l"(policy));
#else
    v.vec = *(const Vec *)from;
#endif
    return v.vec;
}

static __device__ __forceinline__ uint64_t evict_last(void) {
    uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    any_shape(const T *__restrict__ in, T *__restrict__ out, int rows, int cols) {
    typedef tile_of<T> Tile;
    typedef typename vector_of<T>::type Vec;
    constexpr int V = Tile::V;
    __shared__ Tile tile;
    unsigned down = (unsigned)(rows - 1) / ROWS + 1;
    int col0 = (int)(blockIdx.x / down) * Tile::COLS, row0 = (int)(blockIdx.x % down) * ROWS;
    int height = min(rows - row0, Tile::HIGH), width = min(cols - col0, Tile::COLS);
    const T *corner = in + (size_t)row0 * cols + col0, *end = in + (size_t)rows * cols;

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t policy = evict_last();
    Vec chunk[Tile::LOADS];
#pragma unroll
    for (int i = 0; i < Tile::LOADS; i++) {
        const T *row = corner + (size_t)(warp + i * WARPS) * cols;
        const T *from = (const T *)((uintptr_t)row & ~(uintptr_t)15) + lane * V;
        if (warp + i * WARPS < height && from < row + width)
            chunk[i] = load(from, in, end, policy);
    }
#pragma unroll
    for (int i = 0; i < Tile::LOADS; i++) {
        int y = warp + i * WARPS;
        if (Tile::HIGH % WARPS == 0 || y < Tile::HIGH)
            tile.chunks[y * CHUNKS + y / V + lane] = chunk[i];
    }
    __syncthreads();

    const T *elements = (const T *)tile.chunks;
    unsigned shift0 = (unsigned)((uintptr_t)corner / sizeof(T)), by = (unsigned)cols;
    int x = threadIdx.x % ROWS, c0 = threadIdx.x / ROWS;
    T *to = out + (size_t)(col0 + c0) * rows + row0; /* this tile's piece of an output row */
#pragma unroll
    for (int i = 0; i < Tile::STORES; i++) {
        int c = c0 + i * (THREADS / ROWS);
        if (c >= width)
            break;
        int skip = (int)((SECTOR - (uintptr_t)to % SECTOR) % SECTOR / sizeof(T)), y = x + skip;
        if (y < height)
            to[y] = elements[(y * CHUNKS + y / V) * V + (shift0 + y * by) % V + c];
        if (row0 == 0 && x < skip && x < height) /* the row's start has no block before it */
            to[x] = elements[(x * CHUNKS + x / V) * V + (shift0 + x * by) % V + c];
        to += (size_t)(THREADS / ROWS) * rows;
    }
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    size_t tiles = ((size_t)(cols - 1) / tile_of<T>::COLS + 1) * ((size_t)(rows - 1) / ROWS + 1);
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue; /* the grid ends there */
    any_shape<<<(unsigned)tiles, THREADS, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

/* What 9_kept takes. */
static bool aligned(const void *in, const void *out, int rows, int cols, int v) {
    return ((uintptr_t)in | (uintptr_t)out) % 16 == 0 && rows % v == 0 && cols % v == 0 &&
           rows > 0 && cols > 0;
}

extern "C" cudaError_t wbk_transpose_any_shape_f32(const float *in, float *out, int rows, int cols,
                                                   cudaStream_t stream) {
    if (aligned(in, out, rows, cols, 4))
        return wbk_transpose_kept_f32(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_any_shape_f64(const double *in, double *out, int rows,
                                                   int cols, cudaStream_t stream) {
    if (aligned(in, out, rows, cols, 2))
        return wbk_transpose_kept_f64(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}
