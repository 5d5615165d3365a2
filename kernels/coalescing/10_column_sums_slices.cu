/* Column sums of a row-major matrix, with the rows cut into slices.
 *
 * The idea: coalescing is not enough. 6_column_sums, with one thread per column, reads whole lines.
 * But 16384 columns are 16384 threads, a twentieth of what the device holds, each with one or two
 * loads in flight. Here a block takes a strip of 128 columns (16 bytes a lane) and a slice of the
 * rows. It processes eight rows side by side, with eight loads in flight per thread. Strips and
 * slices together fill the device. The slices' sums go to `work`. A second kernel starts while the
 * first still runs (overlap.h) and adds them in a fixed order.
 *
 * If rows are not a multiple of 16 bytes long, two or four rows count as one long row: 4 rows of
 * 8193 floats end on a 16-byte boundary. The second kernel then adds the two or four sums of each
 * column. For up to 512 columns, a whole block reads a contiguous run of rows. It advances by whole
 * rows, so each thread keeps its four columns.
 *
 * Predicted: the read limit, as for row sums. Measured on an H200 (GB/s, 6_column_sums before;
 * 8_row_sums_group in brackets): 8192 x 8192 869 -> 4186 (4273), 65536 x 1024 115 -> 4120 (4302),
 * 8191 x 8193 857 -> 4094 (4243), 10000000 x 100 12 -> 4634.
 *
 * A small matrix needs no slices: the second kernel alone sums its rows, in one launch. Measured on
 * an H100 (microseconds, two launches before; cublasSgemv in brackets): 5 x 380 8.2 -> 4.1 (4.7),
 * 137 x 547 6.5 -> 4.9 (5.7), 728 x 508 11.3 -> 6.7 (7.2).
 *
 * Needs a 16-byte aligned pointer. Otherwise, for few rows with enough columns for all threads, and
 * for too few rows to fold, the launcher calls 6_column_sums. Sectors/request: load 16 (512 bytes a
 * warp), store 16; the second kernel 4 and 4. Bytes wanted over bytes moved: 100 %, without the
 * slices' sums. */
#include <stdint.h>

#include "overlap.h"
#include "strips.cuh"
#include "warpbook.h"

constexpr int STRIP = 32, HIGH = 8, AT_ONCE = 8; /* lanes, rows at a time, loads in flight */
constexpr int NARROW = 512, NARROW_THREADS = 1024, NARROW_AT_ONCE = 4;
constexpr int FEW_ROWS = 32, MANY_COLUMNS = 1 << 18;
constexpr int FINISH_WIDE = 32, FINISH_HIGH = 32, FINISH_AT_ONCE = 16;
constexpr int ROOM = 1 << 18; /* the constant part of WBK_SUMS_WORK */

/* Computes sums[slice * cols + col] for a strip and a slice of the rows. cols is a multiple of
 * 4. */
static __global__ void __launch_bounds__(STRIP *HIGH)
    strips(const float *in, float *sums, int rows, size_t cols, int slice) {
    __shared__ float4 part[HIGH][STRIP];
    int x = threadIdx.x % STRIP, y = threadIdx.x / STRIP;
    size_t col = ((size_t)blockIdx.x * STRIP + x) * 4;
    int row = blockIdx.y * slice, end = rows - row < slice ? rows : row + slice;
    float4 sum = {};
    if (col < cols) {
        const float *column = in + col;
        for (row += y; row + (AT_ONCE - 1) * HIGH < end; row += AT_ONCE * HIGH) {
            float4 v[AT_ONCE];
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                v[j] = *(const float4 *)(column + (size_t)(row + j * HIGH) * cols);
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                add(&sum, v[j]);
        }
        if (row < end) { /* the last turn also has its loads in flight together */
            float4 v[AT_ONCE] = {};
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                if (row + j * HIGH < end)
                    v[j] = *(const float4 *)(column + (size_t)(row + j * HIGH) * cols);
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                add(&sum, v[j]);
        }
    }
    overlap_next();
    part[y][x] = sum;
    __syncthreads();
    if (y == 0 && col < cols) {
#pragma unroll
        for (int j = 1; j < HIGH; j++)
            add(&sum, part[j][x]);
        *(float4 *)(sums + blockIdx.y * cols + col) = sum;
    }
}

/* Computes sums[block * cols + col] for a run of n_vectors. `active` threads of 4 floats cover
 * whole rows, and so does `each`, the vectors per block. */
static __global__ void __launch_bounds__(NARROW_THREADS)
    narrow(const float4 *in, float *sums, size_t n_vectors, int cols, int active, size_t each) {
    __shared__ float4 part[NARROW_THREADS];
    if ((int)threadIdx.x < active) {
        size_t i = blockIdx.x * each + threadIdx.x, end = (blockIdx.x + 1) * each;
        end = end < n_vectors ? end : n_vectors;
        float4 sum = {};
        for (; i + (NARROW_AT_ONCE - 1) * active < end; i += NARROW_AT_ONCE * active) {
            float4 v[NARROW_AT_ONCE];
#pragma unroll
            for (int j = 0; j < NARROW_AT_ONCE; j++)
                v[j] = in[i + j * active];
#pragma unroll
            for (int j = 0; j < NARROW_AT_ONCE; j++)
                add(&sum, v[j]);
        }
        for (; i < end; i += active)
            add(&sum, in[i]);
        part[threadIdx.x] = sum;
    }
    overlap_next();
    __syncthreads();
    for (int col = threadIdx.x / 32; col < cols; col += NARROW_THREADS / 32) { /* a warp each */
        float sum = 0;
        for (int i = col + threadIdx.x % 32 * cols; i < active * 4; i += 32 * cols)
            sum += ((const float *)part)[i];
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, step);
        if (threadIdx.x % 32 == 0)
            sums[(size_t)blockIdx.x * cols + col] = sum;
    }
}

