// A run of 64 for each thread, one after the other: right, and neighbours are 64 elements apart.
enum { RUN = 64 };
__global__ void sum_runs(const int *in, int *sums, int n, int runs) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = 0;
    if (t >= runs)
        return;
    for (int i = t * RUN; i < (t + 1) * RUN && i < n; i++)
        x += in[i];
    sums[t] = x;
}
__global__ void add_runs(const int *in, int *out, const int *before, int n, int runs) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= runs)
        return;
    int x = t > 0 ? before[t - 1] : 0;
    for (int i = t * RUN; i < (t + 1) * RUN && i < n; i++)
        out[i] = x += in[i];
}
static void scan(const int *in, int *out, int n) {
    int runs = (n + RUN - 1) / RUN;
    int *sums;
    cudaMalloc(&sums, runs * sizeof(int));
    if (runs > 1) {
        sum_runs<<<(runs + 127) / 128, 128>>>(in, sums, n, runs);
        scan(sums, sums, runs);
    }
    add_runs<<<(runs + 127) / 128, 128>>>(in, out, sums, n, runs);
    cudaFree(sums);
}
void solve(const int *in, int *out, int n) {
    if (n)
        scan(in, out, n);
}
