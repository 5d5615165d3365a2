/* squares.cuh: tiles of 64 x 64 that are transposed by squares of 16-byte accesses (see 7_vector).
 */
#pragma once

#include "accesses.cuh"

/* V x V elements: V rows of 16 bytes. */
template <typename T> union square_of {
    enum { V = 16 / sizeof(T) };
    typedef typename vector_of<T>::type Vec;
    Vec vec[V];
    T element[V][V];

    /* Stores the columns in rows x * V + i of a tile, each at y, swizzled. */
    template <int HIGH>
    __device__ __forceinline__ void leave(Vec (*tile)[HIGH], int x, int y) const {
#pragma unroll
        for (int i = 0; i < V; i++) {
            union {
                Vec vec;
                T element[V];
            } column;
#pragma unroll
            for (int j = 0; j < V; j++)
                column.element[j] = element[j][i];
            tile[x * V + i][y ^ x] = column.vec;
        }
    }
};

constexpr int TILE = 64, THREADS = 256;

/* Transposes the tile that begins at (row0, col0). Called by THREADS threads. */
template <typename T>
static __device__ __forceinline__ void transpose_tile(const T *in, T *out, int rows, int cols,
                                                      int row0, int col0) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T), CHUNKS = TILE / V, SQUARES = CHUNKS * CHUNKS / THREADS;
    __shared__ Vec tile[TILE][CHUNKS]; /* transposed: a row of the tile is a column of the input */
    int x = threadIdx.x % CHUNKS, y0 = threadIdx.x / CHUNKS;
    square_of<T> square[SQUARES];
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
    for (int s = 0; s < SQUARES; s++)
        square[s].leave(tile, x, y0 + s * (THREADS / CHUNKS));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE * CHUNKS / THREADS; i++) {
        int c = y0 + i * (THREADS / CHUNKS); /* a column of the input, a row of the output */
        int out_row = col0 + c, out_col = row0 + x * V;
        if (out_row < cols && out_col < rows)
            *(Vec *)(out + (size_t)out_row * rows + out_col) = tile[c][x ^ (c / V)];
    }
}
