/* Transpose of any shape: each block reads aligned chunks and writes whole sectors.
 *
 * The idea: in a matrix of 8191 columns, neighbouring rows start at different offsets in a 32-byte
 * sector. So a tile's piece of an output row starts and ends inside a sector that another block
 * shares. The cache must fetch the other half from DRAM before it takes half a sector. Reading a
 * few extra bytes is cheap, but writing is not. So in each output row a block owns the whole
 * sectors that start in its tile. It reads up to a sector's worth of further rows to fill them.
 *
 * 4-byte accesses on both sides use too many issue slots (72 %). But a warp can read a row in
 * aligned 16-byte chunks wherever it starts, if the tile is three columns narrower than the chunks:
 * 125 of 128. Shared memory keeps them as they are: column c of row y is `shift` elements further,
 * and each group of four rows starts a chunk further right. So a column's elements are in 32 banks
 * (for an odd number of columns; in fewer for even ones). For the output a lane collects a column's
 * elements of four rows and stores 16 bytes, which are aligned because the block owns the sectors.
 *
 * Predicted: without the two partial sectors of nine in 64 elements, a fifth fewer writes. Measured
 * on an H200 (GB/s, 6_padded_8 before; cublasSgeam and cudaMemcpy in brackets): 8191 x 8193 2366 ->
 * 4087 (3554, 4187), 10007 x 5003 2452 -> 4044 (3482, 4169), 16381 x 16387 2182 -> 4045 (3521,
 * 4257).
 *
 * A line that crosses two tiles is fetched once if it is still cached one column of tiles later. If
 * a column needs more than an eighth of the cache, tiles are half as wide and twice as high. Above
 * a quarter, the matrix is also cut into bands of rows, each walked column by column.
 *
 * The gap to a copy comes from the reads: DRAM is fastest for aligned multiples of 256 bytes.
 *
 * 9_kept handles aligned pointers with columns in 16 bytes and rows in 32. The two launchers call
 * each other for the remaining cases. Sectors/request: load 17 (500 bytes from anywhere), store 16,
 * and single elements where an output row begins and ends. */
#include "accesses.cuh"
#include "launch.h"

constexpr int THREADS = 512, WARPS = THREADS / 32;
constexpr int BLOCKS_EACH = 3; /* per SM, which leaves 40 registers per thread */
constexpr int DEEP = 16;       /* lanes side by side in an output row */
constexpr int KEPT_CACHES = 6; /* an output of up to this many L2 caches is marked too */
/* If a column of tiles exceeds the first part of the cache, tiles are halved; beyond the second,
 * also cut. */
constexpr size_t LONG_COLUMN = 8, BAND = 4;

/* HEIGHT x (at most) COLS of the input, and the rows below that complete output sectors. A row is
 * read by as many lanes as it has chunks. */
template <typename T, int CHUNKS, int HEIGHT> struct tile_of {
    typedef T Element;
    typedef typename vector_of<T>::type Vec;
    static constexpr int V = 16 / sizeof(T), ACROSS = CHUNKS, COLS = CHUNKS * V - (V - 1);
    static constexpr int ROWS = HEIGHT, HIGH = ROWS + SECTOR / sizeof(T) - 1;
    static constexpr int TOGETHER = THREADS / CHUNKS, LOADS = (HIGH - 1) / TOGETHER + 1;
    static constexpr int DEPTHS = ROWS / V / DEEP, STEP = WARPS / DEPTHS * (32 / DEEP);
    Vec chunks[HIGH * CHUNKS + HIGH / V];

    /* Returns row y's first chunk. */
    static __device__ __forceinline__ int row_at(int y) {
        return y * CHUNKS + y / V;
    }
};
template <typename T> using wide_tile = tile_of<T, 32, 64>;
template <typename T> using narrow_tile = tile_of<T, 16, 128>;

/* Loads the chunk at `from`. Only its part inside the matrix [in, end) is read. */
template <typename T>
static __device__ __forceinline__ typename vector_of<T>::type load(const T *from, const T *in,
                                                                   const T *end, uint64_t policy) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T);
    union {
        uint4 words;
        Vec vec;
        T element[V];
    } v;
    if (from < in || from + V > end) { /* the matrix's first or last chunk */
#pragma unroll
        for (int i = 0; i < V; i++)
            v.element[i] = from + i >= in && from + i < end ? from[i] : (T)0;
        return v.vec;
    }
#if __CUDA_ARCH__ >= 800
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(v.words.x), "=r"(v.words.y), "=r"(v.words.z), "=r"(v.words.w)
        : "l"(from), "l"(policy));
#else
    v.vec = *(const Vec *)from;
#endif
    return v.vec;
}

template <typename Vec>
static __device__ __forceinline__ void store(Vec *to, Vec value, uint64_t policy) {
#if __CUDA_ARCH__ >= 800
    union {
        Vec vec;
        uint4 words;
    } v = {value};
    asm volatile("st.global.L2::cache_hint.v4.b32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to),
                 "r"(v.words.x), "r"(v.words.y), "r"(v.words.z), "r"(v.words.w), "l"(policy)
                 : "memory");
#else
    *to = value;
#endif
}

