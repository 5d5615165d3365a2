/* Prefix sums of an array in one pass.
 *
 * What it teaches: a block can be told by the blocks before it what they hold, while all of them
 * run (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). A
 * tile publishes its own sum as soon as it has it. Then it looks back: the sums of the tiles just
 * before it, up to the first that already knows everything before itself, are what lies before it;
 * it publishes that too, and others need look no further back. Each element is read once and
 * written once, 8 bytes, which no scan can do without.
 *
 * Sum and state lie in one word of 8 bytes, written and read whole, so that no fence stands between
 * them. The words have to be zero before: a small kernel clears them, behind which this one is
 * brought up (overlap.h) and loads its tile before it waits. The sums that are looked at are added
 * from left to right, as the chain of tiles would, whoever finds which of them done: the same bits
 * at every call, which CUB's does not promise. A window of 128 tiles is asked again and again until
 * it holds one that knows; at a size of up to 128 tiles that is the first tile, and there is one
 * trip through memory from block to block.
 *
 * Blocks wait for blocks of lower numbers. That these have been started before is what GPUs do;
 * CUDA does not promise it.
 *
 * Predicted for 2^28 floats on an H200: 0.95 of the copy's 507 us; 2^20: the copy's 5.6 us and a
 * trip to the L2 cache and back, 7 us. Measured: 820 us (CUB 686), 2^24 53.6 (48), 2^20 9.4 (10.8).
 * Far from it: the next rung says why. (Tiles of 32768 in place of 8192: 685; words asked of 256
 * tiles: 960, without st.global.cs, which took 900 to 808.).
 *
 * Sectors/request: load 16, store 16. Bytes: 8 an element and 8 a tile. */
#include "look_back.cuh"
#include "warpbook.h"

extern "C" cudaError_t wbk_scan_look_back_f32(const float *in, float *out, float *work, size_t n,
                                              cudaStream_t stream) {
    return scan_looking_back<512, 4, 3>(in, out, work, n, stream);
}
