// says: the other reads belong in `tile`
__global__ void smooth_row(const float *in, const float *w, float *out, int n) {   // blocks of 128 threads
    __shared__ float tile[134];
    int t = threadIdx.x, first = blockIdx.x * 128 - 3;               // the tile begins 3 before the block's first number
    for (int k = t; k < 134; k += 128)
        tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 7; j++) sum += w[j] * (first + t + j >= 0 && first + t + j < n ? in[first + t + j] : 0);
    if (blockIdx.x * 128 + t < n) out[blockIdx.x * 128 + t] = sum;
}
