/* Softmax of rows at the speed of a copy.
 *
 * What it teaches: as many threads a row as the row is long, with up to eight 16-byte loads each,
 * all under way before anything is done with one. A row of 1024 is a warp's, so that there is no
 * barrier; one of 4096 is 128 threads'; one of 32768 is 1024 threads' and fills an SM's registers
 * to a half. What hides the wait for the two reductions is the other blocks of the SM, and where
 * there is but one, the loads and stores of the other 131: that costs less than it seems.
 *
 * Rows of more than 32768 columns are read by a block twice, as 3_online does.
 *
 * Predicted on an H200: 0.9 of the copy from 1024 x 1024 up, and less at 32768, where an SM has one
 * block. Measured (us, the copy in brackets): 1024 x 1024 5.86 (5.47), 2048 x 2048 10.6 (10.7),
 * 4096 x 4096 32.8 (32.5), 8192 x 8192 131.6 (126.1), 16384 x 16384 528 (507), 32768 x 32768 2075
 * (2009); 8191 x 8193, whose rows begin anywhere, 138 (129), 4096 x 1000 10.6 (10.5), 65536 x
 * 64 11.0 (10.7). A first draft for aligned rows alone, without a look at edges, took 5.47 at 1024
 * and 127.5 at 8192. What was tried and is not here: blocks that stay and have the next row come by
 * cp.async (136 at 8192, 540 at 16384), rows shared by the blocks of a cluster (177 and 703 at
 * best), stores marked as streaming (no difference).
 *
 * Sectors/request: load 16, store 16 (512 bytes a warp, all wanted). */
#include "rows.cuh"
#include "warpbook.h"

constexpr int THREADS = 512;

static __global__ void __launch_bounds__(THREADS)
    twice(const float *__restrict__ in, float *out, int cols) {
    __shared__ float maxima[THREADS / 32], sums[THREADS / 32];
    const float *from = in + (size_t)blockIdx.x * cols;
    float *to = out + (size_t)blockIdx.x * cols;
    bool together = quads_skip(from) == quads_skip(to);
    ptrdiff_t first = (ptrdiff_t)threadIdx.x * 4 - quads_skip(from);
    normalizer mine = {-INFINITY, 0};
    for (ptrdiff_t i = first; i < cols; i += THREADS * 4)
        take_in(&mine, quad_load(from, i, cols, -INFINITY));
    float most = of_group<false, THREADS>(mine.most, maxima);
    float sum = of_group<true, THREADS>(share_in(mine, most), sums);
    float share = 1 / (sum + (most - most)); /* NaN where the largest is infinite */
    for (ptrdiff_t i = first; i < cols; i += THREADS * 4)
        quad_store(to, i, cols, times(powers_of(quad_load(from, i, cols, -INFINITY), most), share),
                   together);
}

extern "C" cudaError_t wbk_softmax_quads_f32(const float *in, float *out, int rows, int cols,
                                             cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows > 0 && cols > 0 && !launch_kept_rows(in, out, rows, cols, stream))
        twice<<<(unsigned)rows, THREADS, 0, stream>>>(in, out, cols);
    return cudaGetLastError();
}
