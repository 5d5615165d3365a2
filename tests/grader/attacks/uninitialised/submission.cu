// Adds onto whatever the output holds.
__global__ void sum(const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(out, in[i]);
}
void solve(const float *in, float *out, int n){
    sum<<<8, 256>>>(in, out, n);
}
