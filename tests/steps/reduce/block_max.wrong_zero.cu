// says: There is no 0 among the numbers
__global__ void block_max(float *out, const float *in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (t < stride) s[t] = fmaxf(s[t], s[t + stride]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
