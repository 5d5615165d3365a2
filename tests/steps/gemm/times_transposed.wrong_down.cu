// says: sectors a load in `times_transposed`; the step asks for at most 4
__global__ void times_transposed(int m, int n, int k, const float *A, const float *B, float *C) {
    __shared__ float a[16][17], b[16][17];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16 + y, c = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        a[y][x] = r < m && k0 + x < k ? A[r * k + k0 + x] : 0;
        b[y][x] = c < n && k0 + y < k ? B[c * k + k0 + y] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (r < m && c < n) C[r * n + c] = sum;
}
