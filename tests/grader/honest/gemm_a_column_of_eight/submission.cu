// Eight results a thread, one below the other; shared memory sized at the launch.
const int BM = 64, BN = 64, BK = 8, TM = 8;
__global__ void sgemm1D(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    extern __shared__ float smem[];
    float *As = smem, *Bs = smem + BM * BK;
    const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float threadResults[TM] = {0.0f};
    for (int bk = 0; bk < K; bk += BK) {
        int ar = threadIdx.x / BK, ac = threadIdx.x % BK;
        As[ar * BK + ac] = row0 + ar < M && bk + ac < K ? A[(row0 + ar) * K + bk + ac] : 0.0f;
        int br = threadIdx.x / BN, bc = threadIdx.x % BN;
        Bs[br * BN + bc] = bk + br < K && col0 + bc < N ? B[(bk + br) * N + col0 + bc] : 0.0f;
        __syncthreads();
        for (int dot = 0; dot < BK; ++dot) {
            float b = Bs[dot * BN + threadCol];
            for (int i = 0; i < TM; ++i)
                threadResults[i] += As[(threadRow * TM + i) * BK + dot] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        int r = row0 + threadRow * TM + i, c = col0 + threadCol;
        if (r < M && c < N)
            C[r * N + c] = alpha * threadResults[i] + beta * C[r * N + c];
    }
}
void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    sgemm1D<<<dim3((n + BN - 1) / BN, (m + BM - 1) / BM), BM * BN / TM, (BM * BK + BK * BN) * sizeof(float)>>>(m, n, k, alpha, a, b,
                                                                                                               beta, c);
}
