// A histogram a warp in shared memory, so that warps do not meet, and 16 bytes a load: bytes that are alike and
// lie side by side are counted with one addition.
#define WARPS 8
#define THREADS (WARPS * 32)

__device__ void count(int *counts, unsigned word) {
    unsigned before = word & 255;
    int run = 1;
    for (int k = 1; k < 4; k++) {
        unsigned value = word >> 8 * k & 255;
        if (value == before) {
            run++;
        } else {
            atomicAdd(&counts[before], run);
            before = value;
            run = 1;
        }
    }
    atomicAdd(&counts[before], run);
}

__global__ void histogram(const unsigned char *data, int *bins, int n) {
    __shared__ int counts[WARPS][256];
    for (int i = threadIdx.x; i < WARPS * 256; i += THREADS)
        counts[i / 256][i % 256] = 0;
    __syncthreads();
    int *mine = counts[threadIdx.x / 32];
    const uint4 *wide = (const uint4 *)data;
    int quads = n / 16, at = blockIdx.x * THREADS + threadIdx.x, step = gridDim.x * THREADS;
    for (int i = at; i < quads; i += step) {
        uint4 q = wide[i];
        count(mine, q.x);
        count(mine, q.y);
        count(mine, q.z);
        count(mine, q.w);
    }
    if (quads * 16 + at < n)
        atomicAdd(&mine[data[quads * 16 + at]], 1);
    __syncthreads();
    for (int v = threadIdx.x; v < 256; v += THREADS) {
        int sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += counts[w][v];
        if (sum)
            atomicAdd(&bins[v], sum);
    }
}

void solve(const unsigned char *data, int *bins, int n) {
    int blocks = (n / 16 + THREADS - 1) / THREADS;
    blocks = blocks < 1 ? 1 : blocks < 1056 ? blocks : 1056;
    cudaMemsetAsync(bins, 0, 256 * sizeof(int));
    if (n > 0)
        histogram<<<blocks, THREADS>>>(data, bins, n);
}
