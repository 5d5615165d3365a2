/* Prefix sums of an array, with tiles that suit its size.
 *
 * The idea: no tile size suits all arrays. 2^20 elements in tiles of 32768 leave three quarters of
 * the device idle. 2^28 in tiles of 8192 make 32,768 tiles that exchange sums. So small arrays get
 * as many tiles as there are multiprocessors, and large ones the largest tiles that fit in
 * registers. Tiles and groups are those of 7_groups.
 *
 * Measured on an H200 (us, CUB in brackets): 1000 6.4 (6.9), 2^20 8.1 (10.2), 2^22 13.7 (17.1),
 * 2^24 43.6 (47.5), 2^26 168 (177), 10^8 248 (259), 2^28 654 (688).
 *
 * Sectors/request: load 16, store 16. Bytes: 8 per element and 8 per tile. */
#include "groups.cuh"
#include "warpbook.h"

extern "C" cudaError_t wbk_scan_by_size_f32(const float *in, float *out, float *work, size_t n,
                                            cudaStream_t stream) {
    if (n <= (size_t)1 << 21)
        return launch_by_groups<512, 4, 3>(in, out, work, n, stream);
    if (n < (size_t)1 << 27)
        return launch_by_groups<512, 8, 2>(in, out, work, n, stream);
    return launch_by_groups<1024, 8, 1>(in, out, work, n, stream);
}
