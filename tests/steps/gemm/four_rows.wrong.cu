// says: and should be
__global__ void four_rows(int n, const float *A, const float *B, float *C) {   // n is a multiple of 32
    __shared__ float a[32][32], b[32][32];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 32, c = blockIdx.x * 32;   // blocks of 32 x 8
    float sum[4] = {0, 0, 0, 0};
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int j = y; j < 32; j += 8) {
            a[j][x] = A[(r + j) * n + k0 + x];
            b[j][x] = B[(k0 + j) * n + c + x];
        }
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            for (int j = 0; j < 4; j++) sum[j] += a[y + j][k] * b[k][x];
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) C[(r + y + 8 * j) * n + c + x] = sum[j];
}
