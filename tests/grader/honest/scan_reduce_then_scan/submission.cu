// Sums of tiles, a scan of those in one block, then the tiles with what is before them; warps by shuffles.
template <int ITEMS> struct Tile {
    static const int THREADS = 256, SIZE = THREADS * ITEMS;
};
__device__ int warp_scan(int x) {
    int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d <<= 1) {
        int y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d)
            x += y;
    }
    return x;
}
__device__ int block_scan(int x) { // inclusive
    __shared__ int warps[32];
    __syncthreads();
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, scanned = warp_scan(x);
    if (lane == 31)
        warps[warp] = scanned;
    __syncthreads();
    if (warp == 0)
        warps[lane] = warp_scan(lane < blockDim.x / 32 ? warps[lane] : 0);
    __syncthreads();
    return scanned + (warp ? warps[warp - 1] : 0);
}
template <int ITEMS> __global__ void sums_of_tiles(const int *in, int *sums, int n) {
    int x = 0;
    for (int k = 0; k < ITEMS; k++) {
        int i = blockIdx.x * Tile<ITEMS>::SIZE + k * 256 + threadIdx.x;
        x += i < n ? in[i] : 0;
    }
    x = block_scan(x);
    if (threadIdx.x == 255)
        sums[blockIdx.x] = x;
}
__global__ void scan_sums(int *sums, int n) {
    int carry = 0;
    __shared__ int total;
    for (int at = 0; at < n; at += 1024) {
        int i = at + threadIdx.x, x = i < n ? sums[i] : 0, scanned = block_scan(x);
        if (i < n)
            sums[i] = carry + scanned - x;
        if (threadIdx.x == 1023)
            total = scanned;
        __syncthreads();
        carry += total;
        __syncthreads();
    }
}
template <int ITEMS> __global__ void scan_tiles(const int *in, int *out, const int *before, int n) {
    int carry = before[blockIdx.x];
    __shared__ int total;
    for (int k = 0; k < ITEMS; k++) {
        int i = blockIdx.x * Tile<ITEMS>::SIZE + k * 256 + threadIdx.x, scanned = block_scan(i < n ? in[i] : 0);
        if (i < n)
            out[i] = carry + scanned;
        if (threadIdx.x == 255)
            total = scanned;
        __syncthreads();
        carry += total;
    }
}
void solve(const int *in, int *out, int n) {
    if (n < 1)
        return;
    constexpr int ITEMS = 8;
    int tiles = (n + Tile<ITEMS>::SIZE - 1) / Tile<ITEMS>::SIZE, *sums;
    cudaMalloc(&sums, tiles * sizeof(int));
    sums_of_tiles<ITEMS><<<tiles, 256>>>(in, sums, n);
    scan_sums<<<1, 1024>>>(sums, tiles);
    scan_tiles<ITEMS><<<tiles, 256>>>(in, out, sums, n);
    cudaFree(sums);
}
