// says: use an atomic such as atomicAdd() where they update one value together
__global__ void letters(int *bins, const char *text, int n) {     // blocks of 128 threads
    __shared__ int mine[26];
    int t = threadIdx.x;
    if (t < 26) mine[t] = 0;                                      // nothing is counted yet
    __syncthreads();
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) {
        int c = text[i] | 32;
        if (c >= 'a' && c <= 'z') atomicAdd(&mine[c - 'a'], 1);
    }
    __syncthreads();
    if (t < 26) bins[t] = mine[t];                  // 26 operations a block
}
