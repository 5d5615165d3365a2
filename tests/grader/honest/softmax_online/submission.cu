// Maximum and sum in one pass: pairs that are put together.
struct Pair {
    float m, s;
};
__device__ Pair together(Pair a, Pair b) {
    float m = fmaxf(a.m, b.m);
    return {m, (a.s > 0 ? a.s * expf(a.m - m) : 0) + (b.s > 0 ? b.s * expf(b.m - m) : 0)};
}
__global__ void softmax(const float *in, float *out, int rows, int cols) {
    __shared__ Pair of_warp[8];
    const float *x = in + (size_t)blockIdx.x * cols;
    Pair p = {-INFINITY, 0};
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        p = together(p, {x[c], 1});
    for (int d = 16; d; d /= 2)
        p = together(p, {__shfl_xor_sync(~0u, p.m, d), __shfl_xor_sync(~0u, p.s, d)});
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = p;
    __syncthreads();
    p = of_warp[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        p = together(p, of_warp[w]);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[(size_t)blockIdx.x * cols + c] = expf(x[c] - p.m) / p.s;
}
void solve(const float *in, float *out, int rows, int cols) {
    softmax<<<rows, 128>>>(in, out, rows, cols);
}
