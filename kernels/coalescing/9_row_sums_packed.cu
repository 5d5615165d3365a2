/* Row sums of a row-major matrix with short rows, packed through shared memory.
 *
 * The idea: a row of seven floats is less than a sector. One warp per row leaves 25 lanes idle, and
 * one thread per row reads 28 bytes apart. But short rows are contiguous. So a block copies a run
 * of them as it is, 16 bytes per thread, and separates rows only in shared memory. There any order
 * of addresses is cheap if the lanes use different banks. Rows of up to 192 columns get one thread
 * each. It starts at its own column (row modulo columns) and wraps around, because with 32 columns
 * all threads would otherwise use one bank. Longer rows get 16 lanes each.
 *
 * Predicted: the read limit minus the output's share (a seventh at 7 columns). Measured on an H200
 * (GB/s read, 7_row_sums_warp before; a CUB reduction of as many elements in brackets): 10000000 x
 * 7 186 -> 3715 (4096), 10000000 x 100 1852 -> 4386 (4634), 1000000 x 300 4228 -> 4458 (4538).
 *
 * 8_row_sums_group handles rows of more than 512 columns, pointers that are not 16-byte aligned,
 * and up to 4096 rows: there a warp for each row needs no shared memory. Sectors/request: load 16,
 * store 4. Bytes wanted over bytes moved: 100 %. */
#include <stdint.h>

#include "warpbook.h"

constexpr int THREADS = 256, VECTORS = 4, ROOM = THREADS * VECTORS * 4; /* 16 KB of floats */
constexpr int FEW_ROWS = 4096, LONGEST_ROW = 512, ONE_THREAD = 192, LANES = 16;

static __device__ float sum_around(const float *row, int cols, int start) {
    float sum = 0;
    for (int i = 0, col = start; i < cols; i++) {
        sum += row[col];
        col = col + 1 < cols ? col + 1 : 0;
    }
    return sum;
}

static __device__ float sum_by_lanes(const float *row, int cols, int lane) {
    float sum = 0;
    for (int col = lane; col < cols; col += LANES)
        sum += row[col];
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step, LANES);
    return sum;
}

/* A block takes `each` rows, a multiple of 4, so it starts at a 16-byte boundary. */
static __global__ void __launch_bounds__(THREADS)
    packed(const float *in, float *out, int rows, int cols, int each) {
    __shared__ float4 room[THREADS * VECTORS];
    float *floats = (float *)room;
    size_t row0 = (size_t)blockIdx.x * each;
    int here = (size_t)rows - row0 < (size_t)each ? (int)(rows - row0) : each;
    int n = here * cols, n_vectors = n / 4;
    const float *run = in + row0 * cols;
    float4 v[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; i++) /* all loads first, so that they are in flight together */
        if ((int)threadIdx.x + i * THREADS < n_vectors)
            v[i] = ((const float4 *)run)[threadIdx.x + i * THREADS];
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        if ((int)threadIdx.x + i * THREADS < n_vectors)
            room[threadIdx.x + i * THREADS] = v[i];
    if ((int)threadIdx.x < n - n_vectors * 4)
        floats[n_vectors * 4 + threadIdx.x] = run[n_vectors * 4 + threadIdx.x];
    __syncthreads();

    if (cols <= ONE_THREAD) {
        for (int row = threadIdx.x; row < here; row += THREADS)
            out[row0 + row] = sum_around(floats + row * cols, cols, cols ? row % cols : 0);
        return;
    }
    int lane = threadIdx.x % LANES;
    for (int row = threadIdx.x / LANES; row - (int)threadIdx.x / LANES < here;
         row += THREADS / LANES) {
        float sum = sum_by_lanes(floats + row * cols, row < here ? cols : 0, lane);
        if (lane == 0 && row < here)
            out[row0 + row] = sum;
    }
}

extern "C" cudaError_t wbk_row_sums_packed_f32(const float *in, float *out, float *work, int rows,
                                               int cols, cudaStream_t stream) {
    if (rows <= FEW_ROWS || cols > LONGEST_ROW || (uintptr_t)in % 16 != 0)
        return wbk_row_sums_group_f32(in, out, work, rows, cols, stream);
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0)
        return cudaSuccess;
    int each = cols ? ROOM / cols / 4 * 4 : ROOM;
    packed<<<(unsigned)(rows - 1) / each + 1, THREADS, 0, stream>>>(in, out, rows, cols, each);
    return cudaGetLastError();
}
