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
#include "squares.cuh"

constexpr int PADDED_THREADS = 512;

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    down_columns(const T *in, T *out, int rows, int cols) {
    unsigned down = (unsigned)(rows - 1) / TILE + 1; /* tiles on top of each other */
    transpose_tile(in, out, rows, cols, (int)(blockIdx.x % down) * TILE,
                   (int)(blockIdx.x / down) * TILE);
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
