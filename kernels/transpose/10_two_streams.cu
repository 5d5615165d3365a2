/* Transpose that walks down two columns of tiles at a time, 8 KB apart.
 *
 * The idea: DRAM's efficiency depends on which addresses are in flight together, and rows a power
 * of two apart are the worst case. If an input row takes 128 KB, the tiles of a column have
 * addresses that differ only from bit 17 up, in any order. They use too few of DRAM's banks at a
 * time. A second column of tiles, 8 KB further right, changes a lower bit. Linear reads of 4 GB at
 * 32768 x 32768 reach 4,620 GB/s, those of 8_down_columns 4,370, and two columns 8, 16 or 64 KB
 * apart 4,500 to 4,550.
 *
 * A thread reads its second square of elements after the first has arrived, which puts less in
 * flight and gains 0.1 to 0.2 %.
 *
 * Predicted (from reads and writes timed separately): 2 of the 3 % that 9_kept is behind a copy.
 * Measured on an H200 (GB/s, 9_kept before; cudaMemcpy in brackets): 32768 x 32768 4146 -> 4211
 * (4264), 8192 x 32768 4010 -> 4234 (4240); in double 16384 x 16384 4174 -> 4230 (4258). Other long
 * rows gain nothing.
 *
 * This is 9_kept's kernel in another order, with the same requirements. Input rows must be a power
 * of two of at least 128 KB. Otherwise the launcher uses 9_kept. Sectors/request: load 16 (rows of
 * 256 bytes), store 16 (512 bytes, all used). */
#include "squares.cuh"

constexpr int WIDTH = 256, RUN = 512;                 /* bytes of a row in, out */
constexpr unsigned STREAMS = 2, APART = 8192 / WIDTH; /* tiles between streams */
constexpr unsigned TURN = 4;                          /* consecutive tiles of one stream */
constexpr size_t LONG_ROW = 128 << 10;                /* bytes; shorter rows gain nothing */

/* Loads 16 bytes that nothing writes meanwhile, after all earlier accesses of the program. */
template <typename Vec>
static __device__ __forceinline__ Vec load_kept(const Vec *from, uint64_t policy) {
#if __CUDA_ARCH__ >= 800
    union {
        uint4 words;
        Vec vec;
    } v;
    asm volatile(
        "ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(v.words.x), "=r"(v.words.y), "=r"(v.words.z), "=r"(v.words.w)
        : "l"(from), "l"(policy)
        : "memory");
    return v.vec;
#else
    return *from;
#endif
}

/* Returns the tile of a block; x is across, y is down; a column has `down` tiles. A group is the
 * columns between two streams, times the streams. All groups are whole. */
static __device__ __forceinline__ uint2 tile_of(unsigned block, unsigned down) {
    unsigned pair = block / (STREAMS * down), in = block % (STREAMS * down);
    unsigned turn = in / (STREAMS * TURN), rest = in % (STREAMS * TURN);
    unsigned tiles = min(down - turn * TURN, TURN); /* the last turn may be shorter */
    unsigned first = pair / APART * (STREAMS * APART) + pair % APART;
    return make_uint2(first + rest / tiles * APART, turn * TURN + rest % tiles);
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    two_streams(const T *in, T *out, int rows, int cols) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T), COLS = WIDTH / sizeof(T), ROWS = RUN / sizeof(T);
    constexpr int WIDE = COLS / V, HIGH = ROWS / V, SQUARES = WIDE * HIGH / THREADS;
    __shared__ Vec tile[COLS][HIGH]; /* transposed: a row of the tile is a column of the input */
    uint2 place = tile_of(blockIdx.x, (unsigned)(rows - 1) / ROWS + 1);
    int col0 = (int)place.x * COLS, row0 = (int)place.y * ROWS; /* columns are all in the matrix */
    int x = threadIdx.x % WIDE, y0 = threadIdx.x / WIDE;

    uint64_t policy = evict_last();
#pragma unroll
    for (int s = 0; s < SQUARES; s++) { /* each is read after the previous one has arrived */
        int y = y0 + s * (THREADS / WIDE);
        square_of<T> square;
#pragma unroll
        for (int i = 0; i < V; i++) {
            int row = row0 + y * V + i;
            const T *from = in + (size_t)row * cols + col0 + x * V;
            if (row < rows)
                square.vec[i] = load_kept((const Vec *)from, policy);
        }
        square.leave(tile, x, y);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COLS * HIGH / THREADS; i++) {
        int c = threadIdx.x / HIGH + i * (THREADS / HIGH); /* a column, a row of the output */
        int y = threadIdx.x % HIGH, out_col = row0 + y * V;
        if (out_col < rows) /* a multiple of V: a chunk is inside or outside */
            *(Vec *)(out + (size_t)(col0 + c) * rows + out_col) = tile[c][y ^ (c / V)];
    }
}

template <typename T> static bool takes(const T *in, const T *out, int rows, int cols) {
    constexpr int V = 16 / sizeof(T);
    size_t row = (size_t)cols * sizeof(T);
    return ((uintptr_t)in | (uintptr_t)out) % 16 == 0 && rows > 0 && cols > 0 && rows % V == 0 &&
           (row & (row - 1)) == 0 && row >= LONG_ROW;
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    constexpr int COLS = WIDTH / sizeof(T), ROWS = RUN / sizeof(T);
    size_t tiles = (size_t)(cols / COLS) * ((size_t)(rows - 1) / ROWS + 1);
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue; /* the grid's limit: matrices of 32 TB */
    two_streams<<<(unsigned)tiles, THREADS, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_transpose_two_streams_f32(const float *in, float *out, int rows,
                                                     int cols, cudaStream_t stream) {
    if (!takes(in, out, rows, cols))
        return wbk_transpose_kept_f32(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_two_streams_f64(const double *in, double *out, int rows,
                                                     int cols, cudaStream_t stream) {
    if (!takes(in, out, rows, cols))
        return wbk_transpose_kept_f64(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}
