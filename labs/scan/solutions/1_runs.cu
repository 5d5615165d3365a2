// Each thread adds up a run of its own, one block scans the runs' sums, and each thread goes over its run again.
// Right, and neighbouring threads read far from each other.
#define RUNS 4096
#define THREADS 1024

__global__ void add_runs(const int *in, int *sums, int n, int length) {
    int run = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int i = run * length; i < (run + 1) * length && i < n; i++)
        sum += in[i];
    sums[run] = sum;
}

/* In place: what all runs before each add up to. */
__global__ void scan_sums(int *sums) {
    __shared__ int shared[THREADS];
    int t = threadIdx.x, mine[RUNS / THREADS], sum = 0;
    for (int k = 0; k < RUNS / THREADS; k++) {
        mine[k] = sum;
        sum += sums[t * (RUNS / THREADS) + k];
    }
    shared[t] = sum;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int before = t >= step ? shared[t - step] : 0;
        __syncthreads();
        shared[t] += before;
        __syncthreads();
    }
    for (int k = 0; k < RUNS / THREADS; k++)
        sums[t * (RUNS / THREADS) + k] = mine[k] + shared[t] - sum;
}

__global__ void scan_runs(const int *in, const int *sums, int *out, int n, int length) {
    int run = blockIdx.x * blockDim.x + threadIdx.x, sum = sums[run];
    for (int i = run * length; i < (run + 1) * length && i < n; i++)
        out[i] = sum += in[i];
}

void solve(const int *in, int *out, int n) {
    int length = (n + RUNS - 1) / RUNS, *sums;
    if (n == 0)
        return;
    cudaMalloc(&sums, RUNS * sizeof(int));
    add_runs<<<RUNS / 32, 32>>>(in, sums, n, length);
    scan_sums<<<1, THREADS>>>(sums);
    scan_runs<<<RUNS / 32, 32>>>(in, sums, out, n, length);
    cudaFree(sums);
}
