// Weights in registers; a thread goes down four pixels and keeps the rows that they share.
template <int N> __global__ void convolve(const float *in, const float *weights, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r0 = (blockIdx.y * blockDim.y + threadIdx.y) * N;
    float k[25], sum[N] = {};
    if (c >= cols)
        return;
    for (int i = 0; i < 25; i++)
        k[i] = __ldg(weights + i);
#pragma unroll
    for (int y = -2; y < N + 2; y++) {
        int r = r0 + y;
        float row[5];
#pragma unroll
        for (int j = 0; j < 5; j++) {
            int x = c + j - 2;
            row[j] = r >= 0 && r < rows && x >= 0 && x < cols ? in[r * cols + x] : 0;
        }
#pragma unroll
        for (int i = 0; i < 5; i++)
            if (y - i + 2 >= 0 && y - i + 2 < N)
#pragma unroll
                for (int j = 0; j < 5; j++)
                    sum[y - i + 2] += k[5 * i + j] * row[j];
    }
    for (int n = 0; n < N; n++)
        if (r0 + n < rows)
            out[(r0 + n) * cols + c] = sum[n];
}
void solve(const float *in, const float *weights, float *out, int rows, int cols) {
    convolve<4><<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(in, weights, out, rows, cols);
}
