/* Prefix sums of an array in one pass, tiles in groups.
 *
 * What it teaches: what keeps 6_look_back from the copy's speed is not memory. A tile waits until
 * what lies before it has been handed on from tile to tile, and adds up to 128 sums one after the
 * other when its turn comes; its registers hold elements that could have been written meanwhile.
 * Here 32 tiles are a group. A tile asks the tiles of its group, a lane each, which are added by a
 * tree; and the groups before, a lane each, of which the last tile of each tells the sum as soon as
 * it knows it. Two trips through memory, whatever the size, and at most 32 sums in a row. Still the
 * same bits at every call: the trees and the chain of groups are the same whoever adds.
 *
 * And what is written is marked as not to be read again (st.global.cs): it leaves the L2 cache to
 * the words and to what is on its way in.
 *
 * Predicted for 2^28 floats on an H200: 6_look_back's 900 us to 600, as CUB's 671 or better.
 * Measured: 820 -> 661 us (CUB 686, a copy 506); 2^24 44.8 (48), 2^20 8.9 (10.8). Tiles count: of
 * 2048 elements 2^28 takes 1,092 us, of 4096 914, 8192 745, 16384 662, 32768 649.
 *
 * Sectors/request: load 16, store 16. Bytes: 8 an element and 8 a tile. */
#include "groups.cuh"
#include "warpbook.h"

extern "C" cudaError_t wbk_scan_groups_f32(const float *in, float *out, float *work, size_t n,
                                           cudaStream_t stream) {
    return launch_by_groups<512, 8, 2>(in, out, work, n, stream);
}
