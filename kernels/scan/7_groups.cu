/* Prefix sums of an array in one pass, with tiles in groups.
 *
 * The idea: memory is not what slows 6_look_back. A tile waits until its prefix has been passed
 * from tile to tile, then adds up to 128 sums one after another. Meanwhile its registers hold
 * elements that could have been written. Here 32 tiles form a group. A tile reads the sums of its
 * group's tiles, one per lane, and adds them by a tree. It also reads the groups before, one per
 * lane. The last tile of each group publishes the group's sum. So there are two trips through
 * memory at any size, and at most 32 sums in a row. Trees and chain are fixed, so every call gives
 * the same bits.
 *
 * Stores are marked as not to be read again (st.global.cs), which leaves L2 to the words and to
 * loads in flight.
 *
 * Predicted for 2^28 floats on an H200: 600 us, or at least CUB's 671. Measured: 820 -> 661 us (CUB
 * 686, a copy 506); 2^24 44.8 (48), 2^20 8.9 (10.8). The size of tiles matters: with 2048 elements
 * 2^28 takes 1,092 us, with 8192 745, 16384 662, 32768 649.
 *
 * Sectors/request: load 16, store 16. Bytes: 8 per element and 8 per tile. */
#include "groups.cuh"
#include "warpbook.h"

extern "C" cudaError_t wbk_scan_groups_f32(const float *in, float *out, float *work, size_t n,
                                           cudaStream_t stream) {
    return launch_by_groups<512, 8, 2>(in, out, work, n, stream);
}