/* Computes out[col], the sum of `parts` rows of sums and `left` rows of the matrix. */
static __global__ void __launch_bounds__(FINISH_WIDE *FINISH_HIGH)
    finish(const float *sums, const float *rest, float *out, int parts, int left, int cols) {
    __shared__ float part[FINISH_HIGH][FINISH_WIDE];
    int x = threadIdx.x % FINISH_WIDE, y = threadIdx.x / FINISH_WIDE;
    size_t col = (size_t)blockIdx.x * FINISH_WIDE + x;
    overlap_wait();
    float sum = 0;
    if (col < (size_t)cols) {
        for (int i = y; i < parts; i += FINISH_AT_ONCE * FINISH_HIGH) {
            float v[FINISH_AT_ONCE] = {};
#pragma unroll
            for (int j = 0; j < FINISH_AT_ONCE; j++)
                if (i + j * FINISH_HIGH < parts)
                    v[j] = sums[(size_t)(i + j * FINISH_HIGH) * cols + col];
#pragma unroll
            for (int j = 0; j < FINISH_AT_ONCE; j++)
                sum += v[j];
        }
        if (y < left)
            sum += rest[(size_t)y * cols + col];
    }
    part[y][x] = sum;
    __syncthreads();
    if (y == 0 && col < (size_t)cols) {
#pragma unroll
        for (int j = 1; j < FINISH_HIGH; j++)
            sum += part[j][x];
        out[col] = sum;
    }
}

/* Returns the blocks that fill the device, with `each` per SM and at most `most`. */
static int places(int each, int most) {
    const int processors = multiprocessors();
    return processors < most / each ? each * processors : most;
}

/* Returns the rows of a slice. Strips and slices fill the device, but a slice has at least one
 * turn. */
static int slice_for(int rows, size_t width) {
    size_t across = (width - 1) / (4 * STRIP) + 1, fill = places(4, ROOM / (4 * STRIP));
    int slices = across < 2 * fill ? (int)((fill - 1) / across + 1) : 1;
    int slice = (rows - 1) / slices + 1;
    return slice > AT_ONCE * HIGH ? slice : AT_ONCE * HIGH;
}

/* Both return the number of rows that they leave in `sums`. */
static int launch_strips(const float *in, float *sums, int rows, size_t width, int slice,
                         cudaStream_t stream) {
    dim3 grid((unsigned)((width - 1) / (4 * STRIP) + 1), (unsigned)((rows - 1) / slice + 1));
    strips<<<grid, STRIP * HIGH, 0, stream>>>(in, sums, rows, width, slice);
    return (int)grid.y;
}

static int launch_narrow(const float *in, float *sums, size_t n_vectors, int cols, int unit,
                         cudaStream_t stream) {
    int active = NARROW_THREADS * 4 / unit * unit / 4;
    size_t blocks = (size_t)places(1, ROOM / NARROW), turns = (n_vectors - 1) / active + 1;
    size_t each = (turns - 1) / blocks + 1; /* in turns of the block */
    blocks = (turns - 1) / each + 1;
    narrow<<<(unsigned)blocks, NARROW_THREADS, 0, stream>>>((const float4 *)in, sums, n_vectors,
                                                            cols, active, each * active);
    return (int)blocks;
}

extern "C" cudaError_t wbk_column_sums_slices_f32(const float *in, float *out, float *work,
                                                  int rows, int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (cols == 0)
        return cudaSuccess;
    if (is_small(rows, cols)) {
        finish<<<(unsigned)(cols - 1) / FINISH_WIDE + 1, FINISH_WIDE * FINISH_HIGH, 0, stream>>>(
            in, nullptr, out, rows, 0, cols);
        return cudaGetLastError();
    }
    int fold = cols % 4 == 0 ? 1 : cols % 2 == 0 ? 2 : 4; /* rows that count as one */
    if ((uintptr_t)in % 16 != 0 || (rows <= FEW_ROWS && cols >= MANY_COLUMNS) || rows < 4 * fold)
        return wbk_column_sums_f32(in, out, rows, cols, stream);
    int folded = rows / fold, parts = 0;
    size_t width = (size_t)fold * cols;
    if (folded > 0 && cols <= NARROW) {
        parts = launch_narrow(in, work, folded * width / 4, cols, (int)width, stream);
    } else if (folded > 0) {
        int slice = slice_for(folded, width);
        bool whole = fold == 1 && slice >= folded && (uintptr_t)out % 16 == 0;
        parts = fold * launch_strips(in, whole ? out : work, folded, width, slice, stream);
        if (whole) /* every strip has all rows, so its sums are the result */
            return cudaGetLastError();
    }
    launch_overlapped(finish, (unsigned)(cols - 1) / FINISH_WIDE + 1, FINISH_WIDE * FINISH_HIGH,
                      stream, (const float *)work, in + folded * width, out, parts,
                      rows - folded * fold, cols);
    return cudaGetLastError();
}