static __device__ __forceinline__ uint64_t evict_normal(void) {
    uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

/* A block takes `wide` columns. Bands are `across` tiles wide and `down` high, and are walked
 * column by column. keep: the output is to stay in L2 too. */
template <typename Tile, typename T = typename Tile::Element>
static __global__ void __launch_bounds__(THREADS, BLOCKS_EACH)
    any_shape(const T *__restrict__ in, T *__restrict__ out, int rows, int cols, int wide,
              unsigned across, unsigned down, bool keep) {
    typedef typename Tile::Vec Vec;
    constexpr int V = Tile::V, ROWS = Tile::ROWS;
    __shared__ Tile tile;
    unsigned band = blockIdx.x / (down * across), in_band = blockIdx.x % (down * across);
    unsigned high = min(down, (unsigned)(rows - 1) / ROWS + 1 - band * down); /* or fewer */
    int col0 = (int)(in_band / high) * wide, row0 = (int)(band * down + in_band % high) * ROWS;
    int height = min(rows - row0, Tile::HIGH), width = min(cols - col0, wide);
    const T *corner = in + (size_t)row0 * cols + col0, *end = in + (size_t)rows * cols;

    int place = threadIdx.x % Tile::ACROSS, y0 = threadIdx.x / Tile::ACROSS;
    uint64_t policy = evict_last();
    Vec chunk[Tile::LOADS];
    const T *row = corner + (size_t)y0 * cols;
#pragma unroll
    for (int i = 0; i < Tile::LOADS; i++) {
        const T *from = (const T *)((uintptr_t)row & ~(uintptr_t)15) + place * V;
        if (y0 + i * Tile::TOGETHER < height && from < row + width)
            chunk[i] = load(from, in, end, policy);
        row += (size_t)Tile::TOGETHER * cols;
    }
#pragma unroll
    for (int i = 0; i < Tile::LOADS; i++) {
        int y = y0 + i * Tile::TOGETHER;
        if (Tile::HIGH % Tile::TOGETHER == 0 || y < Tile::HIGH)
            tile.chunks[Tile::row_at(y) + place] = chunk[i];
    }
    __syncthreads();

    const T *elements = (const T *)tile.chunks;
    unsigned shift0 = (unsigned)((uintptr_t)corner / sizeof(T)), by = (unsigned)cols;
    auto element = [&](int y, int c) {
        return elements[Tile::row_at(y) * V + (shift0 + y * by) % V + c];
    };
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = (warp % Tile::DEPTHS * DEEP + lane % DEEP) * V; /* V elements of an output row */
    int c = warp / Tile::DEPTHS * (32 / DEEP) + lane / DEEP;
    T *to = out + (size_t)(col0 + c) * rows + row0; /* this tile's piece of the output row */
    uint64_t written = keep ? evict_last() : evict_normal();
    for (; c < width; c += Tile::STEP) {
        int skip = (int)((SECTOR - (uintptr_t)to % SECTOR) % SECTOR / sizeof(T)), y = x + skip;
        if (y + V <= height) {
            union {
                Vec vec;
                T element[V];
            } column;
#pragma unroll
            for (int j = 0; j < V; j++)
                column.element[j] = element(y + j, c);
            store((Vec *)(to + y), column.vec, written);
        } else {
#pragma unroll
            for (int j = 0; j < V; j++)
                if (y + j < height)
                    to[y + j] = element(y + j, c);
        }
        if (row0 == 0) { /* no block precedes the row's start */
#pragma unroll
            for (int j = 0; j < V; j++)
                if (x + j < skip && x + j < height)
                    to[x + j] = element(x + j, c);
        }
        to += (size_t)Tile::STEP * rows;
    }
}

template <typename Tile, typename T = typename Tile::Element>
static cudaError_t launch_tiles(const T *in, T *out, int rows, int cols, size_t bands, bool keep,
                                cudaStream_t stream) {
    size_t across = (size_t)(cols - 1) / Tile::COLS + 1, all = (size_t)(rows - 1) / Tile::ROWS + 1;
    size_t down = (all - 1) / bands + 1, wide = (size_t)(cols - 1) / across + 1; /* evenly */
    if (across * all > 0x7fffffff)
        return cudaErrorInvalidValue; /* the grid's limit */
    any_shape<Tile><<<(unsigned)(across * all), THREADS, 0, stream>>>(
        in, out, rows, cols, (int)wide, (unsigned)across, (unsigned)down, keep);
    return cudaGetLastError();
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    const int cache = l2_bytes();
    bool keep = (size_t)rows * cols * sizeof(T) / KEPT_CACHES <= (size_t)cache;
    size_t column = (size_t)rows * wide_tile<T>::COLS * sizeof(T); /* of wide tiles */
    if (column <= (size_t)cache / LONG_COLUMN)
        return launch_tiles<wide_tile<T>>(in, out, rows, cols, 1, keep, stream);
    size_t bands = (column - 1) / ((size_t)cache / BAND + 1) + 1;
    return launch_tiles<narrow_tile<T>>(in, out, rows, cols, bands, keep, stream);
}

extern "C" cudaError_t wbk_transpose_any_shape_f32(const float *in, float *out, int rows, int cols,
                                                   cudaStream_t stream) {
    if (kept_takes(in, out, rows, cols))
        return wbk_transpose_kept_f32(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_any_shape_f64(const double *in, double *out, int rows,
                                                   int cols, cudaStream_t stream) {
    if (kept_takes(in, out, rows, cols))
        return wbk_transpose_kept_f64(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}
