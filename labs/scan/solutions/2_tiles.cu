// A tile of 4096 elements a block: its sum first, then all tiles' sums by one block, then the tile itself, 16 elements a
// thread and scans by shuffles. Every element is read twice and written once.
#define THREADS 256
#define QUADS 4
#define TILE (THREADS * QUADS * 4)

/* Returns the sum of the threads before this one. *total is the block's. */
__device__ int before_me(int value, int *total) {
    __shared__ int warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = blockDim.x / 32, sum = value;
    for (int step = 1; step < 32; step *= 2) {
        int before = __shfl_up_sync(~0u, sum, step);
        sum += lane >= step ? before : 0;
    }
    __syncthreads();
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int all = lane < count ? warps[lane] : 0;
        for (int step = 1; step < 32; step *= 2) {
            int before = __shfl_up_sync(~0u, all, step);
            all += lane >= step ? before : 0;
        }
        warps[lane] = all;
    }
    __syncthreads();
    *total = warps[count - 1];
    return sum - value + (warp ? warps[warp - 1] : 0);
}

__device__ int4 load(const int *in, int at, int n) {
    if (at + 4 <= n)
        return *(const int4 *)(in + at);
    return make_int4(at < n ? in[at] : 0, at + 1 < n ? in[at + 1] : 0, at + 2 < n ? in[at + 2] : 0, 0);
}

__global__ void add_tiles(const int *in, int *sums, int n) {
    int sum = 0, total;
    for (int k = 0; k < QUADS; k++) {
        int4 q = load(in, blockIdx.x * TILE + (k * THREADS + threadIdx.x) * 4, n);
        sum += q.x + q.y + q.z + q.w;
    }
    before_me(sum, &total);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

__global__ void scan_sums(int *sums, int n) {
    int carried = 0, total;
    for (int first = 0; first < n; first += blockDim.x) {
        int i = first + threadIdx.x, value = i < n ? sums[i] : 0;
        int before = before_me(value, &total);
        if (i < n)
            sums[i] = carried + before;
        carried += total;
    }
}

__global__ void scan_tiles(const int *in, const int *sums, int *out, int n) {
    int carried = sums[blockIdx.x], total;
    int4 q[QUADS];
    for (int k = 0; k < QUADS; k++)
        q[k] = load(in, blockIdx.x * TILE + (k * THREADS + threadIdx.x) * 4, n);
    for (int k = 0; k < QUADS; k++) {
        int at = blockIdx.x * TILE + (k * THREADS + threadIdx.x) * 4;
        q[k].y += q[k].x;
        q[k].z += q[k].y;
        q[k].w += q[k].z;
        int before = carried + before_me(q[k].w, &total);
        int4 r = make_int4(before + q[k].x, before + q[k].y, before + q[k].z, before + q[k].w);
        carried += total;
        if (at + 4 <= n) {
            *(int4 *)(out + at) = r;
        } else {
            if (at < n)
                out[at] = r.x;
            if (at + 1 < n)
                out[at + 1] = r.y;
            if (at + 2 < n)
                out[at + 2] = r.z;
        }
    }
}

void solve(const int *in, int *out, int n) {
    int tiles = (n + TILE - 1) / TILE, *sums;
    if (n == 0)
        return;
    cudaMalloc(&sums, tiles * sizeof(int));
    add_tiles<<<tiles, THREADS>>>(in, sums, n);
    scan_sums<<<1, 1024>>>(sums, tiles);
    scan_tiles<<<tiles, THREADS>>>(in, sums, out, n);
    cudaFree(sums);
}
