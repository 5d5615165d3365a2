/* Prefix sums of an array, 16 elements per thread.
 *
 * The idea: with one element per thread, the steps of the scan cost more than memory. Here a thread
 * loads 16 elements with 16-byte loads and adds most of them by itself (tile.cuh). Results that
 * would be read again for an addition are not written at all. The first launch only sums tiles, one
 * block scans these sums, and the third launch reads the tiles again, scans them and writes once.
 * That is 12 bytes per element instead of 16. If the array fits in L2, the second read is cheap.
 *
 * The middle launch is one block, which scans 1024 sums at a time: 32,768 of them at 2^28.
 *
 * Predicted for 2^28 floats on an H200: 3.2 GB at the copy's 4.2 TB/s, 770 us, and 30 for the
 * middle launch; 2^24: 45 us, 2^20: 9 us, mostly launches. Measured: 791 us (CUB 686); 2^24 55.3
 * (48), 2^20 11.7 (10.8).
 *
 * Sectors/request: load 16, store 16 (512 bytes a warp, all used). Bytes: 12 per element. */
#include "tile.cuh"
#include "warpbook.h"

constexpr int THREADS = 512, V = 4, SUMS_THREADS = 1024;

typedef scan_tile<THREADS, V> tile_of_block;

static __global__ void __launch_bounds__(THREADS)
    add_up(const float *__restrict__ in, const float *out, float *sums, ptrdiff_t n) {
    __shared__ float warps[THREADS / 32];
    tile_of_block tile;
    tile.load(in, out, n, blockIdx.x);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < V; k++)
        sum += (tile.quad[k].x + tile.quad[k].y) + (tile.quad[k].z + tile.quad[k].w);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++)
            sum += warps[w];
        sums[blockIdx.x] = sum;
    }
}

/* In place: sums[i] becomes the sum before tile i. */
static __global__ void __launch_bounds__(SUMS_THREADS) scan_sums(float *sums, int n) {
    __shared__ float warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float before = 0;
    for (int first = 0; first < n; first += SUMS_THREADS) {
        int i = first + (int)threadIdx.x;
        float sum = i < n ? sums[i] : 0;
        for (int step = 1; step < 32; step *= 2) {
            float other = __shfl_up_sync(0xffffffff, sum, step);
            sum = lane >= step ? sum + other : sum;
        }
        if (lane == 31)
            warps[warp] = sum;
        float left = __shfl_up_sync(0xffffffff, sum, 1);
        __syncthreads();
        float mine = before;
        for (int w = 0; w < 32; w++) {
            mine = w == warp ? before : mine;
            before += warps[w];
        }
        if (i < n)
            sums[i] = lane > 0 ? mine + left : mine;
        __syncthreads();
    }
}

static __global__ void __launch_bounds__(THREADS)
    scan_tiles_of(const float *__restrict__ in, float *out, const float *before, ptrdiff_t n) {
    tile_of_block tile;
    tile.load(in, out, n, blockIdx.x);
    float total, mine = tile.scan(&total);
    tile.store(out, n, before[blockIdx.x] + mine);
}

extern "C" cudaError_t wbk_scan_tiles_f32(const float *in, float *out, float *work, size_t n,
                                          cudaStream_t stream) {
    if (n == 0)
        return cudaSuccess;
    size_t tiles = scan_tiles(in, n, tile_of_block::SIZE);
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue;
    add_up<<<(unsigned)tiles, THREADS, 0, stream>>>(in, out, work, (ptrdiff_t)n);
    scan_sums<<<1, SUMS_THREADS, 0, stream>>>(work, (int)tiles);
    scan_tiles_of<<<(unsigned)tiles, THREADS, 0, stream>>>(in, out, work, (ptrdiff_t)n);
    return cudaGetLastError();
}
