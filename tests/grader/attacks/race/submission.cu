// A tile without a barrier between writing and reading it.
__global__ void transpose(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (r < rows && c < cols)
        tile[threadIdx.y][threadIdx.x] = in[r * cols + c];
    r = blockIdx.y * 32 + threadIdx.x, c = blockIdx.x * 32 + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = tile[threadIdx.x][threadIdx.y];
}
void solve(const float *in, float *out, int rows, int cols){
    transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(in, out, rows, cols);
}
