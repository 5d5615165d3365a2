// says: a __syncthreads() is missing
__global__ void block_max(float *out, const float *in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (t < stride) s[t] = fmaxf(s[t], s[t + stride]);
        
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
