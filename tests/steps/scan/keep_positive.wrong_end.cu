// says: past the end
__global__ void keep_positive(int *out, int *kept, const int *in, int n) {   // one block of 256 threads
    __shared__ int part[256];
    int t = threadIdx.x;
    int mine = in[t] > 0;                            // 1 if this thread's number stays, else 0
    int sum = part[t] = mine;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int before = t >= step ? part[t - step] : 0;
        __syncthreads();
        part[t] = sum += before;
        __syncthreads();
    }
    if (mine) out[sum - 1] = in[t];
    if (t == 255) kept[0] = sum;
}
