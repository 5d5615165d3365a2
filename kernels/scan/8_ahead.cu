/* Prefix sums of an array in one pass, with the next tile in flight.
 *
 * The idea: waiting costs nothing if there is other work. There are only as many blocks as fit, and
 * each takes every n-th tile. While a block waits for its prefix, asynchronous copies bring the
 * next tile into shared memory. Each thread copies its own quads to its own places, so no barrier
 * is needed to read them. An SM has twice as much in flight: one tile in registers and one in
 * shared memory. All blocks run at once, so none waits for a block that has not started.
 *
 * Predicted for 2^28 floats on an H200: 0.9 of the copy, 560 us (CUB 671). Measured: 733 us, slower
 * than 7_groups (661); 2^24 47.0 (44.8). So bytes in flight are not the limit. Persistent blocks
 * move in step and wait for the slowest once a round. Blocks that end and start fill each other's
 * gaps.
 *
 * If a block cannot have 64 KB of shared memory, this is 7_groups. Sectors/request: load 16, store
 * 16. Bytes: 8 per element and 8 per tile. */
#include "groups.cuh"
#include "warpbook.h"

extern "C" cudaError_t wbk_scan_ahead_f32(const float *in, float *out, float *work, size_t n,
                                          cudaStream_t stream) {
    cudaError_t status = launch_ahead<512, 8, 2>(in, out, work, n, stream);
    return status == cudaErrorInvalidValue ? launch_by_groups<512, 8, 2>(in, out, work, n, stream)
                                           : status;
}
