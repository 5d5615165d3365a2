/* Prefix sums of an array in one pass, the next tile under way.
 *
 * What it teaches: to wait costs nothing if there is something to do meanwhile. Blocks stay: as
 * many as fit, and each takes every so manieth tile. While it waits for what lies before its tile,
 * the next one comes into shared memory by asynchronous copies, each thread's own quads into places
 * of its own, so that no barrier is needed to read them. An SM has twice as much under way: a tile
 * in registers and one in shared memory. And as all blocks run at once, none waits for one that has
 * not started.
 *
 * Predicted for 2^28 floats on an H200: 0.9 of the copy, 560 us (CUB 671). Measured: 733 us, slower
 * than 7_groups (661); 2^24 47.0 (44.8). So it is not bytes under way that a tile waits for. Blocks
 * that stay go round in step: all wait for the slowest of them, once a round, where blocks that
 * come and go fill each other's gaps.
 *
 * A device whose blocks have no 64 KB of shared memory does as 7_groups. Sectors/request: load 16,
 * store 16. Bytes: 8 an element and 8 a tile. */
#include "groups.cuh"
#include "warpbook.h"

extern "C" cudaError_t wbk_scan_ahead_f32(const float *in, float *out, float *work, size_t n,
                                          cudaStream_t stream) {
    cudaError_t status = launch_ahead<512, 8, 2>(in, out, work, n, stream);
    return status == cudaErrorInvalidValue ? launch_by_groups<512, 8, 2>(in, out, work, n, stream)
                                           : status;
}
