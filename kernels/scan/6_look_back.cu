/* Prefix sums of an array in one pass.
 *
 * The idea: a block can get the sums of earlier blocks while all run (Merrill and Garland,
 * "Single-pass parallel prefix scan with decoupled look-back", 2016). A tile publishes its own sum
 * as soon as possible. Then it looks back: it adds the sums of the tiles before it, up to the first
 * tile with a known prefix. It publishes its own prefix too, so later tiles need not look further
 * back. Each element is read once and written once: 8 bytes, the minimum.
 *
 * Sum and state share one 8-byte word, which is read and written whole, so no fence is needed. A
 * small kernel clears the words. This one starts meanwhile (overlap.h) and loads its tile before it
 * waits. Sums are always added from left to right, whichever tiles have finished, so every call
 * gives the same bits. CUB does not guarantee that. A window of 128 tiles is polled until it has a
 * prefix. Up to 128 tiles, that is the first tile: one trip through memory from block to block.
 *
 * Blocks wait for blocks with lower numbers. GPUs start those first, but CUDA does not guarantee
 * it.
 *
 * Predicted for 2^28 floats on an H200: 0.95 of the copy's 507 us; 2^20: the copy's 5.6 us and a
 * trip to L2, 7 us. Measured: 820 us (CUB 686), 2^24 53.6 (48), 2^20 9.4 (10.8). The next rung
 * explains the gap.
 *
 * Sectors/request: load 16, store 16. Bytes: 8 per element and 8 per tile. */
#include "look_back.cuh"
#include "warpbook.h"

extern "C" cudaError_t wbk_scan_look_back_f32(const float *in, float *out, float *work, size_t n,
                                              cudaStream_t stream) {
    return scan_looking_back<512, 4, 3>(in, out, work, n, stream);
}
