// An atomicAdd an element, into a double: in a float so many terms one after the other round to a wrong sum with every other seed.
__device__ double total;

__global__ void sum(const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&total, (double)in[i]);
}

__global__ void finish(float *out) {
    out[0] = total;
    total = 0;
}

void solve(const float *in, float *out, int n) {
    if (n > 0)
        sum<<<(n + 255) / 256, 256>>>(in, n);
    finish<<<1, 1>>>(out);
}
