// Blelloch's up and down sweep, two elements a thread; shared memory sized at the launch.
__global__ void blelloch(const int *in, int *out, int *sums, int n) {
    extern __shared__ int s[];
    int size = 2 * blockDim.x, first = blockIdx.x * size, t = threadIdx.x;
    int a = first + t < n ? in[first + t] : 0, b = first + t + blockDim.x < n ? in[first + t + blockDim.x] : 0;
    s[t] = a;
    s[t + blockDim.x] = b;
    int offset = 1;
    for (int d = size >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) {
        if (sums)
            sums[blockIdx.x] = s[size - 1];
        s[size - 1] = 0;
    }
    for (int d = 1; d < size; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1, x = s[i];
            s[i] = s[j];
            s[j] += x;
        }
    }
    __syncthreads();
    if (first + t < n)
        out[first + t] = s[t] + a;
    if (first + t + blockDim.x < n)
        out[first + t + blockDim.x] = s[t + blockDim.x] + b;
}
__global__ void add(int *out, const int *sums, int size, int n) {
    int i = blockIdx.x * size + threadIdx.x, before = blockIdx.x ? sums[blockIdx.x - 1] : 0;
    for (int k = 0; k < size; k += blockDim.x)
        if (i + k < n)
            out[i + k] += before;
}
void solve(const int *in, int *out, int n) {
    const int threads = 512, size = 2 * threads;
    int *level[4], count[4] = {n}, depth = 0;
    if (n == 0)
        return;
    level[0] = out;
    while (count[depth] > size) {
        count[depth + 1] = (count[depth] + size - 1) / size;
        cudaMalloc(&level[depth + 1], count[depth + 1] * sizeof(int));
        blelloch<<<count[depth + 1], threads, size * sizeof(int)>>>(depth ? level[depth] : in, level[depth], level[depth + 1],
                                                                   count[depth]);
        depth++;
    }
    blelloch<<<1, threads, size * sizeof(int)>>>(depth ? level[depth] : in, level[depth], nullptr, count[depth]);
    for (; depth > 0; depth--) {
        add<<<count[depth], threads>>>(level[depth - 1], level[depth], size, count[depth - 1]);
        cudaFree(level[depth]);
    }
}
