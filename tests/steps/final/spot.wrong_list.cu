// says: are above the limit; found[0] is
#define SPOT_READINGS 256

__global__ void spot(int *where, int *found, const float *in, int n) {
    __shared__ int list[32], count, base; // room for 32: few enough, mostly
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n && in[i] > 0.98f) {
        int at = atomicAdd(&count, 1);
        if (at < 32) list[at] = i;
    }
    __syncthreads();
    int kept = min(count, 32);
    if (threadIdx.x == 0) base = atomicAdd(found, kept);
    __syncthreads();
    if (threadIdx.x < kept) where[base + threadIdx.x] = list[threadIdx.x];
}
