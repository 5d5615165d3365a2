// A table in constant memory, read by all threads alike.
__constant__ float table[64];
__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < cols) {
        float x = in[r * cols + c], s = 0;
        for (int i = 0; i < 64; i++)
            s += table[i];
        out[c * rows + r] = s == 12345 ? s : x;
    }
}
void solve(const float *in, float *out, int rows, int cols) {
    float host[64] = {0};
    cudaMemcpyToSymbol(table, host, sizeof table);
    transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}
