/* Transpose whose blocks walk down the columns, so that neighbours write side by side.
 *
 * The idea: blocks start in the order of their numbers, so the order of tiles decides which
 * addresses are in flight together. Row by row, as in 7_vector, neighbouring blocks read one
 * contiguous range and write pieces a whole output row apart. Column by column it is the reverse:
 * they read pieces, and together they write 64 complete output rows. Reads work in any order.
 * Writes collect in L2, and leave it in long runs only if long runs were written at about the same
 * time.
 *
 * Predicted: some percent, because DRAM is the limit and moves no more bytes than a copy. Measured
 * on an H200 (GB/s, 7_vector before; cudaMemcpy in brackets): 8192 4151 -> 4261 (4331), 16384 4034
 * -> 4177 (4259), 32768 3943 -> 4089 (4281).
 *
 * The tile is that of 7_vector if rows and cols are multiples of V and pointers 16-byte aligned.
 * Otherwise it is a padded one of the same size, with 512 threads of eight elements.
 * Sectors/request: load 16, store 16 (512 bytes a warp, in rows of 256, all used). */
#include <stdint.h>

#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int TILE = 64, THREADS = 256, PADDED_THREADS = 512;

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    down_columns(const T *in, T *out, int rows, int cols) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T), CHUNKS = TILE / V, SQUARES = CHUNKS * CHUNKS / THREADS;
    __shared__ Vec tile[TILE][CHUNKS]; /* transposed: a row of the tile is a column of the input */
    unsigned down = (unsigned)(rows - 1) / TILE + 1; /* tiles on top of each other */
    int col0 = (int)(blockIdx.x / down) * TILE, row0 = (int)(blockIdx.x % down) * TILE;
    int x = threadIdx.x % CHUNKS, y0 = threadIdx.x / CHUNKS;

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
                square[s].vec[i] = *(const Vec *)(in + (size_t)row * cols + col);
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

/* The same order with one element per access: any shape, any alignment. */
template <typename T>
static __global__ void __launch_bounds__(PADDED_THREADS)
    padded_down_columns(const T *__restrict__ in, T *__restrict__ out, int rows, int cols) {
    constexpr int STEP = PADDED_THREADS / TILE, N = TILE / STEP;
    __shared__ T tile[TILE][TILE + 1];
    unsigned down = (unsigned)(rows - 1) / TILE + 1;
    int col0 = (int)(blockIdx.x / down) * TILE, row0 = (int)(blockIdx.x % down) * TILE;
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    T element[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        if (row0 + y + i * STEP < rows && col0 + x < cols)
            element[i] = in[(size_t)(row0 + y + i * STEP) * cols + col0 + x];
#pragma unroll
    for (int i = 0; i < N; i++)
        tile[y + i * STEP][x] = element[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        if (col0 + y + i * STEP < cols && row0 + x < rows)
            out[(size_t)(col0 + y + i * STEP) * rows + row0 + x] = tile[x][y + i * STEP];
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    constexpr int V = 16 / sizeof(T);
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    size_t tiles = ((size_t)(cols - 1) / TILE + 1) * ((size_t)(rows - 1) / TILE + 1);
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue; /* the grid's limit: matrices of 32 TB */
    if (((uintptr_t)in | (uintptr_t)out) % 16 == 0 && rows % V == 0 && cols % V == 0)
        down_columns<<<(unsigned)tiles, THREADS, 0, stream>>>(in, out, rows, cols);
    else
        padded_down_columns<<<(unsigned)tiles, PADDED_THREADS, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_transpose_down_columns_f32(const float *in, float *out, int rows,
                                                      int cols, cudaStream_t stream) {
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_down_columns_f64(const double *in, double *out, int rows,
                                                      int cols, cudaStream_t stream) {
    return launch(in, out, rows, cols, stream);
}
